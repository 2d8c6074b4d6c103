/** Sessions of Composio's tool router: one for each user, made when it is first needed and again when Composio has ended it. */
import { Fault } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { statusRefusedOf } from '../status-refused.ts'
import type { ComposioTarget } from '../upstream.ts'
import type { ComposioApi } from './composio-api.ts'

export interface RouterSession {
  readonly id: string
  /** Its MCP server. */
  readonly mcp: string
}

export interface RouterSessions {
  of(user: string): Promise<RouterSession>
  /** Run in the session of a user; once more in a new one where it is not there any more, which did nothing. */
  within<Value>(user: string, run: (session: RouterSession) => Promise<Value>): Promise<Value>
}

const KEPT = { max: 10_000, ttl: 6 * 60 * 60_000 }

export function createSessions(
  api: ComposioApi,
  { url, toolkits }: Pick<ComposioTarget, 'url' | 'toolkits'>,
): RouterSessions {
  const sessions = new LRUCache<string, RouterSession>(KEPT)
  const fly = createSingleFlight<string, RouterSession>()

  async function of(user: string): Promise<RouterSession> {
    const before = sessions.get(user)
    if (before !== undefined) return before
    return fly(user, async () => {
      const session = await api.session(user, toolkits)
      refuseForeign(session.mcp, url)
      sessions.set(user, session)
      return session
    })
  }

  return {
    of,
    async within(user, run) {
      const session = await of(user)
      try {
        return await run(session)
      } catch (thrown) {
        if (!(await isGone(api, session, thrown))) throw thrown
        if (sessions.get(user) === session) sessions.delete(user)
        return run(await of(user))
      }
    },
  }
}

/** Composio does not know the session any more, or the tool: nothing was run. Its MCP server may say so in a form that is not MCP. */
async function isGone(api: ComposioApi, { id }: RouterSession, thrown: unknown): Promise<boolean> {
  if (statusRefusedOf(thrown)?.status === 404) return true
  if (!(thrown instanceof Fault)) return false
  if (thrown.code === 'upstream.malformed') return !(await api.hasSession(id))
  return thrown.code === 'connector.missing'
}

/** The key of the project goes to Composio alone, whatever an answer names. */
function refuseForeign(mcp: string, url: string): void {
  const [there, own] = [new URL(mcp), new URL(url)]
  const site = own.hostname.split('.').slice(-2).join('.')
  const isOwn = there.host === own.host || (there.protocol === 'https:' && there.hostname.endsWith(`.${site}`))
  if (!isOwn)
    throw new Fault('backend.malformed', {
      connection: own.host,
      problem: `its session is at another site, ${there.host}`,
    })
}
