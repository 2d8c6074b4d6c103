/** The other ends of connections: children, sessions with servers, and what is noted of a connection when it is met. */
import { join } from 'node:path'
import type { ConnectionId, Fault, OrganizationId } from '@toolway/contract'
import { markStale } from '../catalog/catalogs.ts'
import { noteHints } from '../connections/connections.ts'
import { type KeepCatalogs, noteState, storeCapabilities, type Listed } from '../features/catalog/index.ts'
import type { CapabilitiesSnapshot } from '../upstreams/capabilities/fetch-capabilities.ts'
import { createBatch } from '../lib/batch.ts'
import type { SharedTexts } from '../lib/shared-texts.ts'
import type { ChildWords } from '../upstreams/children/child-words.ts'
import { createChildren } from '../upstreams/children/worker-link.ts'
import { reasonOf } from '../upstreams/program-said.ts'
import { createUpstreams, type Upstreams } from '../upstreams/upstreams.ts'
import type { Base, BaseWithDatabase } from '../base/base.ts'
import { applyNetwork } from './network.ts'
import { sandboxOf } from './sandbox.ts'

export interface ComposeUpstreamsParts {
  readonly path: string
  readonly lang: string | undefined
  readonly catalogs: () => Pick<KeepCatalogs, 'again'>
  readonly contacts: Contacts
  /** Where each setting comes from: no child sees those files. */
  readonly origins?: Readonly<Record<string, string>> | undefined
  /** Keeps what children say on stderr, where somebody may read it. */
  readonly words?: Pick<ChildWords, 'hear'>
  readonly shared?: SharedTexts | undefined
}

export function composeUpstreams(
  core: Base,
  { path, lang, catalogs, contacts, words, origins, shared }: ComposeUpstreamsParts,
): Upstreams {
  const { config, log, counters, opened } = core
  const children = createChildren({
    log,
    home: join(config.TOOLWAY_DATA, 'children'),
    lineLimit: config.TOOLWAY_STDIO_LINE_LIMIT,
    memoryLimit: config.TOOLWAY_CHILD_MEMORY * 1024 * 1024,
    sandbox: sandboxOf(config, log, origins),
    path,
    inherited: applyNetwork(config),
    ...(lang === undefined ? {} : { lang }),
    ...(words === undefined ? {} : { onWords: words.hear }),
  })
  opened.defer(() => children.close())
  const upstreams = createUpstreams({
    children,
    pools: config.TOOLWAY_POOL === 'on',
    onRevision: contacts.remember,
    onNoise: (alias, line) =>
      log.debug({ connection: alias, line: line.slice(0, 200) }, 'a line on stdout is not a message'),
    onTurn: turn,
    onTrouble(connectionId, failure) {
      if (failure !== undefined)
        log.warn({ connectionId, problem: failure.message }, 'calls fail, although the server answers the gateway')
      contacts.trouble(connectionId, failure).catch((thrown: unknown) => unnoted(connectionId, thrown))
    },
    onHints: hint,
    onCrash: counters.crash,
    onPoolUse: counters.pool,
    onNote: (facts, message) => log.warn(facts, message),
    shared,
  })
  opened.defer(() => upstreams.close())

  function turn(connectionId: string, failure: Fault | undefined): void {
    const facts = { connectionId, code: failure?.code, problem: failure?.message }
    if (failure === undefined) log.info(facts, 'circuit breaker closed: calls to the connection are sent again')
    else {
      counters.openCircuit()
      log.warn(facts, 'circuit breaker open: calls to the connection are refused')
    }
    note(connectionId, failure)
    if (failure === undefined) catalogs().again(connectionId as ConnectionId)
  }

  function hint(connectionId: string, hints: readonly string[] | undefined): void {
    // As a fact and not as the message: the log of a connection tells its organization the messages alone.
    if (hints !== undefined && hints.length > 0)
      log.warn({ connectionId, hints }, 'the sandbox of a stdio server keeps something from it')
    contacts
      .hint(connectionId, hints)
      .catch((thrown: unknown) =>
        log.warn({ connectionId, err: thrown }, 'what the sandbox of a connection keeps from it could not be stored'),
      )
  }

  function note(connectionId: string, failure: Fault | undefined): void {
    contacts.note(connectionId, failure).catch((thrown: unknown) => unnoted(connectionId, thrown))
  }

  const unnoted = (connectionId: string, thrown: unknown) =>
    log.warn({ connectionId, err: thrown }, 'the state of a connection could not be stored')

  return upstreams
}

