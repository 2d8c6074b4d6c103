/** `toolway connection …`: add, list, remove, restart and test connections of an organization. */
import { join } from 'node:path'
import {
  runsHere,
  mayHaveAccounts,
  Alias,
  Fault,
  TIMEOUTS,
  type ConnectionSettings,
  type ContractWords,
  type Revision,
} from '@toolway/contract'
import { z } from 'zod'
import { partsOf, sealerOf, shownOf, type ConnectionWords } from '../kinds/kinds.ts'
import { createDocuments } from '../call/openapi/documents.ts'
import { createSnapshot, sealedRow, type Snapshot } from '../call/snapshot.ts'
import { listCatalogs } from '../catalog/catalogs.ts'
import {
  addConnection,
  findConnection,
  listConnections,
  removeConnection,
  restartConnection,
  type ConnectionRow,
} from '../connections/connections.ts'
import { applyNetwork } from '../compose/network.ts'
import { takesOver } from '../connections/spent-aliases.ts'
import { loadConfig } from '../config.ts'
import { storeOffer } from '../jobs/store-offer.ts'
import { fetchOffer, type Offer } from '../jobs/sync-catalog.ts'
import { createChildren } from '../upstreams/children/worker-link.ts'
import { createUpstreams } from '../upstreams/upstreams.ts'
import { CommandFault, EXIT, harmless, table, type Output } from './terminal/output.ts'
import { recordChange } from '../records/change.ts'
import { maskCommand } from '../lib/secret-marks.ts'
import { authOf, type AuthWords } from './accounts/auth-words.ts'
import { keptCredentials } from './accounts/store-keeping.ts'
import { ownActor } from './own-actor.ts'
import { pairsOf } from './terminal/secret-words.ts'
import { addressOf, isRunning, withStore, type Opened } from './store.ts'

export interface AddWords extends AuthWords {
  readonly organization: string
  readonly alias: string
  readonly title?: string | undefined
  readonly url?: string | undefined
  readonly contract?: string | undefined
  readonly orgId?: string | undefined
  readonly sideEffects?: boolean | undefined
  readonly allow?: readonly string[] | undefined
  readonly onBehalf?: boolean | undefined
  readonly header: readonly string[]
  readonly headerFrom?: string | undefined
  readonly env: readonly string[]
  readonly envFrom?: string | undefined
  readonly command: readonly string[]
  readonly revision: string
  readonly timeout?: number | undefined
  /** Of `--openapi`, which is another command. */
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  readonly effect?: readonly string[] | undefined
  readonly keyIn?: string | undefined
  readonly preview?: boolean | undefined
}

const ORIGIN = 'command line'

export async function add(words: AddWords, output: Output): Promise<number> {
  if (!Alias.safeParse(words.alias).success)
    throw new CommandFault(
      `"${words.alias}" is no alias: it starts with a-z, has at most 31 characters of a-z, 0-9, _ and -, no __ and no _ at its end.`,
      EXIT.usage,
    )
  refuseOfDocuments(words)
  const connection = await wordsOf(words, output)
  return withStore(words.organization, async (opened) => {
    const { db, organization, vault } = opened
    const { settings, secrets } = parts(connection)
    const id = await db.organization(organization.id, async (sql) => {
      const added = await addConnection(sql, {
        organizationId: organization.id,
        alias: words.alias,
        title: words.title ?? words.alias,
        settings,
        enabled: true,
        origin: ORIGIN,
        seal: sealerOf(secrets, vault.seal, sealedRow),
      })
      if (added === undefined) return undefined
      const taken = await takesOver(sql, words.alias, settings)
      if (taken.takes_over === true)
        output.progress(`Clients that know tools of the former connection "${words.alias}" reach this one from now on.`)
      const detail = { alias: words.alias, connector: settings.connector, ...taken }
      const record = { action: 'connection.add', resource: 'connection', id: added, detail }
      await recordChange(sql, ownActor(), organization.id, record)
      return added
    })
    if (id === undefined)
      throw new CommandFault(`The alias "${words.alias}" is taken: choose another, or remove that connection first.`)
    return report(opened, words.alias, 'Added', output)
  })
}

/** What would go nowhere is refused: whoever says it means it to have an effect. */
function refuseOfDocuments({ include = [], exclude = [], effect = [], keyIn, preview }: AddWords): void {
  if (include.length + exclude.length + effect.length === 0 && keyIn === undefined && preview === undefined) return
  throw new CommandFault('--include, --exclude, --effect, --key-in and --preview are for --openapi.', EXIT.usage)
}

