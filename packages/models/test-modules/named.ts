type Request = { readonly messages: readonly { readonly content: string }[]; readonly idempotencyKey: string };

/** Answers with the question and the key. */
export const answer = async ({ messages, idempotencyKey }: Request) => ({ output: `${messages.at(-1)?.content} ${idempotencyKey}`, tokens: 3 });
