/** The other ends of connections by the settings: children, sessions with servers, and what is noted and logged of them. */
import { join } from 'node:path'
import type { ConnectionId, Fault } from '@toolway/contract'
import type { Log } from '../lib/log.ts'
import type { SharedTexts } from '../lib/shared-texts.ts'
import type { ChildWords } from './children/child-words.ts'
import { sandboxOf, type SandboxSettings } from './children/sandbox-settings.ts'
import { createChildren } from './children/worker-link.ts'
import { applyNetwork, type NetworkSettings } from './network.ts'
import { createUpstreams, type Upstreams } from './upstreams.ts'

interface Settings extends SandboxSettings, NetworkSettings {
  readonly TOOLWAY_STDIO_LINE_LIMIT: number
  /** MiB. */
  readonly TOOLWAY_CHILD_MEMORY: number
  readonly TOOLWAY_POOL: 'on' | 'off'
}

/** Of the base, as far as upstreams need it. */
interface Parts {
  readonly config: Settings
  readonly log: Log
  readonly opened: Pick<AsyncDisposableStack, 'defer'>
}

/** Where it is noted how connections are (`features/catalog/contacts.ts`). */
interface ContactNotes {
  remember(connectionId: string, revision: string): void
  note(connectionId: string, fault: Fault | undefined): Promise<unknown>
  trouble(connectionId: string, fault: Fault | undefined): Promise<unknown>
  hint(connectionId: string, sentences: readonly string[] | undefined): Promise<unknown>
}

export interface StartUpstreamsParts {
  readonly path: string
  readonly lang: string | undefined
  /** Asks a connection anew what it offers. */
  again(connectionId: ConnectionId): void
  readonly contacts: ContactNotes
  readonly counters: { crash(): void; pool(isHit: boolean): void; openCircuit(): void }
  /** Where each setting comes from: no child sees those files. */
  readonly origins?: Readonly<Record<string, string>> | undefined
  /** Keeps what children say on stderr, where somebody may read it. */
  readonly words?: Pick<ChildWords, 'hear'> | undefined
  readonly shared?: SharedTexts | undefined
}

export function startUpstreams(
  { config, log, opened }: Parts,
  { path, lang, again, contacts, counters, words, origins, shared }: StartUpstreamsParts,
): Upstreams {
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
    onStateChange: turn,
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
    if (failure === undefined) again(connectionId as ConnectionId)
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
