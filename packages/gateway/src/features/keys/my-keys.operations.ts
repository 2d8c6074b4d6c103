/**
 * The operations on a user's own keys, for every member: the personal key, and scoped keys that the member creates.
 *
 * Keys are created by users and not by keys, so that a leaked key cannot outlive its removal. A member's key never has more
 * permissions than its member, regardless of its row.
 */
import { Fault, lesserRole, type KeyId, type Role, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { admittedIn } from '../../snapshot/role.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import {
  ensureMemberKey,
  listOwnKeys,
  MEMBER_KEY,
  regenerateMemberKey,
  removeOwnKey,
  revealMemberKey,
} from '../../identity/keys/member-keys.ts'
import { carryKeyRules } from '../../policy/stored/organization-rules.ts'
import type { KeyRow } from '../../identity/keys/keys.ts'
import type { Principal } from '../../identity/principal.ts'
import { keyChange, makeKey, refuseBeyond, toKey, type KeyWords, type MadeKey } from './make-key.ts'
import { refuseOldSignIn, type FreshSignInParts } from '../people/index.ts'
import type { KeyParts } from './keys.operations.ts'
import { operationServers, type OperationCall, type Served } from '../../operations/serve.ts'
import { eachOf } from '../../lib/unreadable-rows.ts'

/** The parts that the operations on a user's own keys work with. */
export type MyKeyParts = KeyParts & FreshSignInParts

const { serveSignedIn } = operationServers<MyKeyParts>()

/** The member that a principal stands for. Throws `login.needed` for keys of nobody's. */
function memberOf({ userId }: Principal): UserId {
  if (userId === undefined) throw new Fault('login.needed')
  return userId
}

/** Throws `login.needed` for whoever comes with a key, a member's own too. */
function personOf(principal: Principal): UserId {
  if (principal.kind !== 'user') throw new Fault('login.needed')
  return memberOf(principal)
}

/**
 * Returns the snapshot of the user's organization that is meant. Throws `place.unknown` for an organization that is not the
 * user's.
 */
function placeOf(parts: MyKeyParts, principal: Principal, user: UserId, name: string | undefined) {
  const place = homeOf(parts, principal, user, name)
  admittedIn(parts.accounts, principal, place)
  return place
}

function homeOf({ snapshots }: MyKeyParts, { organizationId }: Principal, user: UserId, name: string | undefined) {
  const own = snapshots
    .all()
    .filter(({ organization: { id, active }, members }) => active && members.has(user) && (organizationId ?? id) === id)
  if (name !== undefined) {
    const named = own.find(({ organization: { id, slug } }) => id === name || slug === name)
    if (named === undefined) throw new Fault('place.unknown')
    return named
  }
  const [only, ...others] = own
  if (only === undefined) throw new Fault('place.unknown')
  if (others.length > 0)
    throw new Fault('body.shape', { place: '/organization', problem: 'must be one of your organizations' })
  return only
}

function roleOf({ accounts }: MyKeyParts, principal: Principal, snapshot: Snapshot): Role {
  const role = admittedIn(accounts, principal, snapshot)
  if (role === undefined) throw new Fault('place.unknown')
  // A platform administrator counts as a member here, and a key of an organization never has the platform role.
  return lesserRole(role, 'tenant_admin')
}

const MOST_OWN = 100
/** The answer that holds a key is kept by nobody on its way. */
const secretly = <T>(answer: T, head: OperationCall['head']): T => {
  head.set('cache-control', 'no-store')
  return answer
}
const responseOf = ({ row, key }: MadeKey, head: OperationCall['head']) => secretly({ ...toKey(row), key }, head)
const takenName = (name: string) => new Fault('thing.taken', { thing: 'key', name })

type Wish = ReturnType<(typeof shapes.addMyKey)['body']['parse']>

function wordsOf(requested: Wish, { organization }: Snapshot, user: UserId, role: Role): KeyWords {
  if (requested.name === undefined) throw new Fault('body.shape', { place: '/name', problem: 'is required' })
  return {
    organizationId: organization.id,
    userId: user,
    name: requested.name,
    family: 'scoped',
    role: requested.scope ?? lesserRole('tenant_member', role),
    limit: requested.limit,
    toolset: requested.toolset,
    trusted: false,
    expiresAt: requested.expires_at === undefined ? undefined : new Date(requested.expires_at),
    origin: 'member',
    createdBy: user,
  }
}

