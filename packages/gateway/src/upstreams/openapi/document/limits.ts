/** How much of a document is taken, and how much one tool may say: a list goes to a model whole, and to memory first. */
export const LIMITS = {
  /** Bytes of a document with all that it refers to, and files beside it that come along. */
  bytes: 64 * 1024 * 1024,
  files: 2_000,
  /** Levels of a document. */
  depth: 200,
  /** Values of a document. */
  values: 8_000_000,
  /** Values of all schemas as they are written out; GitHub's 1,223 operations have 120,000. */
  written: 5_000_000,
  operations: 20_000,
  tools: 5_000,
  /** Characters of all tools together; a catalog takes 16 million of one list. */
  list: 14_000_000,
  input: 64 * 1024,
  /** A longer output schema has more detail than a model needs. */
  output: 6 * 1024,
  description: 2_000,
  /** Of a property. */
  note: 500,
  name: 64,
} as const
