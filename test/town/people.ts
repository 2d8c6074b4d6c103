/** People of a town: users with the names of many languages, members, groups, and keys of members and of programs. */
import { createHash } from 'node:crypto'
import type { KeyId, OrganizationId, UserId } from '@toolway/contract'
import type { SystemSql } from '../../packages/gateway/src/db/db.ts'
import { hintOf, prefixOf } from '../../packages/gateway/src/identity/keys/key-forms.ts'
import { sealedKeyRow } from '../../packages/gateway/src/identity/keys/member-keys.ts'
import type { Vault } from '../../packages/gateway/src/vault/vault.ts'
import { insert } from './insert.ts'
import type { Chance } from './random.ts'
import type { OrganizationSize } from './size.ts'

const FIRST = [
  ...['Ada', 'Björn', 'Chiamaka', 'Dương', 'Élodie', 'Farid', 'Grace', 'Hanna', 'Ikaika', 'Jürgen', 'Kavita', 'Łukasz'],
  ...['Mei', 'Nguyên', 'Oluwaseun', 'Paula', 'Quentin', 'Rosa', 'Søren', 'Tomáš', 'Uche', 'Viktória', 'Wanjiru', 'Xi'],
  ...['Yusuf', 'Zoë'],
] as unknown as readonly [string, ...string[]]
const LAST = [
  ...['Nguyen', 'García', 'Müller', 'Okafor', 'Kowalski', 'Sánchez', 'Tanaka', 'O’Brien', 'van der Berg', 'Özdemir'],
  ...['Dvořák', 'Haugen', 'Ibrahim', 'Jóhannsdóttir', 'Kim', 'Lindqvist', 'Mbeki', 'Papadopoulos', 'Rossi', 'Singh'],
  ...['Smith', 'Tremblay', 'Featherstonehaugh-Cholmondeley', 'Wu', 'Yıldız'],
] as unknown as readonly [string, ...string[]]
const TEAMS = [
  ...['Sales', 'Support', 'Finance', 'Research', 'Field Service', 'Legal', 'Data Platform', 'Warehouse', 'Brand'],
] as unknown as readonly [string, ...string[]]

export interface Person {
  readonly id: UserId
  readonly email: string
  readonly name: string
}

export interface Making {
  readonly sql: SystemSql
  readonly vault: Vault
  readonly chance: Chance
  readonly organization: OrganizationSize & { readonly id: OrganizationId }
  /** Milliseconds: the moment at which the town is. */
  readonly now: number
}

const DAY = 86_400_000
const ascii = (text: string) =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '') || 'x'

/** The administrators come first; `password` is the hash of the first one's, and nobody else has one. */
export async function makePeople(making: Making, password: string): Promise<readonly Person[]> {
  const { sql, chance, organization, now } = making
  const { slug, id: organizationId } = organization
  const people = Array.from({ length: Math.max(1, organization.members) }, (_, at) => {
    const [first, last] = [chance.of(FIRST), chance.of(LAST)]
    const email = at === 0 ? `admin@${slug}.example` : `${ascii(first)}.${ascii(last)}.${at}@${slug}.example`
    const joined = now - chance.under(900) * DAY
    return { id: chance.id('usr', joined) as UserId, email, name: `${first} ${last}`, at, joined }
  })
  await insert(
    sql,
    'users',
    people.map(({ id, email, name, at, joined }) => ({
      ...{ id, email, name, password: at === 0 ? password : null, provider: at === 0 ? 'local' : 'https://id.example' },
      provider_subject: at === 0 ? null : `subject-${slug}-${at}`,
      ...{ platform_admin: slug === 'meridian' && at === 0, active: at === 0 || !chance.yes(0.03), epoch: 0 },
      ...{ created_at: time(joined), updated_at: time(joined) },
      signed_in_at: chance.yes(0.8) ? time(now - chance.under(60) * DAY) : null,
    })),
  )
  await insert(
    sql,
    'members',
    people.map(({ id, at, joined }) => ({
      ...{ organization_id: organizationId, user_id: id },
      role: at === 0 || chance.yes(0.01) ? 'tenant_admin' : chance.yes(0.1) ? 'tenant_viewer' : 'tenant_member',
      ...{ created_at: time(joined), updated_at: time(joined) },
    })),
  )
  await makeGroups(making, people)
  return people
}

/** Most groups are small, and the first has a third of all members. */
async function makeGroups({ sql, chance, organization, now }: Making, people: readonly Person[]) {
  const slugs = Array.from({ length: organization.groups }, (_, at) => {
    const team = chance.of(TEAMS)
    return { slug: `${ascii(team)}-${at + 1}`, title: `${team} ${at + 1}` }
  })
  const common = { organization_id: organization.id, origin: 'administration' }
  await insert(
    sql,
    'groups',
    slugs.map((words) => ({ ...common, ...words, awaited: [], created_at: time(now), updated_at: time(now) })),
  )
  const rows = slugs.flatMap(({ slug }, at) => {
    const share = at === 0 ? 1 / 3 : Math.min(0.5, 12 / people.length)
    const inside = people.filter(() => chance.yes(share))
    return inside.map(({ id }) => ({
      organization_id: organization.id,
      group_slug: slug,
      user_id: id,
      added_at: time(now),
    }))
  })
  await insert(sql, 'group_members', rows)
}

export interface TownKey {
  readonly id: KeyId
  readonly userId: UserId | null
}

/** One of each member while they last; then keys of programs, of which some have run out and many were never used. */
export async function makeKeys(making: Making, people: readonly Person[]): Promise<readonly TownKey[]> {
  const { sql, vault, chance, organization, now } = making
  const rows = Array.from({ length: organization.keys }, (_, at) => {
    const person = people[at]
    const made = now - chance.under(700) * DAY
    const id = chance.id('key', made) as KeyId
    // The text is known to nobody: what stands in public source lets nobody in.
    const text = `uru_${createHash('sha256').update(vault.hash(id)).digest('hex')}`
    const own = person !== undefined
    return {
      ...{ id, organization_id: organization.id, name: own ? 'personal' : `${chance.of(TEAMS)} bot ${at}` },
      ...{ hint: hintOf(text), prefix: prefixOf(text), hash: vault.hash(text), family: own ? 'uru' : 'smcp' },
      sealed: own ? vault.seal(text, sealedKeyRow(id)) : null,
      role: own ? 'tenant_admin' : chance.yes(0.2) ? 'tenant_viewer' : 'tenant_member',
      ...{ effect_limit: 'execute', trusted: false, user_id: own ? person.id : null },
      created_by: own ? person.id : (people[0]?.id ?? null),
      ...{ origin: own ? 'member' : 'administration', created_at: time(made) },
      expires_at: !own && chance.yes(0.4) ? time(now + (chance.under(200) - 60) * DAY) : null,
      last_used_at: chance.yes(0.6) ? time(Math.max(made, now - chance.under(90) * DAY)) : null,
    }
  })
  await insert(sql, 'keys', rows)
  return rows.map(({ id, user_id: userId }) => ({ id, userId }))
}

export const time = (at: number): string => new Date(at).toISOString()
