/** The addresses at which accounts are connected: the pages for it, where authorization servers lead back to, and a broker's events. */
import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { BaseWithDatabase } from '../../base/base.ts'
import { brokeredBy, type Connect } from '../../features/accounts/index.ts'
import type { Accounts } from '../../identity/accounts.ts'
import { createFailureDetails } from '../../oauth/outgoing/flows/failure-details.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import type { Clients } from '../client-address.ts'
import { createBrokerEvents, type BrokerEventsParts } from './broker-events.ts'
import { createCallbackDoor } from './callback-door.ts'
import { createConnectDoor } from './connect-door.ts'
import { createDoneDoor } from './done-door.ts'
import type { Visitors } from './visitor.ts'

export interface ConnectAddressesParts {
  readonly connect: Pick<Connect, 'pages'>
  readonly accounts: Pick<Accounts, 'find'>
  readonly snapshots: Pick<KeepSnapshots, 'find' | 'all'>
  readonly clients: Clients
  readonly limits: BrokerEventsParts['limits']
  readonly visitors: Visitors
  prefix(): string
  publicUrl(): string
}

export function createConnectAddresses(
  { db, vault }: BaseWithDatabase,
  { connect: { pages }, snapshots, ...parts }: ConnectAddressesParts,
): Hono<{ Bindings: HttpBindings }> {
  const shared = { ...parts, newCorrelationId: randomUUID }
  const details = createFailureDetails(vault, Date.now)
  const door = new Hono<{ Bindings: HttpBindings }>()
  door.route('/', createCallbackDoor({ ...shared, flows: pages.flows, details }))
  const findSnapshot = (slug: string) => snapshots.find({ slug })
  door.route('/', createBrokerEvents({ ...shared, db, now: Date.now, brokeredBy, findSnapshot }))
  door.route('/', createDoneDoor({ ...shared, details, all: snapshots.all }))
  door.route(
    '/',
    createConnectDoor({
      ...shared,
      ...pages,
      brokeredBy: ({ snapshot, connection }) => connection && brokeredBy(snapshot, connection.id),
    }),
  )
  return door
}
