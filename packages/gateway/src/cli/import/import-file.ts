/**
 * `toolway import`: the servers of a client's settings file become connections. The file is read here; the gateway says what exists
 * already, makes the rest in one change, and can undo the last import. No value of a variable or a header is ever shown.
 */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { importConnections, undoImport, type Connection, type ImportedConnection } from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import type { LoadedConfig } from '../../config.ts'
import { openConfig } from '../open-config.ts'
import { describeCommand, type Printed } from '../command.ts'
import { CommandFault, EXIT, harmless, type Output } from '../terminal/output.ts'
import { readPassword } from '../terminal/terminal.ts'
import { Refusal, type Transport } from '../transport/transport.ts'
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { isContacted, waitUntilContacted } from '../connection/contact.ts'
import { withApprovals } from '../connection/expected-approvals.ts'
import { describeImport } from './describe-import.ts'
import { ImportFault, readMcpJson, type ImportedServer, type McpJsonImport } from './mcp-json.ts'

interface ImportWords {
  readonly organization: string
  readonly file?: string
  readonly input: readonly string[]
  readonly dryRun?: boolean
  readonly undo?: boolean
}

type Usable = Exclude<ImportedServer, { kind: 'unusable' }>

export const importCommand = describeCommand({
  name: 'import',
  about: "import the servers of a client's settings file (Claude, Cursor, VS Code, Codex and others)",
  arguments: [new Argument('[file]', 'the settings file')],
  options: [
    new Option('--input <pair>', 'value for an ${input:id} in the file: id=value; can be repeated')
      .argParser((value: string, before: string[]) => [...before, value])
      .default([]),
    new Option('--dry-run', 'only show what would be done'),
    new Option('--undo', 'undo the last import'),
  ],
  examples: [
    'toolway import ~/.cursor/mcp.json',
    'toolway import .vscode/mcp.json --input token=…',
    'toolway import ~/.codex/config.toml',
    'toolway import --undo',
  ],
  call(transport, words: ImportWords, output): Promise<Printed> {
    if (words.undo === true) return takeBack(transport, words.organization)
    if (words.file === undefined) throw new CommandFault('Specify a file to import, or use --undo.', EXIT.usage)
    return importFile(transport, { ...words, file: words.file }, output)
  },
  print: (printed) => printed,
})

async function importFile(
  transport: Transport,
  { organization, file, input, dryRun = false }: ImportWords & { readonly file: string },
  output: Output,
): Promise<Printed> {
  const read = await readerOf(file, `${transport.address}/mcp`)
  const inputs = Object.fromEntries(input.map(inputOf))
  const plan = read(dryRun ? inputs : { ...inputs, ...(await askFor(read(inputs).servers)) })
  const usable = plan.servers.filter(isUsable)
  const carryOut = async (only: boolean) => {
    if (usable.length === 0) return []
    const body = { source: file, connections: usable.map(connectionOf), dry_run: only }
    return (await transport.call(importConnections, { params: { organization }, body })).items
  }
  const items = new Map((await carryOut(true)).map((item, at) => [usable[at]?.name, item]))
  const named = plan.servers.map((server) => ({ ...server, alias: items.get(server.name)?.alias ?? server.alias }))
  const there = named.filter(({ name }) => items.get(name)?.exists === true)
  const fresh = named.filter((item) => !there.includes(item))
  for (const line of describeImport({ ...plan, servers: fresh })) output.progress(line)
  for (const { name, alias } of there) output.progress(`${name}: already exists as ${alias}, skipped`)
  const added = dryRun ? [] : (await carryOut(false)).flatMap(({ alias, exists }) => (exists ? [] : [alias]))
  const skipped = there.map(({ alias }) => alias)
  const left = plan.servers.length - usable.length
  const line = dryRun
    ? 'Nothing was changed (--dry-run).'
    : `Added ${added.length} of ${plan.servers.length}${there.length === 0 ? '' : `, ${there.length} already present`}. \`toolway import --undo\` removes the added connections.`
  const code = left > 0 && usable.length === there.length ? EXIT.failed : EXIT.ok
  const waiting = await awaitAll(transport, organization, added, output)
  const printed = { value: { added, skipped, left, dryRun }, lines: [line, ...waiting], code }
  return withApprovals(transport, { organization, aliases: added }, printed, output)
}

