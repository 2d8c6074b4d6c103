/** The operations on people, for platform administrators. */
import { Fault, type FamilyId, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { newSetUpCode, type PasswordCode } from '../../identity/codes.ts'
import { listUserPage, type UserOnPage, type UserRow } from '../../identity/users.ts'
import { sortedPage } from '../../lib/page.ts'
import type { Ended } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { passwordSet } from './enrolment.ts'
import { change as changePerson, getUser, invite, inviteAgain, remove, replacePassword } from './manage-users.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import type { AdminCredentials } from '../../oauth/outgoing/admin-credentials.ts'

/** The parts that the operations on people work with. */
export interface UserParts extends OperationBase {
  /** Throws `body.shape` for one that is too short or too long. */
  hashPassword(password: string): Promise<string>
  /** Accounts at vendors, which end with the person. */
  readonly credentials: Pick<AdminCredentials, 'endIn' | 'ended'>
}

const { servePlatform } = operationServers<UserParts>()

const toUser = (row: UserRow): shapes.User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  provider: row.provider,
  platform_admin: row.platform_admin,
  is_active: row.active,
  created_at: row.created_at.toISOString(),
  signed_in_at: row.signed_in_at?.toISOString() ?? null,
})

const toListed = (row: UserOnPage): shapes.ListedUser => ({
  ...toUser(row),
  source: row.source,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
})

export const toCode = ({ code, expiresAt }: PasswordCode) => ({ code, expires_at: expiresAt.toISOString() })

export const userOperations: readonly Served<UserParts>[] = [
  servePlatform(shapes.listUsers, async ({ read, query }) => {
    const page = sortedPage(query)
    const found = await read((sql) => listUserPage(sql, query, page.order))
    return page.of(found, ({ id }) => id, toListed)
  }),

  servePlatform(shapes.addUser, async ({ parts, change, body, head }) => {
    const { email, name, platform_admin: platformAdmin, password } = body
    const hashed = password === undefined ? undefined : await parts.hashPassword(password)
    const { user, invitation } = await change<Awaited<ReturnType<typeof invite>>>(
      ({ user }) => ({
        action: 'user.add',
        resource: 'user',
        id: user.id,
        detail: { email: user.email, platform_admin: user.platform_admin },
      }),
      (sql) => invite(sql, parts.vault.hash, { email, name, platformAdmin, password: hashed }),
    )
    await parts.accounts.load([user.id])
    head.set('cache-control', 'no-store')
    return { user: toUser(user), invitation: invitation === undefined ? null : toCode(invitation) }
  }),

  servePlatform(shapes.changeUser, async ({ parts, change, params, body }) => {
    const { name, is_active: active, platform_admin: platformAdmin } = body
    const user = await change(
      ({ id }: UserRow) => ({ action: 'user.change', resource: 'user', id, detail: body }),
      (sql) => changePerson(sql, params['user'] ?? '', { name, active, platformAdmin }),
    )
    await parts.accounts.load([user.id])
    return toUser(user)
  }),

  servePlatform(shapes.removeUser, async ({ parts, change, params }) => {
    const { ended } = await change(
      ({ removed: { id, email } }: { removed: UserRow; ended: Ended[] }) => ({
        action: 'user.remove',
        resource: 'user',
        id,
        detail: { email },
      }),
      async (sql) => {
        const userId = (params['user'] ?? '') as UserId
        // In every organization that this person was a member of.
        const all = await parts.credentials.endIn(sql, { userId })
        return { removed: await remove(sql, userId), ended: all }
      },
    )
    void parts.credentials.ended(undefined, ended)
    await parts.accounts.load([params['user'] as UserId])
    return undefined
  }),

  servePlatform(shapes.addPasswordCode, async ({ parts, change, params, head }) => {
    const { invitation } = await change<Awaited<ReturnType<typeof inviteAgain>>>(
      ({ user }) => ({ action: 'user.password_code', resource: 'user', id: user.id }),
      (sql) => inviteAgain(sql, parts.vault.hash, params['user'] ?? ''),
    )
    head.set('cache-control', 'no-store')
    return toCode(invitation)
  }),

  servePlatform(shapes.setPassword, async ({ parts, change, params, body, actor }) => {
    const hashed = await parts.hashPassword(body.password)
    const by = actor.type === 'system' ? actor.id : 'administrator'
    await change(
      ({ id, ended }: { id: UserId; ended: readonly { id: FamilyId }[] }) => passwordSet(id, by, ended),
      async (sql) => {
        const { id } = await getUser(sql, params['user'] ?? '')
        return { id, ended: await replacePassword(sql, id, hashed) }
      },
    )
    await parts.accounts.load([params['user'] as UserId])
    return undefined
  }),

  servePlatform(shapes.addSetUpCode, async ({ parts, change, head }) => {
    const code = await change(
      () => ({ action: 'set_up_code.add', resource: 'installation', id: 'setup code' }),
      async (sql) => {
        const made = await newSetUpCode(sql, parts.vault.hash)
        if (made === undefined) throw new Fault('setup.done')
        return made
      },
    )
    head.set('cache-control', 'no-store')
    return { code }
  }),
]
