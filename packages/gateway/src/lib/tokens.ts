/**
 * About how many tokens a model reads where it is shown a value as JSON: one for every four bytes of UTF-8. An estimate, and the
 * same for every model: tokenizers differ from one another by more than it differs from them (docs/guides/toolsets.md).
 */
const BYTES_OF_A_TOKEN = 4

export const tokensOf = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(value) ?? '') / BYTES_OF_A_TOKEN)
