/** The operation that lists the gateways that run on this database. */
import * as shapes from '@toolway/contract/admin'
import { listGateways } from '../../gateways/gateways.ts'
import { servePlatform, type Served } from './serve.operations.ts'

export const gatewayOperations: readonly Served[] = [
  servePlatform(shapes.listGateways, async ({ parts: { runtime }, read }) => {
    const { value, readAt, isCurrent } = await runtime.lastGateways.look(() => read(listGateways))
    const items = value.map(({ started_at, seen_at, ...row }) => ({
      ...row,
      started_at: started_at.toISOString(),
      seen_at: seen_at.toISOString(),
      current: row.id === runtime.gateway,
    }))
    return { items, read_at: readAt.toISOString(), up_to_date: isCurrent }
  }),
]
