/**
 * Events of a server that keeps the accounts of users, `POST /api/v1/organizations/{organization}/connections/{connection}/events`:
 * Composio's webhooks, signed with the secret of the connection (https://docs.composio.dev, webhooks). The signature is over the bytes
 * of the body. An account that expired is asked for anew, is on record, and its member is alerted.
 *
 * Whether there is such a connection is told to nobody who cannot sign for it.
 */
import { Fault, type ConnectionId, type OrganizationId, type UserId } from '@toolway/contract'
import { hearBroker } from '@toolway/contract/admin'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import { addAlert } from '../../features/alerts/index.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Db } from '../../db/db.ts'
import type { Accounts } from '../../identity/accounts.ts'
import type { Brokered } from '../../oauth/outgoing/credentials/brokered-credentials.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import { isSignedWith, type SignedMessage } from '../../features/webhooks/index.ts'
import type { Env } from '../pages/page-request.ts'
import { readSigned, receiveSigned, type SignedMessageParts } from '../signed-message.ts'

export interface BrokerEventsParts extends SignedMessageParts {
  readonly db: Pick<Db, 'organization'>
  readonly accounts: Pick<Accounts, 'find'>
  findSnapshot(slug: string): Snapshot | undefined
  brokeredBy(snapshot: Snapshot, connectionId: ConnectionId): Brokered | undefined
}

const LIMIT = 256 * 1024
/** Ids of messages that were taken, which are sent again where an answer was lost. */
const SEEN = { max: 10_000, ttl: 10 * 60_000 }
const EXPIRED = 'composio.connected_account.expired'

interface Signed {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
  readonly snapshot: Snapshot
  readonly brokered: Brokered
}

export function createBrokerEvents(parts: BrokerEventsParts): Hono<Env> {
  const seen = new LRUCache<string, { taken: boolean }>(SEEN)
  const app = new Hono<Env>()
  app.post(hearBroker.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
    const { message, client, correlationId } = await receiveSigned(parts, c, { limit: LIMIT, wrong })
    const signed = signerOf(parts, c.req.param('organization') ?? '', c.req.param('connection') ?? '', message)
    const event = readSigned(hearBroker.body, message) as JsonObject
    const id = `${signed.connectionId} ${message.id}`
    const before = seen.get(id)
    if (before !== undefined) return c.json(before)
    const taken = await recordExpiry(parts, signed, event, {
      ...{ id: signed.connectionId, type: 'system', keyId: undefined, address: client.address, correlationId },
      userAgent: c.req.header('user-agent'),
    })
    seen.set(id, { taken })
    return c.json({ taken })
  })
  return app
}

const wrong = (problem: string) => new Fault('broker.signature', { problem })

/** One fault for all cases: guessing does not reveal what exists. */
function signerOf(parts: BrokerEventsParts, slug: string, name: string, message: SignedMessage): Signed {
  const snapshot = parts.findSnapshot(slug)
  const connection = snapshot?.connections.find(({ id, alias, enabled }) => enabled && (id === name || alias === name))
  const brokered = snapshot && connection && parts.brokeredBy(snapshot, connection.id)
  const secret = brokered?.broker.webhookSecret
  if (snapshot === undefined || connection === undefined || brokered === undefined || secret === undefined)
    throw wrong('no connection with this name accepts events')
  if (!isSignedWith(message, Buffer.from(secret))) throw wrong('no connection with this name accepts events')
  return { organizationId: snapshot.organization.id, connectionId: connection.id, snapshot, brokered }
}

const textAt = (of: Json | undefined, ...names: string[]): string | undefined => {
  const found = isObject(of) ? names.map((name) => of[name]) : []
  return found.find((value): value is string => typeof value === 'string' && value !== '')
}

/** False for an event that nothing is done about. */
async function recordExpiry(
  parts: BrokerEventsParts,
  signed: Signed,
  event: JsonObject,
  actor: Actor,
): Promise<boolean> {
  if (event['type'] !== EXPIRED) return false
  const { organizationId, connectionId, brokered } = signed
  const [data, metadata] = [event['data'], event['metadata']]
  const user = textAt(data, 'user_id') ?? textAt(metadata, 'user_id')
  const account = textAt(data, 'id', 'connected_account_id') ?? textAt(metadata, 'connected_account_id')
  const problem = textAt(data, 'status_reason') ?? 'it expired at the vendor'
  brokered.broker.forget(user)
  const userId = user === undefined ? undefined : memberOf(parts, signed, user)
  await parts.db.organization(organizationId, async (sql) => {
    const detail = { account: account ?? 'unknown', owner: userId === undefined ? 'organization' : 'member', problem }
    await addAlert(sql, { organizationId, kind: 'credential.lost', connectionId, userId, detail })
    await recordChange(sql, actor, organizationId, {
      action: 'credential.lose',
      resource: 'credential',
      id: account ?? connectionId,
      detail: { connection: connectionId, user: userId ?? user ?? null, problem },
      outcome: 'failed',
    })
  })
  return true
}

/** The member whose name at the broker that is. */
const memberOf = ({ accounts }: BrokerEventsParts, { snapshot, brokered }: Signed, user: string): UserId | undefined =>
  [...snapshot.members.keys()].find((id) => brokered.broker.userOf({ id, email: accounts.find(id)?.email }) === user)
