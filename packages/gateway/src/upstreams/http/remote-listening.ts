/**
 * What is heard from a remote server outside of answers: streams of announcements in the modern era, sessions in the legacy one. The
 * era is waited for as long as somebody listens.
 */
import { Fault } from '@toolway/contract'
import { MODERN, type Notification } from '@toolway/protocol'
import { changedList } from '@toolway/protocol/client'
import { endless, retry } from '@toolway/protocol/retry'
import { pause, REAL_TIME } from '../../lib/pause.ts'
import type { Carrier } from '../carrier.ts'
import type { Opening } from '../lasting-listen.ts'
import type { Listening } from '../listening.ts'
import type { OtherEra } from '../other-era.ts'
import type { CredentialSource, Hearing, Honoured, ListKind, OpenedCredential } from '../upstream.ts'
import { withCredential } from '../with-credential.ts'
import { createAnnouncements, type Announcements } from './announcements.ts'
import type { KnownEra } from './known-era.ts'
import type { LegacySessions } from './legacy-sessions.ts'

/** How long a client waits for what it listens to to be in force, in milliseconds. */
const LISTEN_PATIENCE_MS = 2_000
const NO_METHOD = -32601
/** Milliseconds between two attempts to reach a server that is listened to. */
const GREETINGS = endless({ first: 1_000, most: 60_000 })

interface RemoteListeningParts {
  readonly era: Pick<KnownEra, 'of'>
  readonly carrier: Pick<Carrier, 'listen'>
  sessions(): Pick<LegacySessions, 'watch' | 'listen'>
  /** Whether calls to a modern server go in sessions. */
  readonly calls: Pick<OtherEra, 'isSpoken'>
  /** For what the gateway asks for itself. */
  readonly own: CredentialSource | undefined
  /** Milliseconds for an acknowledgement. */
  readonly patience: number
  readonly closing: AbortSignal
}

export class RemoteListening {
  readonly #parts: RemoteListeningParts
  readonly #announcements: Announcements

  constructor(parts: RemoteListeningParts) {
    this.#parts = parts
    this.#announcements = createAnnouncements({ open: this.#open, presents: parts.own, patience: parts.patience })
  }

  /** Takes an announcement that came another way. */
  get hear(): Listening['hear'] {
    return this.#announcements.shared.hear
  }

  watch(onChange: (kind: ListKind, missed: boolean) => void, signal: AbortSignal) {
    const onNotification = ({ method }: Notification, missed: boolean) => {
      const kind = changedList(method)
      if (kind !== undefined) onChange(kind, missed)
    }
    void this.#announcements.shared.join({ lists: true, uris: [], tasks: [] }, onNotification, signal)
  }

  listen(hearing: Hearing) {
    return soon(this.#join(hearing), hearing)
  }

  /** One stream of the server's announcements, until it ends; false where it has none. */
  readonly #open = (opening: Opening, presents: CredentialSource | undefined): Promise<boolean> => {
    return withCredential(presents, async (credential) => {
      if ((await this.#parts.era.of(credential)) !== MODERN) {
        const { signal, onOpen, onNotification } = opening
        return this.#parts.sessions().watch({ signal, onOpen: () => onOpen(undefined), onNotification }, credential)
      }
      const answer = await this.#parts.carrier.listen({ ...opening, credential })
      return !('error' in answer) || answer.error.code !== NO_METHOD
    })
  }

  async #join(hearing: Hearing): Promise<Honoured> {
    const { closing } = this.#parts
    const { uris, tasks, credential: presents, onNotification, onEnd } = hearing
    const left = new AbortController()
    const here = AbortSignal.any([hearing.signal, left.signal])
    const signal = AbortSignal.any([here, closing])
    closing.addEventListener('abort', onEnd, { once: true, signal: here })
    const credential = presents === undefined ? undefined : await presents.open()
    const revision = await retry(() => this.#parts.era.of(credential), {
      limits: GREETINGS,
      evaluate: () => ({ wanted: 0, done: 'no' }),
      idempotent: true,
      signal,
      ...REAL_TIME,
    })
    if (revision !== MODERN) return this.#parts.sessions().listen(hearing, signal)
    // Calls in the session may have asked for pages, whose end is told in it.
    if (this.#parts.calls.isSpoken && hearing.beside === true)
      void this.#parts
        .sessions()
        .listen({ ...hearing, uris: [] }, signal)
        .catch(() => {})
    const abandon = () => {
      left.abort()
      onEnd()
    }
    const source = await this.#sourceOf(presents, credential, () => this.#announcements.ofNobody(abandon, signal))
    return source.join({ lists: false, uris, tasks }, onNotification, signal)
  }

  /**
   * Returns the stream for a credential. Callers without one do not receive the announcements to the gateway's own credential.
   */
  #sourceOf(
    presents: CredentialSource | undefined,
    credential: OpenedCredential | undefined,
    ofNobody: () => Promise<Listening>,
  ): Promise<Listening> | Listening {
    if (presents === undefined) return this.#announcements.shared
    return credential === undefined ? ofNobody() : this.#announcements.of(credential.id, presents)
  }

  close(): void {
    this.#announcements.close()
  }
}

/**
 * Resolves to the subscriptions in force, or after a timeout to all that were requested: the stream is still retried, and reports
 * then that announcements may have been missed.
 */
const soon = (joined: Promise<Honoured>, { uris, tasks, signal }: Hearing): Promise<Honoured> =>
  Promise.race([
    joined.catch((thrown: unknown) => {
      // A credential fault needs an action of the listener, so it is thrown.
      if (thrown instanceof Fault && thrown.code.startsWith('credential.')) throw thrown
      return { uris: [], tasks: [] }
    }),
    pause(LISTEN_PATIENCE_MS, signal).then(() => ({ uris, tasks })),
  ])