/** Waits until the running gateway has contacted each connection; the lines name those that it could not use. */
async function awaitAll(
  transport: Transport,
  organization: string,
  aliases: readonly string[],
  output: Output,
): Promise<string[]> {
  if (aliases.length === 0 || !(await transport.isServing())) return []
  output.progress(`Connecting to ${countWithNoun(aliases.length, 'server')} …`)
  const found = await waitUntilContacted(transport, { organization, aliases })
  const isAway = (item: Connection) =>
    item.enabled && item.status !== 'connected' && !(item.status === 'new' && isContacted(item))
  const away = found.filter(isAway).map(({ alias }) => alias)
  if (away.length === 0) return []
  return [`Not connected yet: ${away.join(', ')}. \`toolway connection list\` shows the reasons.`]
}

const isUsable = (server: ImportedServer): server is Usable =>
  server.kind !== 'unusable' && server.problems.length === 0

/** The value may be a secret, so the message does not repeat it. */
function inputOf(pair: string): [string, string] {
  const at = pair.indexOf('=')
  if (at < 1) throw new CommandFault('An --input value has no "=": use --input id=value.', EXIT.usage)
  return [pair.slice(0, at), pair.slice(at + 1)]
}

type Values = Readonly<Record<string, string>>

/** Reads the file once, and its servers with the values that are given. Throws CommandFault. */
async function readerOf(file: string, gateway: string): Promise<(inputs: Values) => McpJsonImport> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    throw new CommandFault(`${file} cannot be read (${thrown.code}): check the path.`, EXIT.usage)
  })
  const { lookup } = await openConfig()
  return (inputs) => {
    try {
      return readMcpJson(text, { home: homedir(), inputs, variables: environmentOf(inputs, lookup), gateway })
    } catch (thrown) {
      throw thrown instanceof ImportFault ? new CommandFault(thrown.message, EXIT.usage) : thrown
    }
  }
}

/** Values of inputs and variables that the file names and nobody gave; empty where there is no terminal to ask at. */
async function askFor(servers: readonly ImportedServer[]): Promise<Record<string, string>> {
  if (!process.stdin.isTTY) return {}
  const names = new Set(servers.flatMap(({ problems }) => problems.flatMap(({ asks }) => asks ?? [])))
  const inputs: Record<string, string> = {}
  for (const name of names) {
    const value = await readPassword(`Value of ${harmless(name)} (leave empty to skip the servers that need it)`, false)
    if (value !== '') inputs[name] = value
  }
  return inputs
}

/** `${VAR}` of a settings file means what was said for it, or the person's environment; a look-up hands out only what is asked for. */
function environmentOf(input: Values, find: LoadedConfig['lookup']): Record<string, string> {
  const lookup = (name: string | symbol) => (Object.hasOwn(input, name) ? input[String(name)] : find(String(name)))
  return new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => lookup(name),
      has: (_, name) => lookup(name) !== undefined,
      getOwnPropertyDescriptor: (_, name) => {
        const value = lookup(name)
        return value === undefined ? undefined : { value, configurable: true, enumerable: true }
      },
    },
  )
}

function connectionOf(server: Usable): ImportedConnection {
  const { alias, enabled, tools } = server
  const common = {
    alias,
    enabled,
    ...(tools === undefined ? {} : { tools }),
    title: harmless(server.name).trim().slice(0, 100) || alias,
  }
  if (server.kind === 'http') return { ...common, url: server.url, headers: server.headers }
  const { command, args, environment, secretArguments } = server
  return { ...common, command, args, environment, secret_args: secretArguments }
}

async function takeBack({ call }: Transport, organization: string): Promise<Printed> {
  const undone = await call(undoImport, { params: { organization } }).catch((thrown: unknown) => {
    throw thrown instanceof Refusal && thrown.is('thing.unknown')
      ? new CommandFault('There is no import to undo.')
      : thrown
  })
  const removed = undone.aliases.join(', ') || 'nothing, since none of its connections are left'
  return { value: undone, lines: [`Undid the import of ${undone.source}: removed ${removed}.`] }
}
