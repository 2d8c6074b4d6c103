/** `toolway lock …`: the lock on the tools of connections, on the local store. Gateways that run hear of what it changes. */
import { readFile, writeFile } from 'node:fs/promises'
import { Fault, type LockMode, visible } from '@toolway/contract'
import { presentTools, setLock, settleTool } from '../../admin/connections/settle-lock.ts'
import { differenceOf } from '../../catalog/locks/difference.ts'
import { findToolLock, listToolLocks, type ToolLockRow, type WholeToolLock } from '../../catalog/locks/tool-locks.ts'
import { listConnections, lockConnection, type ConnectionRow } from '../../connections/connections.ts'
import type { OrgSql } from '../../db/db.ts'
import { recordChange } from '../../records/change.ts'
import { ownActor } from '../own-actor.ts'
import { withStore, type Opened } from '../store.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import { drawDifference } from './draw-difference.ts'
import { driftOf, readLockFile, writeLockFile, type Drift, type LockedConnection } from './lock-file.ts'

export interface Place {
  readonly organization: string
}

export const inStore = <T>({ organization }: Place, work: (sql: OrgSql, opened: Opened) => Promise<T>): Promise<T> =>
  withStore(organization, (opened) => opened.db.organization(opened.organization.id, (sql) => work(sql, opened)))

export const noConnection = (alias: string) =>
  new CommandFault(`There is no connection "${alias}"; \`toolway connection list\` shows them.`)

const stateOf = ({ held_hash: held, rejected_at: rejected, gone_at: gone }: ToolLockRow): string => {
  if (gone !== null) return 'gone'
  if (held === null) return 'accepted'
  return rejected === null ? 'held' : 'rejected'
}
const isHeld = ({ held_hash: held, gone_at: gone }: ToolLockRow): boolean => held !== null && gone === null
const short = (hash: string | null): string => hash?.slice(0, 12) ?? '-'

/** Every connection in a line; or one, with its tools and the difference of each that is held. */
export const show = (alias: string | undefined, place: Place, output: Output): Promise<number> =>
  inStore(place, async (sql) => {
    const connections = await listConnections(sql)
    if (alias !== undefined) return showOne(sql, connections, alias, output)
    const found = []
    for (const { id, alias: name, tool_lock: lock } of connections) {
      const rows = await listToolLocks(sql, id)
      found.push({ alias: name, lock, tools: rows.length, held: rows.filter(isHeld).length })
    }
    output.result(
      found,
      found.length === 0
        ? ['No connections yet: `toolway connection add --help`.']
        : table(
            ['ALIAS', 'LOCK', 'TOOLS', 'HELD'],
            found.map(({ alias: name, lock, tools, held }) => [name, lock, String(tools), String(held)]),
          ),
    )
    return EXIT.ok
  })

async function showOne(sql: OrgSql, connections: readonly ConnectionRow[], alias: string, output: Output) {
  const connection = connections.find((one) => one.alias === alias)
  if (connection === undefined) throw noConnection(alias)
  const rows = await listToolLocks(sql, connection.id)
  const held: WholeToolLock[] = []
  for (const { tool } of rows.filter(isHeld)) {
    const whole = await findToolLock(sql, connection.id, tool)
    if (whole !== undefined) held.push(whole)
  }
  const tools = rows.map((row) => ({
    tool: row.tool,
    state: stateOf(row),
    hash: row.held_hash ?? row.accepted_hash,
    accepted_hash: row.accepted_hash,
    accepted_by: row.accepted_by,
  }))
  const lines = table(
    ['TOOL', 'STATE', 'HASH', 'ACCEPTED'],
    tools.map(({ tool, state, hash, accepted_hash: accepted }) => [visible(tool), state, short(hash), short(accepted)]),
  )
  output.result({ alias, lock: connection.tool_lock, tools }, [
    `${alias}: the lock is ${connection.tool_lock}.`,
    ...(tools.length === 0 ? ['Nothing is known of its tools yet: it was not reached.'] : lines),
    ...held.flatMap((row) => ['', ...heldLines(alias, row)]),
  ])
  return EXIT.ok
}

function heldLines(alias: string, { tool, held_hash: hash, accepted, held }: WholeToolLock): string[] {
  if (held === null) return []
  return [
    `${visible(tool)} is held: ${accepted === null ? 'it is new' : 'it is another than was accepted'}.`,
    ...drawDifference(differenceOf(accepted ?? undefined, held)),
    `To let it in: toolway lock accept ${alias} ${JSON.stringify(tool)} --hash ${hash}`,
  ]
}

export interface SetWords extends Place {
  readonly holdPresent?: boolean
  readonly acceptPresent?: boolean
  readonly trust?: boolean
}

