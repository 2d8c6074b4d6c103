/** Groups as their identity provider wants them. What an administrator added by hand stays (ADR 0142). */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import type { OrgSql } from '../../db/db.ts'
import { findGroup as findSlug, joinGroup, leaveGroup, putGroup, removeGroup } from '../../organizations/groups.ts'
import { recordChange, type Change } from '../../records/change.ts'
import { needed, readFilter } from './filter.ts'
import { checkSchemas } from './input.ts'
import type { PatchStep } from './patch.ts'
import type { Provider } from './provide-person.ts'
import { refused, refuseFull } from './refuse.ts'
import { GROUP, isObject, type Json } from './schemas.ts'
import {
  addGroup,
  changeGroup,
  countProvidedGroups,
  dropProvided,
  findGroup,
  isGroupNameTaken,
  listKnown,
  type GroupWords,
  type ScimGroupRow,
} from './scim-groups.rows.ts'

const SOURCE = 'scim'
const MOST_MEMBERS = 50_000
const MOST_GROUPS = 5_000

interface Wanted extends GroupWords {
  /** Undefined: as they are. */
  readonly members: readonly string[] | undefined
}

/** Throws `scim.refused`. */
export function wantedGroup(group: Json): Wanted {
  checkSchemas(group, [GROUP])
  const { displayName, externalId, members } = group
  const name = typeof displayName === 'string' ? displayName.trim() : ''
  if (name === '' || name.length > 256)
    throw refused('invalidValue', 'displayName is empty or longer than 256 characters')
  return { displayName: name, externalId: externalIdOf(externalId), members: idsOf(members) }
}

/** Throws `scim.refused`. */
function externalIdOf(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string' || value.length > 256)
    throw refused('invalidValue', 'externalId is not a text of at most 256 characters')
  return value
}

function idsOf(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined
  const entries = Array.isArray(value) ? value : [value]
  if (entries.length > MOST_MEMBERS) throw refused('tooMany', `a group has at most ${MOST_MEMBERS} members`)
  return entries.map((item: unknown) => {
    const id = isObject(item) ? item['value'] : item
    if (typeof id !== 'string') throw refused('invalidValue', 'a member of a group has no value')
    return id
  })
}

const change = async <T>(
  { db, organization, actor }: Provider,
  say: (result: T) => Change | undefined,
  work: (sql: OrgSql) => Promise<T>,
): Promise<T> =>
  db.organization(organization.id, async (sql) => {
    const result = await work(sql)
    const said = say(result)
    if (said !== undefined) await recordChange(sql, actor, organization.id, said)
    return result
  })

const groupChange = (action: 'group.put' | 'group.remove', { slug, display_name: title }: ScimGroupRow): Change => ({
  action,
  resource: 'group',
  id: slug,
  detail: { title, by: 'SCIM' },
})

/** A slug that no group has: one that an administrator made is not filled by a provider that has another of that name. */
async function freeSlug(sql: OrgSql, displayName: string): Promise<string> {
  const plain = displayName
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 34)
  const base = plain.replace(/-+$/, '') || 'group'
  for (let at = 1; at < 1_000; at++) {
    const slug = at === 1 ? base : `${base}-${at}`
    if ((await findSlug(sql, slug)) === undefined) return slug
  }
  throw refused('invalidValue', 'too many groups have this name')
}

async function join(
  sql: OrgSql,
  organizationId: OrganizationId,
  slug: string,
  ids: readonly string[],
): Promise<number> {
  const known = await listKnown(sql, ids)
  const stranger = ids.find((id) => !known.has(id))
  if (stranger !== undefined)
    throw refused('invalidValue', `there is no person ${stranger.slice(0, 64)} in this organization`)
  const users = ids.map((id) => id as UserId)
  return joinGroup(sql, organizationId, slug, users, SOURCE)
}

/** Throws `thing.taken` and `scim.refused`. */
export const addGroupFor = (provider: Provider, body: Json): Promise<ScimGroupRow> =>
  change(
    provider,
    (row) => groupChange('group.put', row),
    async (sql) => {
      const { id } = provider.organization
      const wanted = wantedGroup(body)
      if (await isGroupNameTaken(sql, wanted.displayName, null)) throw taken(wanted.displayName)
      refuseFull(await countProvidedGroups(sql), MOST_GROUPS, 'groups')
      const slug = await freeSlug(sql, wanted.displayName)
      await putGroup(sql, { organizationId: id, slug, title: wanted.displayName, awaited: [], origin: SOURCE })
      const row = await addGroup(sql, id, slug, wanted)
      if (row === undefined) throw taken(wanted.displayName)
      await join(sql, id, slug, wanted.members ?? [])
      return row
    },
  )

const taken = (name: string) => new Fault('thing.taken', { thing: 'group', name })

async function getGroup(sql: OrgSql, id: string): Promise<ScimGroupRow> {
  const row = await findGroup(sql, id)
  if (row === undefined) throw new Fault('thing.unknown', { thing: 'group' })
  return row
}

async function rewrite(sql: OrgSql, { organization }: Provider, before: ScimGroupRow, words: GroupWords) {
  if (words.displayName !== before.display_name) {
    if (await isGroupNameTaken(sql, words.displayName, before.id)) throw taken(words.displayName)
    const { slug } = before
    const awaited = (await findSlug(sql, slug))?.awaited ?? []
    await putGroup(sql, { organizationId: organization.id, slug, title: words.displayName, awaited, origin: SOURCE })
  }
  const row = await changeGroup(sql, before.id, words)
  if (row === undefined) throw new Fault('thing.unknown', { thing: 'group' })
  return row
}

