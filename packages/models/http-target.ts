import type { HttpTarget } from '../contracts/eval-run.ts';
import { readApiKey } from './api-key.ts';
import type { Environment } from './api-key.ts';
import { ModelError, classifyStatus, invalidOutput, isModelError, unavailable } from './model-error.ts';
import { parseTargetAnswer } from './target-answer.schema.ts';
import type { Target } from './target.ts';

const LONGEST_ANSWER = 4 * 1024 * 1024;

/** An agent that is POSTed `{messages, idempotencyKey}` as JSON, with the key also as a header and the API key as bearer. */
export function createHttpTarget(config: HttpTarget, environment: Environment): Target {
  return {
    answer: async ({ messages, idempotencyKey, signal }) => {
      const apiKey = readApiKey(config.apiKeyEnv, environment);
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json',
        'idempotency-key': idempotencyKey,
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      };
      try {
        const response = await fetch(config.url, {
          method: 'POST',
          headers,
          body: JSON.stringify({ messages, idempotencyKey }),
          redirect: 'manual',
          signal,
        });
        return await readAnswer(response);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw isModelError(error) ? error : unavailable('the agent', error);
      }
    },
  };
}

async function readAnswer(response: Response) {
  const body = await readBody(response);
  if (!response.ok) {
    const fault = classifyStatus(response.status, response.headers.get('retry-after'), new Date());
    throw new ModelError(`the agent answered ${response.status}: ${body.slice(0, 200)}`, fault);
  }
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw invalidOutput('the agent did not answer JSON', cause);
  }
  return parseTargetAnswer(value, 'the agent');
}

/** Reads at most 4 MiB: an agent that never stops talking must not fill the worker's memory. */
async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > LONGEST_ANSWER) throw invalidOutput('the agent answered more than 4 MiB');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
