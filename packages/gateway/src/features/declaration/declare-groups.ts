/** The groups that a declaration file names: made, changed and removed with it; who is not a member yet is awaited. */
import { isDeepStrictEqual } from 'node:util'
import type { OrgSql } from '../../db/db.ts'
import { listGroups, putGroup, removeGroup } from '../../organizations/groups.ts'
import type { OrganizationRow } from '../../organizations/organizations.ts'
import type { Change } from '../../records/change.ts'
import { addressesOf, fillGroup, membersAmong } from '../people/index.ts'

export interface DeclaredGroup {
  readonly slug: string
  readonly title: string
  /** Addresses, whether or not somebody is a member under them already. */
  readonly members: readonly string[]
}

const FILE = 'file'

export interface DeclareGroups {
  readonly sql: OrgSql
  readonly organization: OrganizationRow
  say(change: Change): void
  conflict(what: string, name: string, origin: string): Error
}

export async function declareGroups(
  { sql, organization, say, conflict }: DeclareGroups,
  groups: readonly DeclaredGroup[],
): Promise<void> {
  const present = await listGroups(sql)
  const named = new Set(groups.map(({ slug }) => slug))
  for (const { slug, origin } of present) {
    if (origin !== FILE || named.has(slug)) continue
    await removeGroup(sql, slug)
    say({ action: 'group.remove', resource: 'group', id: slug, detail: { origin: FILE } })
  }
  for (const { slug, title, members } of groups) {
    const held = present.find((group) => group.slug === slug)
    if (held !== undefined && held.origin !== FILE) throw conflict('group', slug, held.origin)
    const awaited = addressesOf(members)
    const same = held?.title === title && isDeepStrictEqual(held.awaited, awaited)
    if (!same) await putGroup(sql, { organizationId: organization.id, slug, title, awaited, origin: FILE })
    const moved = await fillGroup(sql, organization.id, slug, await membersAmong(sql, awaited))
    if (same && moved === 0) continue
    say({ action: 'group.put', resource: 'group', id: slug, detail: { members: awaited, origin: FILE } })
  }
}