export async function replaceGroupFor(
  provider: Provider,
  id: string,
  body: Json,
  check: (row: ScimGroupRow) => void,
): Promise<ScimGroupRow> {
  const { row, left } = await change(
    provider,
    (result: { readonly row: ScimGroupRow; readonly left: readonly string[] }) => groupChange('group.put', result.row),
    async (sql) => {
      const before = await getGroup(sql, id)
      check(before)
      const wanted = wantedGroup(body)
      const members = wanted.members ?? []
      const dropped = await dropProvided(sql, before.slug, members)
      await join(sql, provider.organization.id, before.slug, members)
      return { row: await rewrite(sql, provider, before, wanted), left: dropped.map((member) => member.id) }
    },
  )
  await settleLeft(provider, left)
  return row
}

const settleLeft = async ({ settle }: Provider, left: readonly string[]): Promise<void> => {
  if (left.length > 0) await settle(left.map((id) => id as UserId))
}

export async function removeGroupFor(
  provider: Provider,
  id: string,
  check: (row: ScimGroupRow) => void,
): Promise<ScimGroupRow> {
  const removed = await change(
    provider,
    (row: ScimGroupRow) => groupChange('group.remove', row),
    async (sql) => {
      const row = await getGroup(sql, id)
      check(row)
      await removeGroup(sql, row.slug)
      return row
    },
  )
  await provider.settle(undefined)
  return removed
}

interface Patched {
  readonly row: ScimGroupRow
  readonly joined: readonly string[]
  readonly left: readonly string[]
}

/** Only the members that are named are read or written, so that a large group costs no more than a small one. */
export async function patchGroupFor(
  provider: Provider,
  id: string,
  steps: readonly PatchStep[],
  check: (row: ScimGroupRow) => void,
): Promise<ScimGroupRow> {
  const { row, left } = await change(provider, patchRecord, async (sql): Promise<Patched> => {
    const before = await getGroup(sql, id)
    check(before)
    const work = { words: { displayName: before.display_name, externalId: before.external_id }, joined: [], left: [] }
    const after: Work = work
    for (const step of steps) await apply(sql, provider, before.slug, step, after)
    return { row: await rewrite(sql, provider, before, after.words), joined: after.joined, left: after.left }
  })
  await settleLeft(provider, left)
  return row
}

interface Work {
  words: GroupWords
  joined: string[]
  left: string[]
}

const SHOWN = 20

function patchRecord({ row, joined, left }: Patched): Change {
  const people = joined.length > 0 ? joined : left
  if (people.length === 0) return groupChange('group.put', row)
  const detail = { users: people.slice(0, SHOWN), joined: joined.length, left: left.length, by: 'SCIM' }
  return { action: joined.length > 0 ? 'group.join' : 'group.leave', resource: 'group', id: row.slug, detail }
}

async function apply(sql: OrgSql, provider: Provider, slug: string, { op, path, value }: PatchStep, work: Work) {
  if (path === undefined || path === '') {
    if (!isObject(value)) throw refused('invalidValue', 'a value without a path is not an object')
    for (const [name, item] of Object.entries(value))
      if (name !== 'schemas' && name !== 'id') await apply(sql, provider, slug, { op, path: name, value: item }, work)
    return
  }
  const name = path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:Group:/i, '')
  const key = name.toLowerCase()
  if (key === 'displayname' || key === 'externalid') return rename(work, key, op, value)
  if (!/^members(?:\[|$)/.test(key))
    throw refused('invalidPath', `"${path.slice(0, 100)}" is not an attribute of a group`)
  if (op === 'remove') return leave(sql, slug, name, value, work)
  if (key !== 'members') throw refused('invalidPath', 'members are added and removed whole')
  const ids = idsOf(value) ?? []
  if (op === 'replace') work.left.push(...(await dropProvided(sql, slug, ids)).map(({ id }) => id))
  await join(sql, provider.organization.id, slug, ids)
  work.joined.push(...ids)
}

function rename(work: Work, key: string, op: PatchStep['op'], value: unknown): void {
  const { displayName, externalId } = work.words
  if (key === 'externalid') work.words = { displayName, externalId: op === 'remove' ? null : externalIdOf(value) }
  else if (op === 'remove') throw refused('mutability', 'a group has a displayName')
  else work.words = { displayName: wantedGroup({ displayName: value }).displayName, externalId }
}

/** By a filter in the path, by values beside the path, or all of them. */
async function leave(sql: OrgSql, slug: string, path: string, value: unknown, work: Work): Promise<void> {
  const filter = /^members\[(.*)\]$/is.exec(path)?.[1]
  if (filter === undefined && idsOf(value) === undefined) {
    work.left.push(...(await dropProvided(sql, slug, [])).map(({ id }) => id))
    return
  }
  const ids = filter === undefined ? (idsOf(value) ?? []) : valuesIn(filter)
  await leaveGroup(
    sql,
    slug,
    ids.map((id) => id as UserId),
    SOURCE,
  )
  work.left.push(...ids)
}

function valuesIn(text: string): string[] {
  const said = needed(readFilter(text))
  const values = said.flatMap(({ path, by, value }) =>
    path === 'value' && by === 'eq' && typeof value === 'string' ? [value] : [],
  )
  if (values.length !== said.length || values.length === 0)
    throw refused('invalidFilter', 'members are chosen by their value')
  return values
}
