/**
 * Composio's MCP servers, one for each user and account: an address is one user's, so nothing is shared between two. Those that nobody
 * used for a while are closed.
 */
import { LRUCache } from 'lru-cache'
import { createHttpUpstream } from '../http/http-upstream.ts'
import type { ComposioTarget, ReachOf, Upstream } from '../upstream.ts'
import type { UpstreamContext } from '../upstreams.ts'

export interface UserServers {
  /** @param key names the user and the account that the address is for */
  at(key: string, url: string): Upstream
  /** It is not there any more. */
  drop(key: string): void
  close(): Promise<void>
}

const MOST = 500
const IDLE = 15 * 60_000

type Parts = Pick<UpstreamContext, 'ids' | 'pool'>

export function createUserServers(
  { alias, connectionId, organizationId, timeout, wire }: ReachOf<ComposioTarget>,
  { ids, pool }: Parts,
): UserServers {
  const closing = new Set<Promise<void>>()
  const close = (upstream: Upstream) => {
    const closed: Promise<void> = upstream
      .close()
      .catch(() => {})
      .finally(() => closing.delete(closed))
    closing.add(closed)
  }
  const upstreams = new LRUCache<string, Upstream>({ max: MOST, ttl: IDLE, updateAgeOnGet: true, dispose: close })

  return {
    at(key, url) {
      const before = upstreams.get(key)
      if (before !== undefined) return before
      const { headers, private: isPrivate, exceptions } = wire
      const target = { url, headers, private: isPrivate, ...(exceptions && { exceptions }) }
      const upstream = createHttpUpstream({
        reach: {
          connectionId: `${connectionId} ${key}`,
          organizationId,
          alias,
          timeout,
          revision: undefined,
          pinned: false,
          wire: target,
        },
        ids,
        pool,
        // Each of them is found out anew: the connection has one revision for all, which is ours.
        onRevision() {},
        onStateChange() {},
      })
      upstreams.set(key, upstream)
      return upstream
    },
    drop: (key) => void upstreams.delete(key),
    async close() {
      upstreams.clear()
      await Promise.all(closing)
    },
  }
}
