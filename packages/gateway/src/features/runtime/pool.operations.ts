/**
 * The operations on the sessions and processes that this gateway holds open with upstream servers. The holder of a session is not
 * named; only its kind is shown.
 */
import { Fault, type ConnectionId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { PooledResource } from '../../upstreams/upstreams.ts'
import { pageFrom } from '../../lib/page.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { servePlatform, type RuntimeParts, type Served } from './serve.operations.ts'

/** With the names of what it belongs to; what was just removed belongs to nothing any more. */
function pooledOf({ snapshots, runtime }: RuntimeParts) {
  const owners = new Map(
    snapshots
      .all()
      .flatMap(({ organization: { slug }, connections }) => connections.map(({ id, alias }) => [id, { slug, alias }])),
  )
  return runtime.upstreams.pooled().flatMap((resource) => {
    const owner = owners.get(resource.connectionId as ConnectionId)
    return owner === undefined ? [] : [toPooled(resource, owner)]
  })
}

const toPooled = (resource: PooledResource, { slug, alias }: { slug: string; alias: string }): shapes.Pooled => ({
  tenant_slug: slug,
  connector_id: resource.connectionId,
  connector: alias,
  kind: resource.kind,
  holder: resource.holder,
  calls: resource.calls,
  streams: resource.streams,
  opened_at: new Date(resource.openedAt).toISOString(),
  used_at: new Date(resource.usedAt).toISOString(),
})

function summaryOf(all: readonly shapes.Pooled[]) {
  const sum = (of: (item: shapes.Pooled) => number) => all.reduce((sum, item) => sum + of(item), 0)
  const by: Record<string, number> = {}
  for (const { tenant_slug: slug } of all) by[slug] = (by[slug] ?? 0) + 1
  return {
    total: all.length,
    sessions: sum(({ kind }) => Number(kind === 'session')),
    processes: sum(({ kind }) => Number(kind === 'process')),
    calls: sum(({ calls }) => calls),
    streams: sum(({ streams }) => streams),
    by_tenant: by,
  }
}

export const poolOperations: readonly Served[] = [
  servePlatform(shapes.listPooled, ({ parts, query }) => {
    const { tenant_slug: slug } = query
    const all = pooledOf(parts).filter((item) => slug === undefined || item.tenant_slug === slug)
    return pageFrom(all, query, (row) => row)
  }),
  servePlatform(shapes.summarizePool, ({ parts }) => summaryOf(pooledOf(parts))),
  servePlatform(shapes.endPooled, ({ parts, params, change }) => {
    const { slug = '', connection: name = '' } = params
    const organization = parts.snapshots.find({ slug })?.organization
    if (organization === undefined) throw new Fault('thing.unknown', { thing: 'organization' })
    const { id } = findConnectionOf(parts, organization.id, name)
    return change(
      (detail) => ({ action: 'pool.evict', resource: 'connection', id, organizationId: organization.id, detail }),
      async () => ({ evicted: parts.runtime.upstreams.evict({ connectionId: id, idle: 0 }) }),
    )
  }),
  servePlatform(shapes.endPooledIdle, ({ parts, query: { idle_seconds: idle }, change }) =>
    change(
      (detail) => ({ action: 'pool.evict', resource: 'pool', id: 'idle', detail: { ...detail, idle_seconds: idle } }),
      async () => ({ evicted: parts.runtime.upstreams.evict({ idle: idle * 1000 }) }),
    ),
  ),
]
