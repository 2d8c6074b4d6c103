/** People of an organization whose membership or groups changed, read anew for who waits until it counts here. */
import type { OrganizationId, UserId } from '@toolway/contract'
import type { KeepSnapshots } from './keep-snapshots.ts'

const TABLES = ['members', 'group_members'] as const

/** One load, because what is wanted in the same turn of the event loop is loaded together. */
export async function refreshPeople(
  { refresh }: Pick<KeepSnapshots, 'refresh'>,
  organization: OrganizationId,
  ids: readonly UserId[],
): Promise<void> {
  await Promise.all(TABLES.map((table) => refresh(organization, { table, ids })))
}
