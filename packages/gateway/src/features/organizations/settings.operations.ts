/**
 * The settings of an organization that its own administrators may read and change. Settings reserved to the platform stay as they
 * are.
 */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { changeOwnOrganization, getOwnOrganization, type OrganizationRow } from '../../organizations/organizations.ts'
import { refuseStale, tagOf } from '../../lib/entity-tag.ts'
import { mostOf, rateOf } from './rate.ts'
import { changedOrganization, type OrganizationParts } from './organizations.operations.ts'
import { refuseOldProof } from '../../operations/recent-proof.ts'
import { signInSettingsOf } from './sign-in-settings.ts'
import { operationServers, type OperationCall, type Served } from '../../operations/serve.ts'

const { serveOrganization } = operationServers<OrganizationParts>()

function shownSettings(parts: OrganizationParts, row: OrganizationRow, head: OperationCall['head']) {
  const { id, slug, name, description, contact_email, settings, created_at, updated_at } = row
  head.set('etag', tagOf(updated_at))
  return {
    id,
    slug,
    name,
    description,
    contact_email,
    requests_per_minute: rateOf(settings, parts.requestsPerMinute),
    max_requests_per_minute: mostOf(settings, parts.requestsPerMinute),
    allow_processes: settings.allow_processes === true,
    approvals: settings.approvals === undefined || settings.approvals === 'none' ? 'off' : settings.approvals,
    availability_target: settings.availability_target ?? shapes.AVAILABILITY_TARGET,
    second_factor: settings.second_factor ?? 'optional',
    sign_in_hours: settings.sign_in_hours ?? null,
    sign_in_idle_minutes: settings.sign_in_idle_minutes ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}

export const organizationSettingOperations: readonly Served<OrganizationParts>[] = [
  serveOrganization(shapes.getSettings, async ({ read, parts, organization, head }) =>
    shownSettings(parts, await read((sql) => getOwnOrganization(sql, organization.id)), head),
  ),

  serveOrganization(shapes.changeSettings, async ({ change, parts, principal, organization, body, head, ifMatch }) => {
    const { requests_per_minute: requested, approvals, availability_target: target, ...others } = body
    const { second_factor, sign_in_hours, sign_in_idle_minutes, ...rest } = others
    const signIn = signInSettingsOf({ second_factor, sign_in_hours, sign_in_idle_minutes })
    if (Object.keys(signIn).length > 0) await refuseOldProof(parts, principal)
    const row = await change(
      ({ id }: OrganizationRow) => ({
        action: 'organization.change',
        resource: 'organization',
        id,
        detail: { fields: Object.keys(body) },
      }),
      async (sql) => {
        const ownOrganization = await getOwnOrganization(sql, organization.id, true)
        refuseStale('organization', ownOrganization.updated_at, ifMatch)
        const most = mostOf(ownOrganization.settings, parts.requestsPerMinute)
        if (typeof requested === 'number' && requested > most)
          throw new Fault('body.shape', { place: '/requests_per_minute', problem: `must be at most ${most} here` })
        const settled = {
          ...(requested === undefined ? {} : { requests_per_minute: requested }),
          ...(approvals === undefined ? {} : { approvals }),
          ...(target === undefined ? {} : { availability_target: target }),
          ...signIn,
        }
        const settings = Object.keys(settled).length === 0 ? {} : { settings: settled }
        return changeOwnOrganization(
          sql,
          changedOrganization(ownOrganization, { ...rest, ...settings }, parts.requestsPerMinute),
        )
      },
    )
    await parts.snapshots.refresh(organization.id)
    return shownSettings(parts, row, head)
  }),
]