export function set(alias: string, mode: LockMode, words: SetWords, output: Output): Promise<number> {
  if (words.holdPresent === true && words.acceptPresent === true)
    throw new CommandFault('Say --accept-present or --hold-present, not both.', EXIT.usage)
  return inStore(words, async (sql, { organization }) => {
    const connection = await lockConnection(sql, alias)
    if (connection === undefined) throw noConnection(alias)
    const present = words.holdPresent === true ? 'hold' : words.acceptPresent === true ? 'accept' : undefined
    const setting = { mode, present, trusted: words.trust } as const
    const actor = ownActor()
    const done = await setLock(sql, organization.id, connection, { setting, by: actor.id, ifMatch: undefined })
    const detail = { alias, ...setting, ...done }
    await recordChange(sql, actor, organization.id, {
      action: 'lock.set',
      resource: 'connection',
      id: connection.id,
      detail,
    })
    const then =
      done.held > 0
        ? ` ${done.held} tools wait for a look: \`toolway lock show ${alias}\`.`
        : ` ${done.accepted} tools are accepted as they are.`
    output.result({ alias, lock: mode, ...done }, [`The lock of ${alias} is ${mode}.${then}`])
    return EXIT.ok
  })
}

export interface AcceptWords extends Place {
  readonly hash?: string
  readonly reject?: boolean
}

/** Who names no hash accepts what is held now, and is told which that was. */
export const accept = (alias: string, tool: string, words: AcceptWords, output: Output): Promise<number> =>
  inStore(words, async (sql, { organization }) => {
    const connection = await lockConnection(sql, alias)
    if (connection === undefined) throw noConnection(alias)
    const row = await findToolLock(sql, connection.id, tool)
    if (row === undefined)
      throw new CommandFault(`${alias} has no tool "${tool}"; \`toolway lock show ${alias}\` shows them.`)
    const verdict = words.reject === true ? 'rejected' : 'accepted'
    const hash = await hashOf(row, words.hash, alias)
    const actor = ownActor()
    try {
      await settleTool(sql, organization.id, connection, { looked: { tool, hash }, verdict, by: actor.id })
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'request.stale') throw thrown
      throw new CommandFault(
        `${tool} is another one by now than ${short(hash)}: look at it again with \`toolway lock show ${alias}\`.`,
      )
    }
    const action = verdict === 'accepted' ? 'tool.accept' : 'tool.reject'
    const record = { action, resource: 'tool', id: `${alias}/${tool}`, detail: { hash } }
    await recordChange(sql, actor, organization.id, record)
    const said = verdict === 'accepted' ? `${tool} is let in` : `${tool} stays held`
    output.result({ alias, tool, hash, verdict }, [`${said}, as ${short(hash)}.`])
    return EXIT.ok
  })

async function hashOf(row: WholeToolLock, said: string | undefined, alias: string): Promise<string> {
  if (said !== undefined && !/^[0-9a-f]{64}$/.test(said))
    throw new CommandFault('The --hash is 64 hex digits, as `toolway lock show` prints it.', EXIT.usage)
  const hash = said ?? row.held_hash
  if (hash === null) throw new CommandFault(`${row.tool} is not held; \`toolway lock show ${alias}\` shows what is.`)
  return hash
}

async function presentOf(sql: OrgSql): Promise<LockedConnection[]> {
  const found: LockedConnection[] = []
  for (const { id, alias, tool_lock: lock } of await listConnections(sql)) {
    const tools = await presentTools(sql, id)
    found.push({ alias, lock, tools: new Map(tools.map(({ tool, hash }) => [tool, hash])) })
  }
  return found
}

export const exportFile = (file: string | undefined, place: Place, output: Output): Promise<number> =>
  inStore(place, async (sql) => {
    const connections = await presentOf(sql)
    const text = writeLockFile(connections)
    const tools = connections.reduce((sum, one) => sum + one.tools.size, 0)
    if (file === undefined) output.result(JSON.parse(text), [text.trimEnd()])
    else {
      await writeFile(file, text)
      output.result({ file, tools }, [`Wrote the hashes of ${tools} tools to ${file}.`])
    }
    return EXIT.ok
  })

export async function check(file: string, place: Place, output: Output): Promise<number> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === 'ENOENT' ? 'there is no such file' : thrown.message
    throw new CommandFault(`${file} cannot be read: ${why}. \`toolway lock export ${file}\` makes one.`)
  })
  const locked = readLockFile(text)
  if (typeof locked === 'string') throw new CommandFault(`${file} is no lock file: ${locked}.`)
  return inStore(place, async (sql) => {
    const drift = driftOf(locked, await presentOf(sql))
    output.result(
      { ok: drift.length === 0, drift },
      drift.length === 0
        ? [`Everything is as ${file} says.`]
        : [
            ...drift.map(wordOf),
            `${drift.length} ${drift.length === 1 ? 'thing is' : 'things are'} not as ${file} says. \`toolway lock export ${file}\` takes them over.`,
          ],
    )
    return drift.length === 0 ? EXIT.ok : EXIT.failed
  })
}

function wordOf({ connection, tool = '', drift, was, is }: Drift): string {
  const name = visible(tool)
  const hashes = [was, is].filter((one) => one !== undefined)
  switch (drift) {
    case 'connection gone':
      return `${connection}: there is no such connection any more`
    case 'connection new':
      return `${connection}: this connection is not in the file`
    case 'lock':
      return `${connection}: the lock is ${is}, and was ${was}`
    default:
      return `${connection} ${name}: ${drift.slice('tool '.length)} (${hashes.map(short).join(' → ')})`
  }
}
