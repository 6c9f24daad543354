import { generateText, Output } from 'ai';
import type { OpenAiTarget } from '../contracts/eval-run.ts';
import type { SignalModel } from '../contracts/signal-model.ts';
import type { Environment } from './api-key.ts';
import { createOfflineModel } from './offline-model.ts';
import { callOptions, createOpenAiModel, translateModelError } from './openai-model.ts';
import { SIGNAL_TASKS } from './signal-tasks.ts';

/** What a worker was told to use. */
export type SignalModelConfig = { readonly kind: 'offline' } | { readonly kind: 'none' } | OpenAiTarget;

/** A language model with structured output; one call, no retry: its failures are classified for the one retry layer above. */
const createLanguageModel = (config: OpenAiTarget, environment: Environment): SignalModel => ({
  generate: async ({ task, input, signal }) => {
    const { schema, instructions } = SIGNAL_TASKS[task];
    const abortSignal = signal as AbortSignal;
    try {
      const { output } = await generateText({
        model: createOpenAiModel(config, environment),
        instructions: config.system === undefined ? instructions : `${instructions}\n${config.system}`,
        prompt: JSON.stringify(input),
        output: Output.object({ schema, name: task.replace('-', '_') }),
        ...callOptions({ temperature: 0, ...config }, abortSignal),
      });
      return output;
    } catch (error) {
      throw translateModelError(error, config, abortSignal);
    }
  },
});

/** The model of agent signal; null: there is none. */
export const createSignalModel = (config: SignalModelConfig, environment: Environment): SignalModel | null => {
  if (config.kind === 'none') return null;
  return config.kind === 'offline' ? createOfflineModel() : createLanguageModel(config, environment);
};
