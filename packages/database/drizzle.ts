import { createRequire } from 'node:module';
import type * as core from 'drizzle-orm';
import type * as nodePostgres from 'drizzle-orm/node-postgres';
import type * as migrator from 'drizzle-orm/node-postgres/migrator';
import type * as pg from 'drizzle-orm/pg-core';

// As CommonJS: for each of its four hundred ES modules Node would read drizzle's 180 kB package.json again, half a second at every start.
const require = createRequire(import.meta.url);

/** The one door to drizzle's values; its types come from the package. */
export const { DrizzleQueryError, Placeholder, sql } = require('drizzle-orm') as typeof core;
export const { drizzle } = require('drizzle-orm/node-postgres') as typeof nodePostgres;
export const { migrate } = require('drizzle-orm/node-postgres/migrator') as typeof migrator;
export const pgCore = require('drizzle-orm/pg-core') as typeof pg;
