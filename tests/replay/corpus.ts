import { existsSync, globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const FOLDER = join(import.meta.dirname, 'histories');

/** The events of one execution. */
export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** One recorded execution: `name` is `<workflow type>/<scenario>`. */
export interface RecordedHistory {
  readonly name: string;
  readonly workflowId: string;
  readonly history: History;
  readonly fileBytes: number;
}

interface HistoryFile {
  readonly workflowId: string;
  readonly events: readonly unknown[];
}

/** Names of the corpus, sorted. */
export const listRecorded = (): string[] =>
  globSync('*/*.json', { cwd: FOLDER })
    .map((file) => file.replace(/\.json$/, ''))
    .sort();

/** Reads one recorded history. */
export async function readRecorded(name: string): Promise<RecordedHistory> {
  const text = await readFile(join(FOLDER, `${name}.json`), 'utf8');
  const { workflowId, ...history } = JSON.parse(text) as HistoryFile;
  return { name, workflowId, history: historyFromJSON(history), fileBytes: text.length };
}

/** Writes an execution's history under its name, without what names the machine it ran on: replay needs none of that. */
export async function record(name: string, handle: WorkflowHandle): Promise<void> {
  const { events } = JSON.parse(historyToJSON(await handle.fetchHistory())) as HistoryFile;
  const queue = findQueue(events[0]);
  const lines = events.map((event) => JSON.stringify(event, withoutMachine).replaceAll(queue, 'strata'));
  const file = join(FOLDER, `${name}.json`);
  await mkdir(dirname(file), { recursive: true });
  // One event a line: a reader finds it, a diff shows it.
  await writeFile(file, `{"workflowId":${JSON.stringify(handle.workflowId)},"events":[\n${lines.join(',\n')}\n]}\n`);
}

/** True if the corpus has this history. */
export const isRecorded = (name: string): boolean => existsSync(join(FOLDER, `${name}.json`));

const withoutMachine = (key: string, value: unknown): unknown => (key === 'identity' || key === 'stackTrace' ? undefined : value);

function findQueue(started: unknown): string {
  const { taskQueue } = (started as { workflowExecutionStartedEventAttributes: { taskQueue: { name: string } } })
    .workflowExecutionStartedEventAttributes;
  return taskQueue.name;
}
