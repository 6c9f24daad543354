import { PAYLOAD_CONVERTER_PATH } from './paths.ts';

/** The converter as an option of bundler, client and worker. */
export function payloadConverterOption(): { readonly payloadConverterPath: string } {
  return { payloadConverterPath: PAYLOAD_CONVERTER_PATH };
}
