/**
 * `toolway import`: the servers of a client's settings file become connections. It says what it will do, does it, and can
 * take the last import back. No value of a variable or a header is ever shown.
 */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { newId, TIMEOUTS, type ImportId } from '@toolway/contract'
import { z } from 'zod'
import { partsOf, sealerOf, shownOf, type ConnectionWords } from '../../kinds/kinds.ts'
import { sealedRow } from '../../call/snapshot.ts'
import { addConnection, listConnections } from '../../connections/connections.ts'
import { listSpentAliases } from '../../connections/spent-aliases.ts'
import type { OrgSql } from '../../db/db.ts'
import { describeImport } from './describe-import.ts'
import { ImportFault, readMcpJson, type ImportedServer } from './mcp-json.ts'
import { apart, heldReaches } from './already-there.ts'
import { readPassword } from '../terminal/terminal.ts'
import { CommandFault, EXIT, harmless, type Output } from '../terminal/output.ts'
import { recordChange } from '../../records/change.ts'
import { ownActor } from '../own-actor.ts'
import { addressOf, withStore, type Opened } from '../store.ts'
import { serverOf } from '../../kinds/http/http.ts'
import { programOf } from '../../kinds/stdio/stdio.ts'
import { maskArguments } from '../../lib/secret-marks.ts'

export interface ImportWords {
  readonly organization: string
  readonly file: string
  readonly inputs: Readonly<Record<string, string>>
  readonly dryRun: boolean
}

type Usable = Exclude<ImportedServer, { kind: 'unusable' }>

export const importFile = ({ organization, file, inputs, dryRun }: ImportWords, output: Output): Promise<number> =>
  withStore(organization, async (opened) => {
    const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
      throw new CommandFault(`${file} cannot be read (${thrown.code}): check the path.`, EXIT.usage)
    })
    const held = await opened.db.organization(opened.organization.id, listConnections)
    const gateway = `${await addressOf(opened.loaded)}/mcp`
    const readWith = (values: Readonly<Record<string, string>>, spent: readonly string[] = []) =>
      read(text, {
        home: homedir(),
        inputs: values,
        variables: environmentOf(opened, values),
        gateway,
        takenAliases: [...held.map(({ alias }) => alias), ...spent],
      })
    const first = readWith(inputs)
    const values = dryRun ? inputs : { ...inputs, ...(await askFor(first.servers)) }
    const said = readWith(values)
    const spent = await spentIn(opened, said.servers)
    const plan = spent.length === 0 ? said : readWith(values, spent)
    const { fresh, there } = apart(plan.servers, heldReaches(held, opened.vault.open))
    for (const line of describeImport({ ...plan, servers: fresh })) output.progress(line)
    for (const { server, alias } of there)
      output.progress(`${harmless(server.name)}: already there as ${alias}, skipped`)
    const usable = fresh.filter(isUsable)
    const left = fresh.length - usable.length
    if (!dryRun && usable.length > 0) await carryOut(opened, file, usable)
    const added = dryRun ? [] : usable.map(({ alias }) => alias)
    const skipped = there.map(({ alias }) => alias)
    const words = dryRun
      ? 'Nothing was changed (--dry-run).'
      : `Added ${added.length} of ${plan.servers.length}${there.length === 0 ? '' : `, ${there.length} already there`}. \`toolway import --undo\` takes it back.`
    output.result({ added, skipped, left, dryRun }, [words])
    return left > 0 && usable.length === 0 ? EXIT.failed : EXIT.ok
  })

const isUsable = (server: ImportedServer): server is Usable =>
  server.kind !== 'unusable' && server.problems.length === 0

/** Values of inputs and variables that the file names and nobody gave; empty where there is no terminal to ask at. */
async function askFor(servers: readonly ImportedServer[]): Promise<Record<string, string>> {
  if (!process.stdin.isTTY) return {}
  const names = new Set(servers.flatMap(({ problems }) => problems.flatMap(({ asks }) => asks ?? [])))
  const said: Record<string, string> = {}
  for (const name of names) {
    const value = await readPassword(`Value of ${harmless(name)} (empty: leave out what needs it)`, false)
    if (value !== '') said[name] = value
  }
  return said
}

