/** `toolway lock …`: the lock on the tools of connections, and what tools do. */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { readFile, writeFile } from 'node:fs/promises'
import { EFFECTS, LOCK_MODES, visible, type Effect, type LockMode } from '@toolway/contract'
import {
  acceptTool,
  getToolDifference,
  getToolLock,
  listLockedTools,
  listToolLocks,
  rejectTool,
  setToolLock,
  toggleTool,
  type LockedTool,
  type ToolDifference,
  type ToolLock,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish, type Printed } from '../../cli/command.ts'
import { CommandFault, EXIT, table } from '../../cli/terminal/output.ts'
import { listAll, rewordRefusal, type Transport } from '../../cli/transport/transport.ts'
import { drawDifference } from './draw-difference.command.ts'
import { driftOf, readLockFile, writeLockFile, type Drift, type LockedConnection } from './lock-file.command.ts'

interface OrganizationOption {
  readonly organization: string
}
interface ConnectionArgument extends OrganizationOption {
  readonly alias: string
}
interface NamedTool extends ConnectionArgument {
  readonly tool: string
}

const alias = new Argument('<alias>')
const tool = new Argument('<tool>', 'name of the tool on its server')

const paramsOf = ({ organization, alias: connection }: ConnectionArgument) => ({ organization, connection })
const toolParams = (words: NamedTool) => ({ ...paramsOf(words), tool: words.tool })
const short = (hash: string | null): string => hash?.slice(0, 12) ?? '-'

const lockOf = ({ call }: Transport, words: ConnectionArgument): Promise<ToolLock> =>
  call(getToolLock, { params: paramsOf(words) }).catch(noConnection(words))
const noConnection = (words: ConnectionArgument) =>
  rewordRefusal(
    `There is no connection "${words.alias}"; \`toolway connection list\` lists the connections.`,
    'thing.unknown',
  )
const noTool = (words: NamedTool) =>
  rewordRefusal(
    `${words.alias} has no tool "${words.tool}"; \`toolway lock show ${words.alias}\` lists its tools.`,
    'thing.unknown',
  )

interface ShownLock extends ToolLock {
  readonly alias: string
  readonly tools: readonly LockedTool[]
  readonly held_tools: readonly ToolDifference[]
}

async function showOne(transport: Transport, words: ConnectionArgument): Promise<ShownLock> {
  const params = paramsOf(words)
  const lock = await lockOf(transport, words)
  const tools = await listAll(transport, listLockedTools, { params })
  const differences: ToolDifference[] = []
  for (const { name, state } of tools)
    if (state === 'held' || state === 'rejected')
      differences.push(await transport.call(getToolDifference, { params: { ...params, tool: name } }))
  return { alias: words.alias, ...lock, tools, held_tools: differences }
}

const show = describeCommand({
  name: 'show',
  about: 'show the tool locks, or the held tools of one connection and what changed in them',
  arguments: [new Argument('[alias]')],
  examples: ['toolway lock show', 'toolway lock show docs'],
  async call(transport, words: OrganizationOption & { alias?: string }) {
    const { alias: name, organization } = words
    return name === undefined
      ? listAll(transport, listToolLocks, { params: { organization } })
      : showOne(transport, { organization, alias: name })
  },
  print: (shown) => ('alias' in shown ? printOne(shown) : printAll(shown)),
})

type Locks = (ToolLock & { readonly alias: string })[]
const printAll = (locks: Locks): Printed => ({
  value: locks,
  lines:
    locks.length === 0
      ? ['No connections yet. To add one, see `toolway connection add --help`.']
      : table(
          ['ALIAS', 'LOCK', 'TOOLS', 'HELD'],
          locks.map(({ alias: name, mode, accepted, held, gone }) => [
            ...[name, mode, String(accepted + held + gone), String(held)],
          ]),
        ),
})

const printOne = ({ held_tools: heldTools, ...lock }: ShownLock): Printed => ({
  value: lock,
  lines: [
    `${lock.alias}: the lock is ${lock.mode}.`,
    ...(lock.tools.length === 0
      ? ['Its tools are not known yet: the server has not been reached.']
      : table(
          ['TOOL', 'STATE', 'HASH', 'ACCEPTED'],
          lock.tools.map(({ name, state, hash, accepted_hash: accepted }) => [
            ...[visible(name), state, short(hash), short(accepted)],
          ]),
        )),
    ...heldTools.flatMap((item) => ['', ...heldLines(lock.alias, item)]),
  ],
})

