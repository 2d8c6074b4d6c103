/**
 * The sessions of one legacy connection: which one serves whom, and what is done when the server has lost one.
 *
 * They are kept in the pool of the process. A client's own session at our door has its own at the server; callers without one
 * share with nobody but themselves; the gateway's own serves its lists and checks. Nothing here knows how a session is spoken.
 */
import { Fault } from '@toolway/contract'
import type { LegacyRevision, Message } from '@toolway/protocol'
import type { Holder, SessionPool } from '../session-pool.ts'
import type { Carrier } from '../carrier.ts'
import { GATEWAY, type Answer, type Ask, type Portrait, type Reach, type SessionRef } from '../upstream.ts'
import { SessionLost, type LegacySession } from './legacy-session.ts'
import { NOBODY, OWN_CAPABILITIES } from './modern.ts'

export interface LegacySessionsParts {
  readonly reach: Reach
  readonly carrier: Pick<Carrier, 'open'>
  /** Of the whole process. */
  readonly pool: SessionPool<LegacySession>
  /** What the server is known to speak, if that is known. */
  revision(): LegacyRevision | undefined
}

export interface LegacySessions {
  /** Who answers in the gateway's own session. */
  introduce(): Promise<Portrait>
  ask(asked: Ask): Promise<Answer>
  /** Ask nothing but whether it is there; a session that the server has lost is opened anew. */
  ping(signal: AbortSignal): Promise<Answer>
  /** The server's stream of the gateway's own session; false where it has none. */
  watch(onOpen: () => void, onMessage: (message: Message) => void, signal: AbortSignal): Promise<boolean>
  /** The server's stream of a client's session. */
  hear(session: SessionRef, onMessage: (message: Message) => void, signal: AbortSignal): Promise<boolean>
  forget(owner: string): void
  /** Resolves when no call is under way. */
  drained(): Promise<void>
  close(): Promise<void>
}

/** It can answer no question, and its stream is always in use, so that it has no reason to age. */
const OWN: Holder = { owner: GATEWAY, capabilities: OWN_CAPABILITIES, lasting: true }

function holderOf({ session, owner, caller }: Pick<Ask, 'session' | 'owner' | 'caller'>): Holder {
  if (session !== undefined) return { owner: session.id, capabilities: session.caller.capabilities, lasting: true }
  if (owner === GATEWAY) return OWN
  return { owner: `owner ${owner}`, capabilities: caller.capabilities, lasting: false }
}

export function createLegacySessions({ reach, carrier, pool, revision }: LegacySessionsParts): LegacySessions {
  const { connectionId, alias, timeout } = reach
  const place = pool.place(connectionId, alias)

  const open =
    ({ capabilities }: Holder, logLevel?: string) =>
    () =>
      carrier.open({ revision: revision(), capabilities, logLevel, signal: AbortSignal.timeout(timeout * 1000) })

  /** The server did not know the session, so it did not act: one new session, one more try. */
  async function askIn(holder: Holder, asked: Ask): Promise<Answer> {
    const { logLevel } = (asked.session ?? asked).caller
    const once = () =>
      place.use(holder, open(holder, logLevel), (session) =>
        session.ask(asked).catch((thrown: unknown) => refuse(holder, session, thrown)),
      )
    try {
      return await once()
    } catch (thrown) {
      if (!(thrown instanceof SessionLost)) throw thrown
    }
    return once().catch((thrown: unknown) => {
      throw thrown instanceof SessionLost
        ? new Fault('upstream.lost', { connection: alias }, { cause: thrown })
        : thrown
    })
  }

  function refuse(holder: Holder, session: LegacySession, thrown: unknown): never {
    if (thrown instanceof SessionLost) place.lose(holder, session)
    throw thrown
  }

  return {
    introduce: () => place.use(OWN, open(OWN), ({ portrait }) => Promise.resolve(portrait)),
    ask: (asked) => askIn(holderOf(asked), asked),
    ping: (signal) => askIn(OWN, { ...PING, signal }),
    watch: (onOpen, onMessage, signal) =>
      place.listen(OWN, open(OWN), async (session, ended) => {
        try {
          // A server may hold back the head of a stream until it has something to say, so it is asked whether it is there.
          await session.ask({ ...PING, signal })
          onOpen()
          return await session.stream(onMessage, AbortSignal.any([signal, ended]))
        } catch (thrown) {
          return refuse(OWN, session, thrown)
        }
      }),
    hear(session, onMessage, signal) {
      const holder = holderOf({ session, owner: '', caller: session.caller })
      return place.listen(holder, open(holder, session.caller.logLevel), (held, ended) =>
        held.stream(onMessage, AbortSignal.any([signal, ended])),
      )
    },
    forget: (owner) => place.forget(owner),
    drained: () => place.drained(),
    close: () => place.close(),
  }
}

/** Asked by the gateway itself, which can answer nothing. */
const PING: Omit<Ask, 'signal'> = {
  method: 'ping',
  params: {},
  caller: NOBODY,
  session: undefined,
  owner: GATEWAY,
  headerParameters: [],
  onNotification() {},
  onQuestion: () => Promise.resolve({ error: { code: -32601, message: 'Nobody is there to ask.' } }),
}