/** Its faults worded for a command line. */
export function parts(connection: ConnectionWords) {
  try {
    return partsOf(connection)
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    const { place = '', problem = thrown.message } = thrown.facts
    throw new CommandFault(`The ${String(place).slice(1)} of this connection does not fit: ${problem}.`, EXIT.usage)
  }
}

async function wordsOf(words: AddWords, output: Output): Promise<ConnectionWords> {
  const { contract, header, headerFrom, env, envFrom, command, revision, timeout } = words
  const url = words.url ?? contract
  const { lookup } = loadConfig()
  const pin = revision as ConnectionWords['revision']
  const [program, ...args] = command
  if ([words.url, contract, program].filter((one) => one !== undefined).length !== 1) {
    throw new CommandFault(
      'Say either --url ADDRESS for a remote server or -- COMMAND ARGUMENTS for one that is started here; --openapi DOCUMENT is for a REST server, and --contract ADDRESS for a backend that describes its functions.',
      EXIT.usage,
    )
  }
  // What would go nowhere is refused: whoever says it means it to have an effect.
  if (url !== undefined && (env.length > 0 || envFrom !== undefined))
    throw new CommandFault('--env is for a server that is started here; a remote one takes --header.', EXIT.usage)
  if (url === undefined && (header.length > 0 || headerFrom !== undefined))
    throw new CommandFault('--header is for a remote server; one that is started here takes --env.', EXIT.usage)
  const auth = authOf(words)
  if (url === undefined && auth !== undefined)
    throw new CommandFault(
      '--auth and what belongs to it are for a remote server; one that is started here takes --env.',
      EXIT.usage,
    )
  if (contract !== undefined && auth !== undefined)
    throw new CommandFault(
      '--auth and what belongs to it are for MCP servers; a contract backend takes --header.',
      EXIT.usage,
    )
  const contractWords = contractWordsIn(words)
  if (contract === undefined && Object.keys(contractWords).length > 0)
    throw new CommandFault('--org-id, --side-effects, --allow and --on-behalf are for --contract.', EXIT.usage)
  const pairs = () => pairsOf({ option: '--header', said: header, file: headerFrom }, lookup, output)
  const wire: ConnectionWords['wire'] =
    contract !== undefined
      ? { kind: 'contract', url: contract, headers: await pairs(), words: contractWords }
      : url === undefined
        ? {
            kind: 'process',
            command: program ?? '',
            args,
            environment: await pairsOf({ option: '--env', said: env, file: envFrom }, lookup, output),
          }
        : {
            kind: 'http',
            url,
            headers: await pairs(),
            ...(auth === undefined ? {} : { auth }),
          }
  const shown = shownOf(
    wire.kind === 'process' ? { ...wire, args: [...wire.args], environment: {} } : { ...wire, headers: {} },
  )
  return { revision: pin, timeout: timeout ?? TIMEOUTS[wire.kind], wire, shown }
}

const contractWordsIn = ({ orgId, sideEffects, allow = [], onBehalf }: AddWords): ContractWords => ({
  ...(orgId === undefined ? {} : { organization: orgId }),
  ...(sideEffects === undefined ? {} : { side_effects: sideEffects }),
  ...(allow.length === 0 ? {} : { allows: [...allow] }),
  ...(onBehalf === undefined ? {} : { on_behalf: onBehalf }),
})

const WAIT_MS = 60_000
const LOOK_EVERY = 300

/** Wait until the running gateway has been there, and say how it went. */
export async function report(
  { db, organization, loaded }: Opened,
  alias: string,
  done: 'Added' | 'Restarted' | 'Refreshed',
  output: Output,
): Promise<number> {
  if (!(await isRunning(await addressOf(loaded)))) {
    output.result({ alias, status: 'new' }, [
      `${done} ${alias}. No gateway is running here; it connects when one starts.`,
    ])
    return EXIT.ok
  }
  output.progress(`${done} ${alias}. Connecting …`)
  for (const until = Date.now() + WAIT_MS; Date.now() < until;) {
    const found = await db.organization(organization.id, async (sql) => {
      const connection = await findConnection(sql, alias)
      const catalogs = await listCatalogs(sql)
      return { connection, catalog: catalogs.find(({ connection_id }) => connection_id === connection?.id) }
    })
    const { status, status_reason: reason } = found.connection ?? { status: 'removed', status_reason: null }
    const tools = found.catalog?.tools?.length ?? 0
    if (status === 'connected') {
      output.result({ alias, status, tools, revision: found.catalog?.revision }, [
        `${alias} is connected: ${tools} tools, protocol ${found.catalog?.revision}.`,
      ])
      return EXIT.ok
    }
    if (status !== 'new') {
      output.result({ alias, status, reason }, [
        status === 'needs_auth' && found.connection !== undefined && takesAccounts(found.connection)
          ? `${alias} is kept. Its server asks for an account: ${loginOf(found.connection)}`
          : `${alias} is kept, but: ${reason ?? status} \`toolway connection test ${alias}\` looks closer.`,
      ])
      return EXIT.failed
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY))
  }
  output.result({ alias, status: 'new' }, [
    `${alias} is kept and still connecting; \`toolway connection list\` shows how it went.`,
  ])
  return EXIT.ok
}

