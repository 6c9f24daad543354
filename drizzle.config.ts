import { defineConfig } from 'drizzle-kit';

const schema = './packages/database/schema/index.ts';

export default defineConfig({ dialect: 'postgresql', schema, out: './packages/database/migrations' });
