/** The own streams of a legacy server's sessions, as those are held: at most so many, each ended with its owner's sessions. */
import { isObject, type JsonObject } from '@toolway/protocol'
import type { LegacySession } from '@toolway/protocol/client'
import { accessRefusedOf } from '../access-refused.ts'
import type { Ask, OpenedCredential, CredentialSource } from '../upstream.ts'
import { createOwnStream, type OwnStream } from './own-stream.ts'

export interface OwnStreams {
  /** The one of a session, whose asks come with this credential by now; undefined when there are too many. */
  of(holding: Holding, whose: Whose, presents?: CredentialSource): OwnStream | undefined
  find(holding: Holding): OwnStream | undefined
  /** All of an owner. */
  end(owner: string): void
  close(): void
}

/** The fields of a request or a subscription that identify its session. */
export type Whose = Pick<Ask, 'session' | 'owner' | 'caller' | 'credential'>

/** Identifies one of an owner's sessions. */
export interface Holding {
  readonly owner: string
  readonly key: string
}

export interface OwnStreamsParts {
  hold(whose: Whose, work: (session: LegacySession, ended: AbortSignal) => Promise<boolean>): Promise<boolean>
  ownAsk(method: string, params: JsonObject, signal: AbortSignal): Ask
}

/** Each is a connection of its own; the pool for streams has room for them and for the gateway's own listening. */
export const MOST_STREAMS = 1_000

interface StreamEntry {
  readonly stream: OwnStream
  /** As it was last presented; a stream that comes back after a break asks for a newer one where it can. */
  credential: OpenedCredential | undefined
  presents: CredentialSource | undefined
}

export function createOwnStreams({ hold, ownAsk }: OwnStreamsParts): OwnStreams {
  const streams = new Map<string, Map<string, StreamEntry>>()
  let size = 0

  function begin({ session, owner, caller, credential }: Whose, presents: CredentialSource | undefined): StreamEntry {
    const lasting = session !== undefined && session.ofPrincipal !== true
    // Of what asked first only this is kept: nothing of the ask itself outlives it.
    const whose = { session, owner, caller }
    const stream = createOwnStream({
      lasting,
      ownAsk,
      async hold(work) {
        const now = await latest(streamEntry)
        return hold({ ...whose, credential: now }, work).catch(async (thrown: unknown) => {
          const refused = accessRefusedOf(thrown)
          // It comes back by itself: with the newer one then, if there is one.
          if (refused !== undefined) await streamEntry.presents?.refused(now, refused.challenge, refused.status)
          throw thrown
        })
      },
    })
    const streamEntry: StreamEntry = { stream, credential, presents }
    return streamEntry
  }

  /** The stream is its session's, and that was opened under one credential: another one in its place is none of its own. */
  async function latest({ credential, presents }: StreamEntry): Promise<OpenedCredential | undefined> {
    const newer = await presents?.open()
    return newer !== undefined && newer.id === credential?.id ? newer : credential
  }

  return {
    of({ owner, key }, whose, presents) {
      const own = streams.get(owner)
      const stream = own?.get(key)
      if (stream !== undefined) {
        stream.credential = whose.credential ?? stream.credential
        stream.presents ??= presents
        return stream.stream
      }
      if (size >= MOST_STREAMS) return undefined
      const begun = begin(whose, presents)
      streams.set(owner, (own ?? new Map<string, StreamEntry>()).set(key, begun))
      size++
      return begun.stream
    },
    find: ({ owner, key }) => streams.get(owner)?.get(key)?.stream,
    end(owner) {
      const own = streams.get(owner)
      if (own === undefined) return
      for (const { stream } of own.values()) stream.close()
      size -= own.size
      streams.delete(owner)
    },
    close() {
      for (const own of streams.values()) for (const { stream } of own.values()) stream.close()
      streams.clear()
      size = 0
    },
  }
}

/** Whether a server may have something to say to a session beside its answers: then the stream is there before its first call. */
export const needsOwnStream = ({ session, caller }: Whose): boolean => {
  const { capabilities, logLevel } = session?.caller ?? caller
  return logLevel !== undefined || ASKABLE.some((name) => isObject(capabilities[name]))
}
const ASKABLE = ['elicitation', 'sampling', 'roots']