const heldLines = (of: string, { name, hash, accepted, difference }: ToolDifference): string[] => [
  `${visible(name)} is held: ${accepted === null ? 'it is new' : 'it has changed since it was accepted'}.`,
  ...drawDifference(difference),
  `To accept it: toolway lock accept ${of} ${JSON.stringify(name)} --hash ${hash}`,
]

interface Setting extends ConnectionArgument {
  readonly mode: LockMode
  readonly holdPresent?: boolean
  readonly acceptPresent?: boolean
  readonly trust?: boolean
}

const set = describeCommand({
  name: 'set',
  about: 'set the tool lock of a connection; turning it on accepts the current tools',
  arguments: [alias, new Argument('<mode>', 'changes that are accepted automatically').choices(LOCK_MODES)],
  options: [
    new Option('--hold-present', 'hold the current tools until each is accepted'),
    new Option('--accept-present', 'accept the current tools if the lock is already on'),
    new Option('--trust', 'trust what the server states about the effects of its tools'),
    new Option('--no-trust', 'do not trust what the server states about the effects of its tools').default(undefined),
  ],
  more: `
Modes:
  off           every change is accepted and recorded
  additions     new tools are accepted; any change to a known tool is held
  descriptions  new tools and new optional inputs are accepted; changes to what a model reads, and all other changes, are held
  all           everything is held, including new tools`,
  examples: ['toolway lock set docs descriptions', 'toolway lock set docs all --hold-present'],
  call({ call }, words: Setting) {
    const { mode, holdPresent = false, acceptPresent = false, trust: trusted } = words
    if (holdPresent && acceptPresent)
      throw new CommandFault('Use --accept-present or --hold-present, not both.', EXIT.usage)
    const present = holdPresent ? 'hold' : acceptPresent ? 'accept' : undefined
    return call(setToolLock, { params: paramsOf(words), body: { mode, trusted, present } }).catch(noConnection(words))
  },
  print(lock, { alias: name }) {
    const { mode, held, accepted } = lock
    const then =
      held > 0
        ? `${countWithNoun(held, 'tool is', 'tools are')} waiting for review: \`toolway lock show ${name}\`.`
        : `${countWithNoun(accepted, 'tool was', 'tools were')} accepted.`
    return { value: { alias: name, ...lock }, lines: [`The lock on ${name} is ${mode}. ${then}`] }
  },
})

interface Accepting extends NamedTool {
  readonly hash?: string
  readonly reject?: boolean
}

/** Without --hash the definition that is held now is meant. */
const accept = describeCommand({
  name: 'accept',
  about: 'accept a held tool',
  arguments: [alias, tool],
  options: [
    new Option('--hash <hash>', 'accept only if the tool still has this hash, as printed by `toolway lock show`'),
    new Option('--reject', 'reject instead: the tool stays held and needs no further review'),
  ],
  examples: ['toolway lock accept docs search', 'toolway lock accept docs search --reject'],
  async call(transport, words: Accepting) {
    const params = toolParams(words)
    await lockOf(transport, words)
    const hash = words.hash ?? (await heldHash(transport, words))
    return transport
      .call(words.reject === true ? rejectTool : acceptTool, { params, body: { hash } })
      .catch(noTool(words))
      .catch(
        rewordRefusal(
          `${words.tool} no longer has the hash ${short(hash)}: review it again with \`toolway lock show ${words.alias}\`.`,
          'request.stale',
        ),
      )
  },
  print: (locked, { alias: of, tool: name, reject = false }) => ({
    value: { alias: of, ...locked },
    lines: [`${name} ${reject ? 'stays held' : 'was accepted'} with hash ${short(locked.hash)}.`],
  }),
})

async function heldHash({ call }: Transport, words: NamedTool): Promise<string> {
  const { state, hash } = await call(getToolDifference, { params: toolParams(words) }).catch(noTool(words))
  if (state === 'held' || state === 'rejected') return hash
  throw new CommandFault(`${words.tool} is not held; \`toolway lock show ${words.alias}\` lists the held tools.`)
}

const trust = describeCommand({
  name: 'trust',
  about: 'trust a connection’s server to state the effects of its tools',
  arguments: [alias],
  options: [new Option('--off', 'stop trusting the server')],
  examples: ['toolway lock trust docs', 'toolway lock trust docs --off'],
  async call(transport, words: ConnectionArgument & { off?: boolean }) {
    const { mode } = await lockOf(transport, words)
    return transport.call(setToolLock, { params: paramsOf(words), body: { mode, trusted: words.off !== true } })
  },
  print: (lock, { alias: name }) => ({
    value: { alias: name, ...lock },
    lines: [
      lock.trusted
        ? `The effects stated by the server of ${name} are used from now on.`
        : `The server of ${name} is not trusted: its statements can only make a tool count as more dangerous.`,
    ],
  }),
})