const loginOf = ({ alias, settings }: ConnectionRow): string => {
  const owners: readonly string[] = mayHaveAccounts(settings) ? settings.auth.owners : []
  const command = `toolway connection login ${alias}`
  if (!owners.includes('organization')) return `\`${command}\` connects yours.`
  return owners.includes('member')
    ? `\`${command}\` connects yours, with --shared one for everybody.`
    : `\`${command} --shared\` connects one for everybody.`
}

/** Whether people may connect accounts to it; a key of its own in a header is another matter. */
const takesAccounts = ({ settings }: ConnectionRow): boolean =>
  mayHaveAccounts(settings) && settings.auth.kind !== 'none' && /^https?:/.test(settings.url)

export const list = (organization: string, output: Output): Promise<number> =>
  withStore(organization, async (opened) => {
    const { connections, catalogs } = await opened.db.organization(opened.organization.id, async (sql) => ({
      connections: await listConnections(sql),
      catalogs: new Map((await listCatalogs(sql)).map((catalog) => [catalog.connection_id, catalog])),
    }))
    const values = connections.map(({ id, alias, title, settings, enabled, status, status_reason: reason, origin }) => {
      const catalog = catalogs.get(id)
      return {
        alias,
        title,
        reaches: reachOf(settings),
        status: enabled ? status : 'disabled',
        tools: catalog?.tools?.length ?? 0,
        revision: catalog?.revision ?? null,
        stale: catalog?.stale_reason ?? null,
        reason,
        origin,
      }
    })
    const rows = values.map(({ alias, status, tools, revision, reaches, reason }) => [
      alias,
      status,
      String(tools),
      revision ?? '-',
      reason === null ? reaches : `${reaches}  (${reason})`,
    ])
    output.result(
      values,
      values.length === 0
        ? ['No connections yet: `toolway connection add --help`.']
        : table(['ALIAS', 'STATUS', 'TOOLS', 'PROTOCOL', 'REACHES'], rows),
    )
    return EXIT.ok
  })

export const reachOf = (settings: ConnectionSettings): string =>
  runsHere(settings) ? [maskCommand(settings.command), ...settings.args].join(' ') : settings.url

export const remove = (organization: string, alias: string, output: Output): Promise<number> =>
  withStore(organization, async (opened) => {
    const { db } = opened
    const held = await db.organization(opened.organization.id, (sql) => findConnection(sql, alias))
    if (held === undefined)
      throw new CommandFault(`There is no connection "${alias}"; \`toolway connection list\` shows them.`)
    if (held.origin === 'file')
      throw new CommandFault(`The connection "${alias}" is declared in the file of TOOLWAY_CONFIG: remove it there.`)
    await db.organization(opened.organization.id, async (sql) => {
      await removeConnection(sql, alias)
      const record = { action: 'connection.remove', resource: 'connection', id: held.id, detail: { alias } }
      await recordChange(sql, ownActor(), opened.organization.id, record)
    })
    output.result({ removed: alias }, [`Removed ${alias}, its secrets and its catalog.`])
    return EXIT.ok
  })

/** What the gateways hold of it is ended and opened anew: they hear of it as of any change. */
export const restart = (organization: string, alias: string, output: Output): Promise<number> =>
  withStore(organization, async (opened) => {
    const { db, organization: own } = opened
    const held = await db.organization(own.id, (sql) => findConnection(sql, alias))
    if (held === undefined)
      throw new CommandFault(`There is no connection "${alias}"; \`toolway connection list\` shows them.`)
    if (!held.enabled) throw new CommandFault(`The connection "${alias}" is switched off: there is nothing to restart.`)
    await db.organization(own.id, async (sql) => {
      await restartConnection(sql, alias)
      const record = { action: 'process.restart', resource: 'connection', id: held.id, detail: { alias } }
      await recordChange(sql, ownActor(), own.id, record)
    })
    return report(opened, alias, 'Restarted', output)
  })

