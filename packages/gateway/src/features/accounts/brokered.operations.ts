/**
 * The caller's own accounts at a server that keeps the accounts of users: listed and removed there. Nobody administers those of others
 * here, because nothing of them is known.
 */
import { Fault, kindOf } from '@toolway/contract'
import type * as shapes from '@toolway/contract/admin'
import type { Operation } from '@toolway/contract/admin'
import type { ConnectionRow } from '../../connections/connections.ts'
import type { Brokered } from '../../oauth/outgoing/credentials/brokered-credentials.ts'
import type { BrokeredAccount } from '../../upstreams/upstream.ts'
import type { OrganizationRequest } from './serve.operations.ts'
import type { Change } from '../../records/change.ts'

type Asked = Pick<OrganizationRequest<Operation>, 'parts' | 'organization' | 'principal' | 'params' | 'change'>

/** The broker of a connection; undefined where accounts are kept here. Throws `upstream.disabled`. */
export const brokeredFor = ({ parts, organization }: Asked, { id, settings }: ConnectionRow): Brokered | undefined =>
  kindOf(settings.connector).brokersAccounts === true ? parts.connect.brokeredBy(organization.id, id) : undefined

/** The caller's name at the broker: a member's own, else the default user. */
function userOf({ parts, principal: { userId } }: Asked, { broker }: Brokered): string | undefined {
  return broker.userOf(userId === undefined ? undefined : { id: userId, email: parts.accounts.find(userId)?.email })
}

export async function listBrokered(request: Asked, brokered: Brokered): Promise<shapes.Account[]> {
  const user = userOf(request, brokered)
  if (user === undefined) return []
  const accounts = await brokered.broker.accounts(user, true)
  return accounts.map((account) => toAccount(account, user, request.principal.userId ?? null))
}

export async function removeBrokered(request: Asked, row: ConnectionRow, brokered: Brokered) {
  const id = request.params['account'] ?? ''
  const user = userOf(request, brokered)
  if (user === undefined || !(await brokered.broker.remove(user, id)))
    throw new Fault('thing.unknown', { thing: 'account' })
  const detail = { connection: row.id, user }
  const change: Change = { action: 'credential.remove', resource: 'credential', id, detail }
  await request.change(
    () => change,
    () => Promise.resolve(),
  )
  return { ended: [id], problems: [] }
}

const toAccount = (
  { id, app, account, since, problem }: BrokeredAccount,
  user: string,
  userId: string | null,
): shapes.Account => ({
  ...{ id, account, user_id: userId, kind: 'broker', is_default: false, name: user, scopes: [] },
  owner: userId === null ? 'organization' : 'member',
  provider: app,
  state: problem === undefined ? 'good' : 'lost',
  problem: problem ?? null,
  problem_at: null,
  renewable: true,
  expires_at: null,
  renewed_at: null,
  used_at: null,
  created_at: since ?? null,
})
