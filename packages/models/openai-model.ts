import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, NoObjectGeneratedError, NoOutputGeneratedError, JSONParseError, TypeValidationError } from 'ai';
import type { LanguageModel } from 'ai';
import type { OpenAiTarget } from '../contracts/eval-run.ts';
import { readApiKey } from './api-key.ts';
import type { Environment } from './api-key.ts';
import { ModelError, classifyStatus, invalidOutput, isModelError, unavailable } from './model-error.ts';

/** The AI SDK's model behind a config; structured outputs are asked for by JSON schema. */
export function createOpenAiModel(config: OpenAiTarget, environment: Environment): LanguageModel {
  const apiKey = readApiKey(config.apiKeyEnv, environment);
  const provider = createOpenAICompatible({
    name: 'eval',
    baseURL: config.baseUrl.replace(/\/+$/, ''),
    supportsStructuredOutputs: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  return provider(config.model);
}

/** The options of every call: one retry layer only, and it is not here. */
export function callOptions(config: OpenAiTarget, signal: AbortSignal) {
  return {
    maxRetries: 0,
    abortSignal: signal,
    ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
    ...(config.maxOutputTokens === undefined ? {} : { maxOutputTokens: config.maxOutputTokens }),
  };
}

/** Translates what the AI SDK throws; an abort keeps the signal's own reason. */
export function translateModelError(error: unknown, config: OpenAiTarget, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (isModelError(error)) return error;
  const who = `model ${config.model}`;
  if (NoObjectGeneratedError.isInstance(error) || NoOutputGeneratedError.isInstance(error)) {
    return invalidOutput(`${who} gave no valid answer: ${error.message}`, error);
  }
  if (!APICallError.isInstance(error)) return unavailable(who, error);
  if (error.statusCode === undefined) return unavailable(who, error);
  if (error.statusCode < 300 && isUnreadable(error.cause)) return invalidOutput(`${who} did not answer in the agreed form`, error);
  const fault = classifyStatus(error.statusCode, error.responseHeaders?.['retry-after'] ?? null, new Date());
  return new ModelError(`${who} answered ${error.statusCode}: ${error.message}`, fault, error);
}

function isUnreadable(cause: unknown): boolean {
  return JSONParseError.isInstance(cause) || TypeValidationError.isInstance(cause);
}