/** Connect from here, step by step, and say at which step it fails and what mends it. What it offers is kept, as after any contact. */
export const test = (organization: string, alias: string, output: Output): Promise<number> =>
  withStore(organization, async (opened) => {
    const { db, vault, loaded, organization: own } = opened
    const connections = await db.organization(own.id, listConnections)
    const connection = connections.find((one) => one.alias === alias)
    if (connection === undefined)
      throw new CommandFault(`There is no connection "${alias}"; \`toolway connection list\` shows them.`)
    let revision: Revision | undefined
    const log = { debug() {}, info: say, warn: say, error: say }
    function say(_: object, message: string) {
      output.progress(message)
    }
    const children = createChildren({
      ...{ log, home: join(loaded.config.TOOLWAY_DATA, 'children'), path: loaded.path },
      inherited: applyNetwork(loaded.config),
    })
    const upstreams = createUpstreams({ children, onRevision: (_, found) => (revision = found), onNoise() {} })
    // What is remembered of the era is left out: a test finds out.
    const fresh = { ...connection, era: null, enabled: true }
    const snapshot: Snapshot = createSnapshot({
      organization: own,
      connections: [fresh],
      catalogs: [],
      toolsets: [],
      members: new Map(),
      upstreams,
      unseal: vault.open,
      credentials: keptCredentials(opened, () => snapshot),
      documents: createDocuments({ db }),
    })
    const began = performance.now()
    try {
      output.progress(`Reaching ${reachOf(connection.settings)} …`)
      const upstream = snapshot.upstream(connection.id)
      const offer = await fetchOffer(upstream, alias, AbortSignal.timeout(WAIT_MS))
      const leftOut = [...offer.leftOut, ...(upstream.leftOut?.() ?? [])]
      const era = { revision: offer.revision, at: Date.now() }
      const of = { organizationId: own.id, connectionId: connection.id }
      await db.system((sql) => storeOffer(sql, of, offer, era))
      output.result(
        {
          ...{ alias, ok: true, ...countsOf(offer), milliseconds: Math.round(performance.now() - began) },
          ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
        },
        [
          ...reportLines(alias, offer, performance.now() - began),
          ...leftOut.map(({ name, reason }) => `Left out: ${harmless(name)}, because ${harmless(reason)}.`),
        ],
      )
      return EXIT.ok
    } catch (thrown) {
      const fault = Fault.of(thrown)
      const { phase, word } = fault.row
      const cause = rootOf(fault)
      output.result(
        {
          alias,
          ok: false,
          phase,
          code: word,
          fault: fault.code,
          problem: fault.message,
          cause,
          mend: mendOf(fault, connection),
          revision,
        },
        [
          `Failed while trying to ${phase}: ${fault.message}`,
          ...(cause === undefined ? [] : [`Cause: ${cause}`]),
          `Mend: ${mendOf(fault, connection)}`,
        ],
      )
      return EXIT.failed
    } finally {
      await upstreams.close()
      await children.close()
    }
  })

/** What lies under a fault and says more than it: the operator who asks here may read it, callers may not. */
function rootOf(fault: Fault): string | undefined {
  let root: Error = fault
  while (root.cause instanceof Error) root = root.cause
  // A connection that was tried at several addresses fails with all of them and no words of its own.
  const said = root instanceof AggregateError && root.message === '' ? String(root.errors[0]) : root.message
  return root === fault || said === '' || fault.message.includes(said) ? undefined : harmless(said)
}

/** The fault's own advice may be to run this very command. */
function mendOf(fault: Fault, connection: ConnectionRow): string {
  if (fault.code === 'upstream.needs-auth' && takesAccounts(connection)) return loginOf(connection)
  if (!fault.mend.includes('connection test')) return fault.mend
  return fault.code === 'upstream.malformed'
    ? 'Check that the address or command is an MCP server.'
    : 'Check that the server runs, and the address or command.'
}

const countsOf = ({ revision, server, tools, resources, prompts }: Offer) => ({
  revision,
  server: server.server,
  tools: tools.length,
  resources: resources.length,
  prompts: prompts.length,
})

function reportLines(alias: string, offer: Offer, milliseconds: number): string[] {
  const { name = alias, version = '' } = offer.server.server as { name?: string; version?: string }
  return [
    `${alias} works: ${name} ${version}, protocol ${offer.revision}, ${Math.round(milliseconds)} ms.`,
    `${offer.tools.length} tools, ${offer.resources.length} resources, ${offer.prompts.length} prompts.`,
  ]
}

export const Timeout = z.coerce.number().positive().max(3600)
