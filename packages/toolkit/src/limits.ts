/** Sizes and counts of the toolkit, in one place. README.md lists them for users. */
const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB

export const LIMITS = {
  /** Bytes of one message of the client: the most, and what `--max-message` is unless given. */
  message: 64 * MIB,
  /** Characters of one text that is written or added, unless `--max-text` says otherwise. */
  text: 16 * MIB,
  /** Bytes of one file that is read as text. */
  readFile: 16 * MIB,
  /** Characters of one answer of `read_research_files`. */
  batchOfText: { least: 1_000, unsaid: 60_000, most: 75_000 },
  /** Files of one call of `read_research_files`. */
  readFiles: 200,
  /** Entries of a folder that are told. */
  listed: 1_000,
  /** Articles of one corpus. */
  articles: 10_000,
  /** An archive that is made or opened: its files and folders, the bytes of all files together, and how far folders nest. */
  archive: { entries: 10_000, bytes: 2 * GIB, depth: 64 },
  /** Calls of one `batch_tool_execute`, how many run at a time, the time of each, and the characters of each result. */
  batch: { calls: 20, atOnce: 10, milliseconds: 180_000, characters: 5_000 },
  /** How long a client may take to say its roots. */
  rootsMilliseconds: 10_000,
  /** Roots of one client. */
  roots: 100,
} as const
