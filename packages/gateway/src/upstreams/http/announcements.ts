/**
 * The listen streams of one modern server: the gateway's own, shared by all callers without a credential of their own, and one
 * for each credential with listeners. Announcements to one account are never sent to another.
 */
import { createKeptListen, type Opening } from '../lasting-listen.ts'
import { createListening, isSilent, type Listening } from '../listening.ts'
import type { CredentialSource } from '../upstream.ts'

export interface Announcements {
  /** The gateway's own. */
  readonly shared: Listening
  /** That of a credential, for as long as anybody listens to it. */
  of(credential: string, presents: CredentialSource): Listening
  /**
   * Returns the stream for callers without a credential: the gateway's own, as long as the gateway has no credential either.
   * `leave` is called once for each of its listeners before the stream is opened with a credential.
   */
  ofNobody(leave: () => void, signal: AbortSignal): Promise<Listening>
  close(): void
}

export interface AnnouncementsParts {
  /** One stream, until it ends; resolves to whether the server has such streams at all, or rejects. */
  open(opening: Opening, presents: CredentialSource | undefined): Promise<boolean>
  /** For the gateway's own. */
  readonly presents: CredentialSource | undefined
  /** Milliseconds for an acknowledgement. */
  readonly patience: number
}

interface Source {
  readonly listening: Listening
  close(): void
}

export function createAnnouncements({ open, presents: own, patience }: AnnouncementsParts): Announcements {
  const sources = new Map<string, Source>()
  /** Listeners on the gateway's own stream that may not receive the announcements to an account. */
  const nobodies = new Set<() => void>()
  const shared = createSource(own && openedAlone(own, nobodies), () => {})

  function createSource(presents: CredentialSource | undefined, onSilence: () => void): Source {
    const listening = createListening({
      apply(union) {
        if (isSilent(union)) onSilence()
        return listen.want(union)
      },
    })
    const listen = createKeptListen({
      open: (opening) => open(opening, presents),
      onNotification: listening.hear,
      onReturn: listening.missed,
      patience,
    })
    return { listening, close: () => listen.close() }
  }

  function of(credential: string, presents: CredentialSource): Listening {
    const known = sources.get(credential)
    if (known !== undefined) return known.listening
    const source = createSource(presents, () => {
      if (sources.get(credential) === source) sources.delete(credential)
    })
    sources.set(credential, source)
    return source.listening
  }

  return {
    shared: shared.listening,
    of: (credential, presents) => of(credential, onlyAs(credential, presents)),
    async ofNobody(leave, signal) {
      if (own === undefined) return shared.listening
      // Before it is asked: what is opened meanwhile tells, too.
      nobodies.add(leave)
      signal.addEventListener('abort', () => nobodies.delete(leave), { once: true })
      const hasOne = await has(own).catch(() => true)
      if (!hasOne) return shared.listening
      nobodies.delete(leave)
      return of('', NOTHING)
    },
    close() {
      shared.close()
      for (const { close } of sources.values()) close()
      sources.clear()
    },
  }
}

const NOTHING: CredentialSource = { open: () => undefined, refused: () => Promise.resolve(false) }

const has = async ({ open }: CredentialSource): Promise<boolean> => (await open()) !== undefined

/** With a credential it is opened for nobody who has none. */
const openedAlone = (own: CredentialSource, nobodies: ReadonlySet<() => void>): CredentialSource => ({
  ...own,
  async open() {
    const found = await own.open()
    if (found !== undefined) for (const leave of [...nobodies]) leave()
    return found
  },
})

/** A credential selected instead of this one is a different one, so the stream is not opened with it. */
const onlyAs = (credential: string, presents: CredentialSource): CredentialSource => ({
  ...presents,
  async open() {
    const found = await presents.open()
    return found?.id === credential ? found : undefined
  },
})
