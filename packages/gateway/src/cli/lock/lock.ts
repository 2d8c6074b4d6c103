/** `toolway lock …`: the lock on the tools of connections, and what tools do. */
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
import { described, groupOf, type Finish, type Printed } from '../command.ts'
import { CommandFault, EXIT, table } from '../terminal/output.ts'
import { listAll, reworded, type Transport } from '../transport/transport.ts'
import { drawDifference } from './draw-difference.ts'
import { driftOf, readLockFile, writeLockFile, type Drift, type LockedConnection } from './lock-file.ts'

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
const tool = new Argument('<tool>', 'the name that its server gives it')

const paramsOf = ({ organization, alias: connection }: ConnectionArgument) => ({ organization, connection })
const toolParams = (words: NamedTool) => ({ ...paramsOf(words), tool: words.tool })
const short = (hash: string | null): string => hash?.slice(0, 12) ?? '-'

const lockOf = ({ call }: Transport, words: ConnectionArgument): Promise<ToolLock> =>
  call(getToolLock, { params: paramsOf(words) }).catch(noConnection(words))
const noConnection = (words: ConnectionArgument) =>
  reworded(`There is no connection "${words.alias}"; \`toolway connection list\` shows them.`, 'thing.unknown')
const noTool = (words: NamedTool) =>
  reworded(
    `${words.alias} has no tool "${words.tool}"; \`toolway lock show ${words.alias}\` shows them.`,
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
  const held: ToolDifference[] = []
  for (const { name, state } of tools)
    if (state === 'held' || state === 'rejected')
      held.push(await transport.call(getToolDifference, { params: { ...params, tool: name } }))
  return { alias: words.alias, ...lock, tools, held_tools: held }
}

const show = described({
  name: 'show',
  about: 'show the locks; of one connection, its tools and what changed in those that are held',
  arguments: [new Argument('[alias]')],
  examples: ['toolway lock show', 'toolway lock show docs'],
  async call(transport, words: OrganizationOption & { alias?: string }) {
    const { alias: name, organization } = words
    return name === undefined
      ? (await transport.call(listToolLocks, { params: { organization } })).items
      : showOne(transport, { organization, alias: name })
  },
  print: (shown) => ('alias' in shown ? printOne(shown) : printAll(shown)),
})

type Locks = (ToolLock & { readonly alias: string })[]
const printAll = (locks: Locks): Printed => ({
  value: locks,
  lines:
    locks.length === 0
      ? ['No connections yet: `toolway connection add --help`.']
      : table(
          ['ALIAS', 'LOCK', 'TOOLS', 'HELD'],
          locks.map(({ alias: name, mode, accepted, held, gone }) => [
            ...[name, mode, String(accepted + held + gone), String(held)],
          ]),
        ),
})

const printOne = ({ held_tools: held, ...lock }: ShownLock): Printed => ({
  value: lock,
  lines: [
    `${lock.alias}: the lock is ${lock.mode}.`,
    ...(lock.tools.length === 0
      ? ['Nothing is known of its tools yet: it was not reached.']
      : table(
          ['TOOL', 'STATE', 'HASH', 'ACCEPTED'],
          lock.tools.map(({ name, state, hash, accepted_hash: accepted }) => [
            ...[visible(name), state, short(hash), short(accepted)],
          ]),
        )),
    ...held.flatMap((one) => ['', ...heldLines(lock.alias, one)]),
  ],
})

const heldLines = (of: string, { name, hash, accepted, difference }: ToolDifference): string[] => [
  `${visible(name)} is held: ${accepted === null ? 'it is new' : 'it is another than was accepted'}.`,
  ...drawDifference(difference),
  `To let it in: toolway lock accept ${of} ${JSON.stringify(name)} --hash ${hash}`,
]

interface Setting extends ConnectionArgument {
  readonly mode: LockMode
  readonly holdPresent?: boolean
  readonly acceptPresent?: boolean
  readonly trust?: boolean
}