function read(text: string, options: Parameters<typeof readMcpJson>[1]) {
  try {
    return readMcpJson(text, options)
  } catch (thrown) {
    throw thrown instanceof ImportFault ? new CommandFault(thrown.message, EXIT.usage) : thrown
  }
}

/** Aliases of removed connections that a server of this file would get, although it is another one. */
async function spentIn({ db, organization }: Opened, servers: readonly ImportedServer[]): Promise<string[]> {
  const usable = servers.filter(isUsable)
  if (usable.length === 0) return []
  return db.organization(organization.id, async (sql) => {
    const spent: string[] = []
    for (const server of usable) {
      const others = await listSpentAliases(sql, partsOf(connectionOf(server)).settings)
      if (others.includes(server.alias)) spent.push(...others)
    }
    return [...new Set(spent)]
  })
}

/** `${VAR}` of a settings file means what was said for it, or the person's environment; a look-up hands out only what is asked for. */
function environmentOf({ loaded }: Opened, said: Readonly<Record<string, string>>): Record<string, string> {
  const lookup = (name: string | symbol) =>
    Object.hasOwn(said, name) ? said[String(name)] : loaded.lookup(String(name))
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

const Nothing = z.object({})

async function carryOut({ db, vault, organization }: Opened, file: string, servers: readonly Usable[]): Promise<void> {
  const importId = newId('imp')
  await db.organization(organization.id, async (sql) => {
    const summary = JSON.stringify({ aliases: servers.map(({ alias }) => alias) })
    await sql(
      Nothing,
    )`insert into imports (id, organization_id, source, summary) values (${importId}, ${organization.id}, ${file}, ${summary})`
    for (const server of servers) await addServer(sql, organization.id, importId, server, vault.seal)
    const detail = { aliases: servers.map(({ alias }) => alias) }
    const record = { action: 'connection.import', resource: 'import', id: importId, detail }
    await recordChange(sql, ownActor(), organization.id, record)
  })
}

async function addServer(
  sql: OrgSql,
  organizationId: Opened['organization']['id'],
  importId: ImportId,
  server: Usable,
  seal: Opened['vault']['seal'],
) {
  const { alias, name, enabled } = server
  const { settings, secrets } = partsOf(connectionOf(server))
  const id = await addConnection(sql, {
    organizationId,
    alias,
    title: harmless(name),
    settings,
    enabled,
    origin: 'import',
    importId,
    seal: sealerOf(secrets, seal, sealedRow),
  })
  if (id === undefined)
    throw new CommandFault(`The alias "${alias}" was taken meanwhile; nothing was added. Import again.`)
}

function connectionOf(server: Usable): ConnectionWords {
  const wire =
    server.kind === 'http'
      ? serverOf({ url: server.url, headers: server.headers })
      : programOf(server.command, server.args, server.environment)
  const shown = server.kind === 'http' ? shownOf(wire) : { args: maskedArgs(server) }
  return { revision: 'auto', timeout: TIMEOUTS[server.kind], wire, shown }
}

function maskedArgs({ args, secretArguments }: Extract<Usable, { kind: 'process' }>): string[] {
  const masked = maskArguments(args)
  return args.map((arg, at) => (secretArguments.includes(at) && masked[at] === arg ? '***' : (masked[at] ?? arg)))
}

const Import = z.object({ id: z.string(), source: z.string() })
const Removed = z.object({ alias: z.string() })

export const undoImport = (slug: string, output: Output): Promise<number> =>
  withStore(slug, async ({ db, organization }) => {
    const undone = await db.organization(organization.id, async (sql) => {
      const [last] = await sql(
        Import,
      )`select id, source from imports where undone_at is null order by created_at desc, id desc limit 1`
      if (last === undefined) return undefined
      const removed = await sql(Removed)`delete from connections where import_id = ${last.id} returning alias`
      await sql(Import)`update imports set undone_at = now() where id = ${last.id}`
      const aliases = removed.map(({ alias }) => alias)
      const record = { action: 'connection.import-undo', resource: 'import', id: last.id, detail: { aliases } }
      await recordChange(sql, ownActor(), organization.id, record)
      return { source: last.source, aliases }
    })
    if (undone === undefined) throw new CommandFault('There is no import to take back.')
    output.result(undone, [
      `Took back the import of ${undone.source}: removed ${undone.aliases.join(', ') || 'nothing that was left of it'}.`,
    ])
    return EXIT.ok
  })