export const myKeyOperations: readonly Served<MyKeyParts>[] = [
  serveSignedIn(shapes.listMyKeys, async ({ parts, principal, query, read }) => {
    const user = memberOf(principal)
    const organizationSnapshot =
      query.organization === undefined ? undefined : placeOf(parts, principal, user, query.organization)
    const id = organizationSnapshot?.organization.id ?? principal.organizationId
    return { items: eachOf(await read((sql) => listOwnKeys(sql, user, id)), toKey) }
  }),

  serveSignedIn(shapes.addMyKey, async ({ parts, principal, body, head, change }) => {
    const user = personOf(principal)
    const organizationSnapshot = placeOf(parts, principal, user, body.organization)
    const organizationId = organizationSnapshot.organization.id
    const made = await change(
      ({ row }: MadeKey) => ({ ...keyChange('key.add', row), organizationId }),
      async (sql) => {
        if (body.family === 'uru') {
          const own = await ensureMemberKey(sql, parts.vault, { organizationId, userId: user })
          if (own === undefined) throw takenName(MEMBER_KEY)
          return own
        }
        const role = roleOf(parts, principal, organizationSnapshot)
        const words = wordsOf(body, organizationSnapshot, user, role)
        await refuseBeyond(sql, principal, role, words)
        if ((await listOwnKeys(sql, user, organizationId)).length >= MOST_OWN)
          throw new Fault('key.many', { limit: MOST_OWN })
        return makeKey(sql, parts.vault.hash, words, organizationSnapshot.toolsets)
      },
    )
    return responseOf(made, head)
  }),

  serveSignedIn(shapes.regenerateMyKey, async ({ parts, principal, body, head, change }) => {
    const user = personOf(principal)
    const { organization } = placeOf(parts, principal, user, body?.organization)
    const membership = { organizationId: organization.id, userId: user }
    const made = await change(
      ({ row, replaced }: MadeKey & { replaced: string | undefined }) => ({
        ...keyChange('key.regenerate', row, replaced === undefined ? {} : { replaced }),
        organizationId: organization.id,
      }),
      async (sql) => {
        const own = await carryKeyRules(
          sql,
          organization.id,
          () => regenerateMemberKey(sql, parts.vault, membership),
          (next) => new Map(next?.replaced === undefined ? [] : [[next.replaced, next.row.id]]),
        )
        if (own === undefined) throw takenName(MEMBER_KEY)
        return own
      },
    )
    parts.forgetKeys()
    return responseOf(made, head)
  }),

  serveSignedIn(shapes.revealMyKey, async ({ parts, principal, actor, body, head, change }) => {
    const user = personOf(principal)
    const { organization } = placeOf(parts, principal, user, body?.organization)
    const membership = { organizationId: organization.id, userId: user }
    const by = await refuseOldSignIn(parts, { actor, principal, user, organizationId: organization.id }, body?.password)
    const rotated = await change(
      ({ id }: { id: KeyId; key: string }) => ({
        action: 'key.reveal',
        resource: 'key',
        id,
        detail: { user, by },
        organizationId: organization.id,
      }),
      async (sql) => {
        const shown = await revealMemberKey(sql, parts.vault, membership)
        if (shown === undefined) throw new Fault('thing.unknown', { thing: 'key' })
        return shown
      },
    )
    return secretly(rotated, head)
  }),

  serveSignedIn(shapes.removeMyKey, async ({ parts, principal, params, change }) => {
    const user = personOf(principal)
    await change(
      (row: KeyRow) => ({
        ...keyChange('key.remove', row),
        ...(row.organization_id === null ? {} : { organizationId: row.organization_id }),
      }),
      async (sql) => {
        const row = await removeOwnKey(sql, user, principal.organizationId, params['key'] ?? '')
        if (row === undefined) throw new Fault('thing.unknown', { thing: 'key' })
        return row
      },
    )
    parts.forgetKeys()
    return undefined
  }),
]
