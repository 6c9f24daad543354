import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts';

const KEYWORD = 2; // temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD

/** Registers what is missing of Strata's search attributes; an attribute of another type is an error that names it. */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<readonly string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const wrong = SEARCH_ATTRIBUTES.find((name) => customAttributes[name] !== undefined && customAttributes[name] !== KEYWORD);
  if (wrong !== undefined) throw new Error(`search attribute ${wrong} of namespace ${namespace} is not a Keyword`);
  const missing = SEARCH_ATTRIBUTES.filter((name) => customAttributes[name] === undefined);
  if (missing.length > 0) {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])) });
  }
  return missing;
}
