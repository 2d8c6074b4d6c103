/**
 * A lock file: the hash of every tool of every connection, to be reviewed and kept beside the code that uses them. The same tools
 * give the same bytes, and nothing in it is secret. Pure.
 */
import { LOCK_MODES, type LockMode } from '@toolway/contract'
import { isObject } from '@toolway/protocol'
import { z } from 'zod'

const FORMAT = 'toolway-lock/1'

const HASH = /^[0-9a-f]{64}$/
/** A tool may have any name, `__proto__` too, which a record would lose. */
const Hashes = z.custom<Record<string, string>>(
  (value) => isObject(value) && Object.values(value).every((hash) => typeof hash === 'string' && HASH.test(hash)),
  { error: 'must contain 64 hex digits for each tool' },
)
const LockFile = z.strictObject({
  format: z.literal(FORMAT),
  connections: z.record(z.string(), z.strictObject({ lock: z.enum(LOCK_MODES), tools: Hashes })),
})

export interface LockedConnection {
  readonly alias: string
  readonly lock: LockMode
  /** By name, of what its server lists now. */
  readonly tools: ReadonlyMap<string, string>
}

const byName = <Value>(entries: Iterable<readonly [string, Value]>): [string, Value][] =>
  [...entries]
    .map(([name, value]): [string, Value] => [name, value])
    .toSorted(([value], [other]) => (value < other ? -1 : 1))

/** An object from entries would put names that look like numbers first: members are written in their own order. */
const objectText = (entries: readonly [string, string][], indent: string): string =>
  entries.length === 0
    ? '{}'
    : `{\n${entries.map(([name, text]) => `${indent}  ${JSON.stringify(name)}: ${text}`).join(',\n')}\n${indent}}`

export function writeLockFile(connections: readonly LockedConnection[]): string {
  const entries = byName(connections.map((connection) => [connection.alias, connection] as const)).map(
    ([alias, { lock, tools }]) => {
      const hashes = byName(tools).map(([name, hash]): [string, string] => [name, JSON.stringify(hash)])
      const members: [string, string][] = [
        ['lock', JSON.stringify(lock)],
        ['tools', objectText(hashes, '      ')],
      ]
      return [alias, objectText(members, '    ')] as [string, string]
    },
  )
  return `${objectText(
    [
      ['format', JSON.stringify(FORMAT)],
      ['connections', objectText(entries, '  ')],
    ],
    '',
  )}\n`
}

/** The connections of a lock file; a sentence about what is wrong with it where it is none. */
export function readLockFile(text: string): LockedConnection[] | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'it is not valid JSON'
  }
  const read = LockFile.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    return `${issue?.path.join('.') || 'top level'}: ${issue?.message ?? 'is not valid'}`
  }
  return Object.entries(read.data.connections).map(([alias, { lock, tools }]) => ({
    alias,
    lock,
    tools: new Map(Object.entries(tools)),
  }))
}

export interface Drift {
  readonly connection: string
  /** Absent where it is the connection or its lock that is another. */
  readonly tool?: string
  readonly drift: 'connection gone' | 'connection new' | 'lock' | 'tool gone' | 'tool new' | 'tool changed'
  readonly was?: string
  readonly is?: string
}

/** What is another now than the file says. */
export function driftOf(file: readonly LockedConnection[], now: readonly LockedConnection[]): Drift[] {
  const before = new Map(file.map((connection) => [connection.alias, connection]))
  const after = new Map(now.map((connection) => [connection.alias, connection]))
  const aliases = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return aliases.flatMap((connection): Drift[] => {
    const [was, is] = [before.get(connection), after.get(connection)]
    if (is === undefined) return [{ connection, drift: 'connection gone' }]
    if (was === undefined) return [{ connection, drift: 'connection new' }]
    const lock: Drift[] = was.lock === is.lock ? [] : [{ connection, drift: 'lock', was: was.lock, is: is.lock }]
    return [...lock, ...driftOfTools(connection, was.tools, is.tools)]
  })
}

function driftOfTools(
  connection: string,
  before: LockedConnection['tools'],
  after: LockedConnection['tools'],
): Drift[] {
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((tool): Drift[] => {
    const [was, is] = [before.get(tool), after.get(tool)]
    if (was === is) return []
    if (was === undefined) return [{ connection, tool, drift: 'tool new', ...(is === undefined ? {} : { is }) }]
    if (is === undefined) return [{ connection, tool, drift: 'tool gone', was }]
    return [{ connection, tool, drift: 'tool changed', was, is }]
  })
}
