/**
 * Administrators take the second factors of somebody who has lost them. The platform's do so for everybody but themselves; those of an
 * organization for members that are nobody else's, because what they take is the whole account's. All sign-ins of the person end, and
 * each organization of theirs gets an alert.
 */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { SystemSql } from '../../db/db.ts'
import { endSignInsOf } from '../../identity/sign-ins.ts'
import { findUser } from '../../identity/users.ts'
import { operationServers, type Served } from '../../operations/serve.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import { addAlert } from '../alerts/index.ts'
import type { OwnFactorParts } from './own-factors.operations.ts'
import { listOrganizationsOf, lockPerson, removeAll } from './second-factors.rows.ts'

const { serveOrganization, servePlatform } = operationServers<OwnFactorParts>()

interface Reset {
  readonly actor: Actor
  readonly user: UserId
  /** The organization whose administrator asks; undefined for the platform's. */
  readonly by: OrganizationId | undefined
}

/** Throws `thing.unknown` and `factor.platform`. */
async function resetAll(sql: SystemSql, { actor, user, by }: Reset): Promise<void> {
  await lockPerson(sql, user)
  const row = await findUser(sql, user)
  const homes = await listOrganizationsOf(sql, user)
  const isTheirs = by === undefined || homes.some(({ id }) => id === by)
  if (row === undefined || !isTheirs)
    throw new Fault('thing.unknown', { thing: by === undefined ? 'person' : 'member' })
  const isAlone = homes.length === 1 && !row.platform_admin
  if (user === actor.id || (by !== undefined && !isAlone)) throw new Fault('factor.platform')
  const removed = await removeAll(sql, user)
  const ended = await endSignInsOf(sql, user, 'the second factor was reset')
  const detail = { email: row.email, removed, sign_ins_ended: ended.length }
  await recordChange(sql, actor, by, { action: 'second_factor.reset', resource: 'user', id: user, detail })
  for (const { id } of homes)
    await addAlert(sql, {
      organizationId: id,
      kind: 'factor.reset',
      detail: { email: row.email, name: row.name },
    })
}

export const resetOperations: readonly Served<OwnFactorParts>[] = [
  servePlatform(shapes.resetSecondFactor, async ({ parts, actor, params }) => {
    const user = (params['user'] ?? '') as UserId
    await parts.db.system((sql) => resetAll(sql, { actor, user, by: undefined }))
    await parts.accounts.load([user])
    return undefined
  }),

  // A member may be in other organizations, which no organization sees: this runs in a system transaction, for this organization.
  serveOrganization(shapes.resetMemberSecondFactor, async ({ parts, actor, organization, params }) => {
    const user = (params['user'] ?? '') as UserId
    await parts.db.system((sql) => resetAll(sql, { actor, user, by: organization.id }))
    await parts.accounts.load([user])
    return undefined
  }),
]
