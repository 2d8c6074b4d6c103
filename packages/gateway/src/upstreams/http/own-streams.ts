/** The own streams of a legacy server's sessions, by the key of their session: at most so many, each ended with its session. */
import { isObject, type JsonObject } from '@toolway/protocol'
import type { Ask } from '../upstream.ts'
import type { LegacySession } from './legacy-session.ts'
import { createOwnStream, type OwnStream } from './own-stream.ts'

export interface OwnStreams {
  /** The one of a session; undefined when there are too many. */
  of(key: string, whose: Whose): OwnStream | undefined
  find(key: string): OwnStream | undefined
  end(key: string): void
  close(): void
}

/** Whose session it is, as an ask or a hearing says it. */
export type Whose = Pick<Ask, 'session' | 'owner' | 'caller'>

export interface OwnStreamsParts {
  hold(whose: Whose, work: (session: LegacySession, ended: AbortSignal) => Promise<boolean>): Promise<boolean>
  ownAsk(method: string, params: JsonObject, signal: AbortSignal): Ask
}

/** Each is a connection of its own; the pool for streams has room for them and for the gateway's own listening. */
export const MOST_STREAMS = 1_000

export function createOwnStreams({ hold, ownAsk }: OwnStreamsParts): OwnStreams {
  const streams = new Map<string, OwnStream>()
  return {
    of(key, { session, owner, caller }) {
      const held = streams.get(key)
      if (held !== undefined || streams.size >= MOST_STREAMS) return held
      // Of what asked first only this is kept: nothing of the ask itself outlives it.
      const whose = { session, owner, caller }
      const lasting = session !== undefined && session.ofPrincipal !== true
      const stream = createOwnStream({ lasting, ownAsk, hold: (work) => hold(whose, work) })
      streams.set(key, stream)
      return stream
    },
    find: (key) => streams.get(key),
    end(key) {
      streams.get(key)?.close()
      streams.delete(key)
    },
    close() {
      for (const stream of streams.values()) stream.close()
      streams.clear()
    },
  }
}

/** Whether a server may have something to say to a session beside its answers: then the stream is there before its first call. */
export const needsOwnStream = ({ session, caller }: Whose): boolean => {
  const { capabilities, logLevel } = session?.caller ?? caller
  return logLevel !== undefined || ASKABLE.some((name) => isObject(capabilities[name]))
}
const ASKABLE = ['elicitation', 'sampling', 'roots']
