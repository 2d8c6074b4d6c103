/**
 * The listen streams of one modern server: the gateway's own, which all share who come without a credential of theirs, and one for
 * each credential that somebody listens with. What a server tells one account is heard by nobody else.
 */
import { createKeptListen, type Opening } from '../kept-listen.ts'
import { createListening, isSilent, type Listening } from '../listening.ts'
import type { CredentialSource } from '../upstream.ts'

export interface Announcements {
  /** The gateway's own. */
  readonly shared: Listening
  /** That of a credential, for as long as anybody listens to it. */
  of(credential: string, presents: CredentialSource): Listening
  /**
   * That of who has no credential: the gateway's own, as long as that has none either. Whoever joined it is told, once, before it is
   * opened with one, and is to leave.
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
  /** Who hears the gateway's own stream, and may not be told what an account is told. */
  const nobodies = new Set<() => void>()
  const shared = createSource(own && openedAlone(own, nobodies), () => {})

  function createSource(presents: CredentialSource | undefined, onSilence: () => void): Source {
    const listening = createListening({
      apply(union) {
        if (isSilent(union)) onSilence()
        return kept.want(union)
      },
    })
    const kept = createKeptListen({
      open: (opening) => open(opening, presents),
      onNotification: listening.hear,
      onReturn: listening.missed,
      patience,
    })
    return { listening, close: kept.close }
  }

  function of(credential: string, presents: CredentialSource): Listening {
    const held = sources.get(credential)
    if (held !== undefined) return held.listening
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

/** What is chosen in the place of a credential is another one: the stream is not opened with it. */
const onlyAs = (credential: string, presents: CredentialSource): CredentialSource => ({
  ...presents,
  async open() {
    const found = await presents.open()
    return found?.id === credential ? found : undefined
  },
})