const set = described({
  name: 'set',
  about: 'set the lock of a connection; turned on, it accepts the tools that are there now',
  arguments: [alias, new Argument('<mode>', 'what comes in by itself').choices(LOCK_MODES)],
  options: [
    new Option('--hold-present', 'hold the tools that are there now, until each is accepted'),
    new Option('--accept-present', 'accept the tools that are there now, where the lock is on already'),
    new Option('--trust', 'believe what its server says of the effects of its tools'),
    new Option('--no-trust', 'do not').default(undefined),
  ],
  more: `
Modes:
  off           every change comes in, and is on record
  additions     new tools come in; any change of a known one is held
  descriptions  new tools and new optional inputs come in; what a model reads, and any other change, is held
  all           everything is held, new tools too`,
  examples: ['toolway lock set docs descriptions', 'toolway lock set docs all --hold-present'],
  call({ call }, words: Setting) {
    const { mode, holdPresent = false, acceptPresent = false, trust: trusted } = words
    if (holdPresent && acceptPresent)
      throw new CommandFault('Say --accept-present or --hold-present, not both.', EXIT.usage)
    const present = holdPresent ? 'hold' : acceptPresent ? 'accept' : undefined
    return call(setToolLock, { params: paramsOf(words), body: { mode, trusted, present } }).catch(noConnection(words))
  },
  print(lock, { alias: name }) {
    const { mode, held, accepted } = lock
    const then =
      held > 0
        ? `${held} tools wait for a look: \`toolway lock show ${name}\`.`
        : `${accepted} tools are accepted as they are.`
    return { value: { alias: name, ...lock }, lines: [`The lock of ${name} is ${mode}. ${then}`] }
  },
})

interface Accepting extends NamedTool {
  readonly hash?: string
  readonly reject?: boolean
}

/** Without --hash the definition that is held now is meant. */
const accept = described({
  name: 'accept',
  about: 'let a tool in that is held',
  arguments: [alias, tool],
  options: [
    new Option('--hash <hash>', 'only if it is still the one that you looked at, as `toolway lock show` prints it'),
    new Option('--reject', 'say no instead: it stays held, and nobody needs to look at it again'),
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
        reworded(
          `${words.tool} is another one by now than ${short(hash)}: look at it again with \`toolway lock show ${words.alias}\`.`,
          'request.stale',
        ),
      )
  },
  print: (locked, { alias: of, tool: name, reject = false }) => ({
    value: { alias: of, ...locked },
    lines: [`${name} ${reject ? 'stays held' : 'is let in'}, as ${short(locked.hash)}.`],
  }),
})

async function heldHash({ call }: Transport, words: NamedTool): Promise<string> {
  const { state, hash } = await call(getToolDifference, { params: toolParams(words) }).catch(noTool(words))
  if (state === 'held' || state === 'rejected') return hash
  throw new CommandFault(`${words.tool} is not held; \`toolway lock show ${words.alias}\` shows what is.`)
}

const trust = described({
  name: 'trust',
  about: 'believe what the server of a connection says of the effects of its tools',
  arguments: [alias],
  options: [new Option('--off', 'do not believe it any more')],
  examples: ['toolway lock trust docs', 'toolway lock trust docs --off'],
  async call(transport, words: ConnectionArgument & { off?: boolean }) {
    const { mode } = await lockOf(transport, words)
    return transport.call(setToolLock, { params: paramsOf(words), body: { mode, trusted: words.off !== true } })
  },
  print: (lock, { alias: name }) => ({
    value: { alias: name, ...lock },
    lines: [
      lock.trusted
        ? `The effects that the server of ${name} states count from now on.`
        : `The server of ${name} is not trusted: what it states can only make a tool more dangerous.`,
    ],
  }),
})