/** Stores the results of contacts with a connection. */
export interface Contacts {
  /** Remembers the revision that an upstream speaks, until the next contact is stored with it. */
  remember(connectionId: string, revision: string): void
  store(organizationId: OrganizationId, connectionId: ConnectionId, offer: CapabilitiesSnapshot): Promise<void>
  fail(organizationId: OrganizationId, connectionId: ConnectionId, fault: Fault): Promise<void>
  /** Stores the state of a connection seen between two fetches of its catalog. */
  note(connectionId: string, fault: Fault | undefined): Promise<unknown>
  /**
   * Stores that calls fail, whatever the server answers to the gateway itself: until a call succeeds (undefined), or none was made for a
   * quarter of an hour, the connection is not stored as a connected one when its lists are fetched.
   */
  trouble(connectionId: string, fault: Fault | undefined): Promise<unknown>
  /**
   * Remembers what the sandbox of a connection's programs keeps from them, and stores it while the connection is connected; undefined
   * forgets it.
   */
  hint(connectionId: string, sentences: readonly string[] | undefined): Promise<unknown>
}

/** In one transaction. */
const STORED_TOGETHER = 16
/** Milliseconds, from the last failure that was told: whoever mends a server that nobody calls sees that it is connected. */
const TROUBLED = 15 * 60_000
/** Failures of calls at a server that answers. */
const LASTING: ReadonlySet<string> = new Set(['upstream.malformed', 'upstream.needs-auth'])

/** Stores facts about a connection in the database: its catalog, the reason of a failure, its revision. */
export function createContacts({ db }: BaseWithDatabase): Contacts {
  const revisions = new Map<string, string>()
  const eraOf = (connectionId: string) => {
    const revision = revisions.get(connectionId)
    return revision === undefined ? undefined : { revision, at: Date.now() }
  }
  const failed = ({ code }: Fault) => (code === 'upstream.needs-auth' ? ('needs_auth' as const) : ('error' as const))

  const hints = new Map<string, string>()
  const troubles = new Map<string, { readonly fault: Fault; readonly until: number }>()
  const troubleOf = (connectionId: string): Fault | undefined => {
    const trouble = troubles.get(connectionId)
    if (trouble === undefined || Date.now() < trouble.until) return trouble?.fault
    troubles.delete(connectionId)
    return undefined
  }
  const seenAs = (connectionId: string, fault: Fault | undefined) =>
    fault === undefined
      ? ({ status: 'connected', reason: hints.get(connectionId) } as const)
      : { status: failed(fault), reason: reasonOf(fault) }
  const note = (connectionId: string, fault: Fault | undefined) =>
    db.system((sql) => noteState(sql, connectionId, { ...seenAs(connectionId, fault), era: undefined }))
  const withState = (item: Listed): Listed => ({
    ...item,
    seen: seenAs(item.connectionId, troubleOf(item.connectionId)),
  })
  async function store(all: readonly Listed[]): Promise<void> {
    const seen = all.map(withState)
    await db.system((sql) => storeCapabilities(sql, seen))
    // Calls that failed while the lists were stored are newer than what was seen of the server before.
    for (const { connectionId, seen: stored } of seen) {
      const fault = stored?.status === 'connected' ? troubleOf(connectionId) : undefined
      if (fault !== undefined) await note(connectionId, fault)
    }
  }
  const stored = createBatch<Listed, void>({
    most: STORED_TOGETHER,
    run: async (all) => (await store(all), []),
  })

  return {
    remember: (connectionId: string, revision: string) => void revisions.set(connectionId, revision),
    async store(organizationId: OrganizationId, connectionId: ConnectionId, offer: CapabilitiesSnapshot) {
      const one = { organizationId, connectionId, offer, era: eraOf(connectionId) }
      // An offer that cannot be stored must not prevent the storing of others.
      await stored(one).catch(() => store([one]))
    },
    fail: (organizationId: OrganizationId, connectionId: ConnectionId, fault: Fault) =>
      db.system(async (sql) => {
        await markStale(sql, organizationId, connectionId, fault.message)
        await noteState(sql, connectionId, { status: failed(fault), reason: reasonOf(fault), era: undefined })
      }),
    note(connectionId, fault) {
      // An outage is over, and the failures that calls met in it say nothing any more. A server that is there can still refuse calls.
      if (fault === undefined && !LASTING.has(troubleOf(connectionId)?.code ?? '')) troubles.delete(connectionId)
      return note(connectionId, fault ?? troubleOf(connectionId))
    },
    trouble(connectionId, fault) {
      if (fault === undefined) troubles.delete(connectionId)
      else troubles.set(connectionId, { fault, until: Date.now() + TROUBLED })
      return note(connectionId, fault)
    },
    async hint(connectionId, sentences) {
      hints.delete(connectionId)
      if (sentences === undefined) return void troubles.delete(connectionId)
      const text = sentences.length === 0 ? undefined : sentences.join('\n').replaceAll('\0', '\uFFFD')
      if (text !== undefined) hints.set(connectionId, text)
      await db.system((sql) => noteHints(sql, connectionId, text))
    },
  }
}
