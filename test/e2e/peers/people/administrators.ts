/** Callers of a gateway's admin interface: a key of any role, and requests as such a caller would write them. */
import { randomBytes } from 'node:crypto'
import { newId, type OrganizationId, type Role, type UserId } from '@toolway/contract'
import { z } from 'zod'
import { createTestVault, type TestGateway } from '../../../../packages/gateway/src/testing/gateway.ts'

const Nothing = z.object({})
const vault = createTestVault()

interface Holder {
  readonly role: Role
  /** None: a key of the platform. */
  readonly organization?: string
  readonly user?: UserId
}

/** A key, by SQL: how keys are made otherwise is not what is tried here. */
export async function addKey({ db }: Pick<TestGateway, 'db'>, { role, organization, user }: Holder): Promise<string> {
  const key = `uru_${randomBytes(32).toString('hex')}`
  await db.system(
    (sql) => sql(Nothing)`
      insert into keys (id, organization_id, name, hint, hash, origin, role, user_id)
      values (${newId('key')}, ${organization ?? null}, ${key.slice(-12)}, 'hint', ${vault.hash(key)}, 'test', ${role},
              ${user ?? null})`,
  )
  return key
}

export async function addUser({ db }: Pick<TestGateway, 'db'>, email: string, platformAdmin = false): Promise<UserId> {
  const id = newId('usr')
  await db.system(
    (sql) => sql(Nothing)`
      insert into users (id, email, name, platform_admin) values (${id}, ${email}, ${email}, ${platformAdmin})`,
  )
  return id
}

export const addMember = ({ db }: Pick<TestGateway, 'db'>, organization: OrganizationId, user: UserId, role: Role) =>
  db.system(
    (sql) =>
      sql(Nothing)`insert into members (organization_id, user_id, role) values (${organization}, ${user}, ${role})`,
  )

export interface Answered {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- each test says what it expects of it
  readonly body: Record<string, any>
  readonly text: string
}

export type Ask = (at: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>

/** `ask('POST /api/v1/admin/tenants', { … })` with that key. */
export const createAsk =
  ({ address }: Pick<TestGateway, 'address'>, key: string | undefined): Ask =>
  async (at, body, headers = {}) => {
    const [method = 'GET', path = '/'] = at.split(' ')
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? (JSON.parse(text) as Answered['body']) : {},
    }
  }

const Record = z.object({
  organization_id: z.string(),
  method: z.string(),
  resource_type: z.string().nullable(),
  resource_id: z.string().nullable(),
  principal: z.string(),
  detail: z.unknown(),
})

/** The records of changes, the newest last. */
export const changesIn = ({ db }: Pick<TestGateway, 'db'>) =>
  db.system(
    (sql) => sql(Record)`
      select organization_id, method, resource_type, resource_id, principal, detail
        from records where kind = 'change' order by at, seq, organization_id`,
  )
