import { z } from 'zod';
import { int } from './fields.schema.ts';
import { sourcePayloadSchemas } from './source-payloads.schema.ts';

/** Source types that policies add to those of the base, each with its strict schema; doors read this without any handler. */
const addedSourceSchemas = {
  'probe.event': z.strictObject({ sleepMs: int.optional(), failTimes: z.int().min(-1).optional(), actions: int.optional() }),
} as const satisfies Readonly<Record<string, z.ZodObject>>;

/** Source types that policies have added. */
export const addedSourceTypes: readonly string[] = Object.keys(addedSourceSchemas);

const schemas: ReadonlyMap<string, z.ZodObject> = new Map<string, z.ZodObject>(Object.entries({ ...sourcePayloadSchemas, ...addedSourceSchemas }));

/** Every known source type, sorted. */
export const sourceTypes: readonly string[] = [...schemas.keys()].toSorted();

/** The strict payload schema of a type; undefined: nobody knows the type. */
export const findSourceSchema = (sourceType: string): z.ZodObject | undefined => schemas.get(sourceType);
