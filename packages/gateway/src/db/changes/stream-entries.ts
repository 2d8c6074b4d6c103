/** The entries of the stream of changes: each has a number that counts up by one, and the payload of a notice. */
import type { RedisConnection } from './redis-connection.ts'

/** Entries that are kept: a gateway that was away for more than these reloads everything. */
export const KEPT = 10_000
/** Entries of one read. */
const READ = 500

export interface StreamEntry {
  readonly id: string
  readonly number: bigint
  readonly payload: string
}

export const streamKey = (prefix: string): string => `${prefix}:changes`

export async function addEntry(redis: RedisConnection, key: string, number: bigint, payload: string): Promise<void> {
  await redis.call(['XADD', key, 'MAXLEN', '~', KEPT, '*', 'n', String(number), 'p', payload])
}

/** Where the stream ends now. */
export async function lastEntry(redis: RedisConnection, key: string): Promise<StreamEntry | undefined> {
  return entriesOf(await redis.call(['XREVRANGE', key, '+', '-', 'COUNT', 1]))[0]
}

/** Entries behind one, for which it waits so many milliseconds. */
export async function readEntries(
  redis: RedisConnection,
  key: string,
  after: string,
  wait: number,
): Promise<StreamEntry[]> {
  const answer = await redis.call(['XREAD', 'COUNT', READ, 'BLOCK', wait, 'STREAMS', key, after], wait)
  if (!Array.isArray(answer)) return []
  // A key and its entries (a map of RESP3, as the library flattens it), or a list of such pairs (RESP2).
  const [first, entries] = answer as [unknown, unknown]
  return entriesOf(Array.isArray(first) ? first[1] : entries)
}

/** The process that answers: what another one knows of the stream may be less. */
export async function serverOf(redis: RedisConnection): Promise<string> {
  const text = String(await redis.call(['INFO', 'server']))
  const id = /^run_id:(\w+)/m.exec(text)?.[1]
  if (id === undefined) throw new Error('Redis does not report which process it is')
  return id
}

function entriesOf(answer: unknown): StreamEntry[] {
  if (!Array.isArray(answer)) return []
  return (answer as [string, string[]][]).map(([id, [, number = '0', , payload = '{}']]) => ({
    id,
    number: BigInt(number),
    payload,
  }))
}