const effect = describeCommand({
  name: 'effect',
  about: 'set the effect of a tool, regardless of what its server states',
  arguments: [
    alias,
    tool,
    new Argument('<effect>', 'stated: the effect that its server or connection states').choices([...EFFECTS, 'stated']),
  ],
  examples: ['toolway lock effect docs search read', 'toolway lock effect docs search stated'],
  async call(transport, words: NamedTool & { effect: Effect | 'stated' }) {
    await lockOf(transport, words)
    const newEffect = words.effect === 'stated' ? null : words.effect
    return transport.call(toggleTool, { params: toolParams(words), body: { effect: newEffect } }).catch(noTool(words))
  },
  print: (row, { alias: of, effect }) => ({
    value: { alias: of, ...row },
    lines: [
      effect === 'stated'
        ? `${row.name} now has the effect that its server or connection declares.`
        : `${row.name} now has the effect "${effect}".`,
    ],
  }),
})

async function presentOf(transport: Transport, { organization }: OrganizationOption): Promise<LockedConnection[]> {
  const locks = await listAll(transport, listToolLocks, { params: { organization } })
  return locks.map(({ alias: name, mode, tools }) => ({
    ...{ alias: name, lock: mode },
    tools: new Map(tools.map((item) => [item.name, item.hash])),
  }))
}

const exportFile = describeCommand({
  name: 'export',
  about: 'write the hashes of all tools to a file for review, or print them',
  arguments: [new Argument('[file]')],
  examples: ['toolway lock export', 'toolway lock export toolway.lock.json'],
  async call(transport, words: OrganizationOption & { file?: string }) {
    const connections = await presentOf(transport, words)
    const text = writeLockFile(connections)
    if (words.file !== undefined) await writeFile(words.file, text)
    return { text, tools: connections.reduce((sum, connection) => sum + connection.tools.size, 0) }
  },
  print: ({ text, tools }, { file }) =>
    file === undefined
      ? { value: JSON.parse(text), lines: [text.trimEnd()] }
      : { value: { file, tools }, lines: [`Wrote the hashes of ${countWithNoun(tools, 'tool')} to ${file}.`] },
})

async function readLocked(file: string): Promise<LockedConnection[]> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === 'ENOENT' ? 'there is no such file' : thrown.message
    throw new CommandFault(`${file} cannot be read: ${why}. \`toolway lock export ${file}\` creates one.`)
  })
  const locked = readLockFile(text)
  if (typeof locked === 'string') throw new CommandFault(`${file} is not a lock file: ${locked}.`)
  return locked
}

const check = describeCommand({
  name: 'check',
  about:
    'compare the last known tools of servers with a file; if they differ, list the differences and exit with code 1',
  arguments: [new Argument('<file>')],
  examples: ['toolway lock check toolway.lock.json'],
  async call(transport, words: OrganizationOption & { file: string }) {
    return driftOf(await readLocked(words.file), await presentOf(transport, words))
  },
  print: (drift, { file }) => ({
    value: { ok: drift.length === 0, drift },
    lines:
      drift.length === 0
        ? [`Everything matches ${file}.`]
        : [
            ...drift.map(wordOf),
            `${countWithNoun(drift.length, 'difference')} from ${file}. \`toolway lock export ${file}\` updates the file.`,
          ],
    code: drift.length === 0 ? EXIT.ok : EXIT.failed,
  }),
})

function wordOf({ connection, tool: name = '', drift, was, is }: Drift): string {
  const hashes = [was, is].filter((item) => item !== undefined)
  switch (drift) {
    case 'connection gone':
      return `${connection}: this connection no longer exists`
    case 'connection new':
      return `${connection}: this connection is not in the file`
    case 'lock':
      return `${connection}: the lock changed from ${was} to ${is}`
    default:
      return `${connection} ${visible(name)}: ${drift.slice('tool '.length)} (${hashes.map(short).join(' → ')})`
  }
}

export const lockCommand = (finish: Finish) =>
  groupOf('lock', 'hold changed tools for review', [show, set, accept, trust, effect, exportFile, check], finish)
