/** Members of a test gateway with a sign-in of theirs: what `toolway login` would have, without the way there. */
import { newId, type Role, type UserId } from '@toolway/contract'
import { z } from 'zod'
import { createAccessTokens } from '../../../../packages/gateway/src/identity/access-tokens.ts'
import { ensureMemberKey } from '../../../../packages/gateway/src/identity/keys/member-keys.ts'
import { createTestVault, type TestGateway } from '../../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../../packages/gateway/src/testing/people.ts'
import { createAdminClient } from './admin-client.ts'
import { until } from '../until.ts'

const Nothing = z.object({})
type Db = Pick<TestGateway, 'db'>

export interface Joining extends Db {
  readonly address: string
  /** Id and role, for each organization. */
  readonly roles?: readonly (readonly [string, Role])[]
  readonly platformAdmin?: boolean
  /** How long ago the person signed in. */
  readonly minutes?: number
}

/** Somebody who has signed in, with the personal key of each membership, once the gateway knows of it. */
export async function join(email: string, { db, address, roles = [], platformAdmin = false, minutes = 0 }: Joining) {
  const user = await addPerson(db, { email, platformAdmin, roles: roles as never })
  const vault = createTestVault()
  for (const [organizationId] of roles)
    await db.system((sql) => ensureMemberKey(sql, vault, { organizationId: organizationId as never, userId: user.id }))
  const token = await tokenOf(user.id, { db, address, minutes })
  const client = createAdminClient(address, token)
  const known = async (query: string) => (await client(`GET /api/v1/auth/my-keys${query}`)).status === 200
  await until(`${email} is known`, () => known(''))
  for (const [id] of roles) await until(`${email} is known as a member`, () => known(`?organization=${id}`))
  return { user, token, client }
}

export async function tokenOf(user: UserId, { db, address, minutes = 0 }: Db & { address: string; minutes?: number }) {
  const sid = newId('fam')
  await db.system(
    (sql) => sql(Nothing)`
      insert into sign_ins (id, user_id, client, created_at, proven_at, expires_at)
      values (${sid}, ${user}, 'api', now() - make_interval(mins => ${minutes}), now() - make_interval(mins => ${minutes}),
              now() + interval '1 day')`,
  )
  const keys = createTestVault().signingKeys('access tokens')
  const tokens = createAccessTokens({ issuer: () => address, keys, lifetime: 600, now: Date.now })
  return tokens.mint({ sub: user, sid, epoch: 0, limit: 'execute', client_id: 'api', aud: address })
}
