import { generateText } from 'ai';
import type { OpenAiTarget } from '../contracts/eval-run.ts';
import type { Environment } from './api-key.ts';
import { callOptions, createOpenAiModel, translateModelError } from './openai-model.ts';
import type { Target, TargetAnswer } from './target.ts';

type Usage = { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined; readonly totalTokens?: number | undefined };

/** A target behind the chat completions protocol, one call without tools per question; cost follows from the config's prices. */
export function createOpenAiTarget(config: OpenAiTarget, environment: Environment): Target {
  return {
    answer: async ({ messages, idempotencyKey, signal }) => {
      try {
        const own = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
        const system = [...(config.system === undefined ? [] : [config.system]), ...own].join('\n\n');
        const result = await generateText({
          model: createOpenAiModel(config, environment),
          messages: messages
            .filter(({ role }) => role !== 'system')
            .map(({ role, content }) => ({ role, content }) as { role: 'user' | 'assistant'; content: string }),
          headers: { 'idempotency-key': idempotencyKey },
          ...(system === '' ? {} : { instructions: system }),
          ...callOptions(config, signal),
        });
        return { output: result.text, ...readFigures(result.usage, config), steps: 1, calls: 1 };
      } catch (error) {
        throw translateModelError(error, config, signal);
      }
    },
  };
}

function readFigures(usage: Usage, { price }: OpenAiTarget): Pick<TargetAnswer, 'tokens' | 'costUsd'> {
  const { inputTokens, outputTokens } = usage;
  const tokens = usage.totalTokens ?? (inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens);
  const isPriced = price !== undefined && inputTokens !== undefined && outputTokens !== undefined;
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(isPriced ? { costUsd: (inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion) / 1e6 } : {}),
  };
}
