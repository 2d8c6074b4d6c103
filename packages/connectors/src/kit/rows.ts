/** The cases of a vendor, as data: the tests in test/connectors run them. */
import type { FaultWord } from '@toolway/contract'
import type { Json } from './tool.ts'

/**
 * `GET /path?query`, with a body as a pair. For GraphQL `query issues` or `mutation issueCreate`, with the variables.
 */
export type Sent = string | readonly [line: string, body: Json]

/** The line of a request whose query has characters that have to be encoded. */
export const lineOf = (head: string, query: Readonly<Record<string, string>>): string => {
  const parts = Object.entries(query).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return `${head}?${decodeURI(parts.join('&'))}`
}

/** The input of a call and the requests that it makes. */
export type Row = readonly [input: Json, ...sent: readonly Sent[]]

export interface VendorRows {
  /** The files of the vendor's description, in the folder that `TOOLWAY_VENDORS` names. */
  readonly described: readonly string[]
  /** Inputs that each row has besides its own: those of the place in the vendor's base address. */
  readonly place?: Json
  /** At least the least and the fullest input of each tool, by name without the prefix. */
  readonly tools: Readonly<Record<string, readonly Row[]>>
  /** Answers in the vendor's own manner of failing, and the words for them. */
  readonly failures: readonly FailureRow[]
  /** Runs with answers that a sample cannot be, such as base64: one answer for each request, its body or `{ whole: { status, headers, bytes } }`. */
  readonly answers?: Readonly<Record<string, readonly (readonly unknown[])[]>>
  /** Answers of operations that the description leaves out, by line: bodies. Addresses that the vendor signs answer with 200. */
  readonly replies?: Readonly<Record<string, unknown>>
  /** Tools that pick from an answer by their input: a sample has nothing to pick, so `answers` alone count. */
  readonly picks?: readonly string[]
  /** Members that samples, or the items of sampled lists, go without: by tool, or `*` for all. */
  readonly without?: Readonly<Record<string, readonly string[]>>
  /** Tools whose body the description leaves open: the rows alone say what it holds. */
  readonly open?: readonly string[]
  /** Names of a query that the vendor's reference has for all its lists, and the description leaves out. */
  readonly queries?: readonly string[]
  /** Members of outputs that the description does not have, and of bodies whose value it does not have, with the reason. */
  readonly undescribed?: Readonly<Record<string, string>>
}

export interface FailureRow {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
  readonly word: FaultWord
  readonly retryAfter?: number
}
