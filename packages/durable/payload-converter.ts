import { DefaultPayloadConverter } from '@temporalio/common';
import type { Payload, PayloadConverter } from '@temporalio/common';

const encodingOf = (payload: Payload): string => {
  const bytes = payload.metadata?.['encoding'];
  return bytes === undefined || bytes === null ? 'none' : Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('');
};

/**
 * Default JSON conversion, except that a payload nobody can decode becomes the text `undecodable payload (<encoding>)`, which every strict parser
 * refuses. Without it such a payload fails the workflow task again and again, and the run stays Running.
 */
class TolerantPayloadConverter implements PayloadConverter {
  private readonly inner = new DefaultPayloadConverter();

  toPayload<T>(value: T): Payload {
    return this.inner.toPayload(value);
  }

  fromPayload<T>(payload: Payload): T {
    try {
      return this.inner.fromPayload<T>(payload);
    } catch {
      return `undecodable payload (${encodingOf(payload)})` as T;
    }
  }
}

/** The converter that workers load by path. */
export const payloadConverter = new TolerantPayloadConverter();