const effect = described({
  name: 'effect',
  about: 'say what a tool does, whatever its server says',
  arguments: [
    alias,
    tool,
    new Argument('<effect>', 'stated: as its server or connection says').choices([...EFFECTS, 'stated']),
  ],
  examples: ['toolway lock effect docs search read', 'toolway lock effect docs search stated'],
  async call(transport, words: NamedTool & { effect: Effect | 'stated' }) {
    await lockOf(transport, words)
    const said = words.effect === 'stated' ? null : words.effect
    return transport.call(toggleTool, { params: toolParams(words), body: { effect: said } }).catch(noTool(words))
  },
  print: (row, { alias: of, effect: said }) => ({
    value: { alias: of, ...row },
    lines: [
      said === 'stated'
        ? `What ${row.name} does is as its server or connection says.`
        : `${row.name} counts as ${said}.`,
    ],
  }),
})

async function presentOf({ call }: Transport, { organization }: OrganizationOption): Promise<LockedConnection[]> {
  const { items } = await call(listToolLocks, { params: { organization } })
  return items.map(({ alias: name, mode, tools }) => ({
    ...{ alias: name, lock: mode },
    tools: new Map(tools.map((one) => [one.name, one.hash])),
  }))
}

const exportFile = described({
  name: 'export',
  about: 'write the hashes of all tools to a file that can be reviewed and kept; without one, print them',
  arguments: [new Argument('[file]')],
  examples: ['toolway lock export', 'toolway lock export toolway.lock.json'],
  async call(transport, words: OrganizationOption & { file?: string }) {
    const connections = await presentOf(transport, words)
    const text = writeLockFile(connections)
    if (words.file !== undefined) await writeFile(words.file, text)
    return { text, tools: connections.reduce((sum, one) => sum + one.tools.size, 0) }
  },
  print: ({ text, tools }, { file }) =>
    file === undefined
      ? { value: JSON.parse(text), lines: [text.trimEnd()] }
      : { value: { file, tools }, lines: [`Wrote the hashes of ${tools} tools to ${file}.`] },
})

async function readLocked(file: string): Promise<LockedConnection[]> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === 'ENOENT' ? 'there is no such file' : thrown.message
    throw new CommandFault(`${file} cannot be read: ${why}. \`toolway lock export ${file}\` makes one.`)
  })
  const locked = readLockFile(text)
  if (typeof locked === 'string') throw new CommandFault(`${file} is no lock file: ${locked}.`)
  return locked
}

const check = described({
  name: 'check',
  about: 'compare what servers list now, as last known, with a file; 1 and the differences where it drifted',
  arguments: [new Argument('<file>')],
  examples: ['toolway lock check toolway.lock.json'],
  async call(transport, words: OrganizationOption & { file: string }) {
    return driftOf(await readLocked(words.file), await presentOf(transport, words))
  },
  print: (drift, { file }) => ({
    value: { ok: drift.length === 0, drift },
    lines:
      drift.length === 0
        ? [`Everything is as ${file} says.`]
        : [
            ...drift.map(wordOf),
            `${drift.length} ${drift.length === 1 ? 'thing is' : 'things are'} not as ${file} says. \`toolway lock export ${file}\` takes them over.`,
          ],
    code: drift.length === 0 ? EXIT.ok : EXIT.failed,
  }),
})

function wordOf({ connection, tool: name = '', drift, was, is }: Drift): string {
  const hashes = [was, is].filter((one) => one !== undefined)
  switch (drift) {
    case 'connection gone':
      return `${connection}: there is no such connection any more`
    case 'connection new':
      return `${connection}: this connection is not in the file`
    case 'lock':
      return `${connection}: the lock is ${is}, and was ${was}`
    default:
      return `${connection} ${visible(name)}: ${drift.slice('tool '.length)} (${hashes.map(short).join(' → ')})`
  }
}

export const lockCommand = (finish: Finish) =>
  groupOf(
    'lock',
    'hold what servers change in their tools until somebody has looked',
    [show, set, accept, trust, effect, exportFile, check],
    finish,
  )
