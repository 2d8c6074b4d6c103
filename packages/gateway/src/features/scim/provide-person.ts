/**
 * People as their identity provider wants them: a user is made, linked, suspended or removed. The provider's word acts on the
 * membership; the account is changed only where no other word than this organization's counts for it (ADR 0142).
 */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import type { Db, OrgSql, SystemSql } from '../../db/db.ts'
import { emailOf, findUser, findUserByEmail } from '../../identity/users.ts'
import { findMember, hasOtherAdmin, suspendMember } from '../../organizations/members.ts'
import { recordChange, type Actor, type Change } from '../../records/change.ts'
import { provideMember, removeMembership, type MemberSeals } from '../people/index.ts'
import { putLeaver, removeLeaver } from './leavers.rows.ts'
import { refused } from './refuse.ts'
import { ENTERPRISE, isObject, type Json } from './schemas.ts'
import {
  addPerson,
  changeOwnUser,
  changePerson,
  endApprovalsOf,
  findPerson,
  isNameTaken,
  removeUserOf,
  type PersonRow,
  type PersonWords,
} from './scim-people.rows.ts'

export interface Provider {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly seals: MemberSeals
  readonly organization: { readonly id: OrganizationId; readonly slug: string }
  readonly actor: Actor
  /** Ends accounts at vendors of who is removed. */
  endAccounts(sql: OrgSql, userId: UserId): Promise<() => void>
}

const MOST_BYTES = 65_536
/** RFC 2606: nobody gets mail there, and nobody signs in with it. */
const NO_ADDRESS = 'no-address.invalid'

interface Wanted extends PersonWords {
  readonly active: boolean
  readonly email: string | undefined
  readonly name: string
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const entriesOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter((item) => isObject(item)) : [])

/** Throws `scim.refused`. */
export function wantedOf(person: Json): Wanted {
  const { schemas: _, id: _id, meta: _meta, externalId, userName, active, password: _password, ...attributes } = person
  const named = text(userName)?.trim()
  if (named === undefined || named === '') throw refused('invalidValue', 'userName is empty')
  if (named.length > 256 || String(externalId ?? '').length > 256)
    throw refused('invalidValue', 'userName or externalId is longer than 256 characters')
  if (Buffer.byteLength(JSON.stringify(attributes)) > MOST_BYTES)
    throw refused('invalidValue', `the attributes of a person are larger than ${MOST_BYTES} bytes`)
  const entries = entriesOf(attributes['emails']).filter(({ value }) => text(value) !== undefined)
  const first =
    entries.find(({ primary }) => primary === true) ?? entries.find(({ type }) => type === 'work') ?? entries[0]
  const address = text(first?.['value']) ?? (named.includes('@') ? named : undefined)
  const { displayName, name } = attributes
  const parts = isObject(name) ? name : {}
  const formed = [parts['givenName'], parts['familyName']].flatMap((item) => text(item) ?? []).join(' ')
  return {
    externalId: text(externalId) ?? null,
    userName: named,
    displayName: text(displayName) ?? '',
    addresses: [...new Set(entries.map(({ value }) => emailOf(String(value))))],
    attributes,
    active: active !== false,
    email: address === undefined ? undefined : emailOf(address),
    name: (text(displayName) ?? text(parts['formatted']) ?? (formed === '' ? named : formed)).slice(0, 100),
  }
}

/** As its provider reads and changes it. */
export const personOf = ({
  id,
  external_id: externalId,
  user_name: userName,
  active,
  attributes,
}: PersonRow): Json => ({
  id,
  ...(externalId === null ? {} : { externalId }),
  userName,
  active,
  ...attributes,
})

export const schemasOf = (person: Json, core: string): string[] => (ENTERPRISE in person ? [core, ENTERPRISE] : [core])

const record = (sql: OrgSql | SystemSql, { actor, organization }: Provider, change: Change) =>
  recordChange(sql, actor, organization.id, change)

/** Throws `thing.taken`, `person.unproven` and `scim.refused`. */
export async function addPersonFor(provider: Provider, person: Json): Promise<PersonRow> {
  const wanted = wantedOf(person)
  const { organization, seals } = provider
  const added = await provider.db.system(async (sql) => {
    if (await isNameTaken(sql, organization.id, wanted.userName, null)) throw taken(wanted.userName)
    const email = wanted.email ?? `${crypto.randomUUID()}@${NO_ADDRESS}`
    const words = { organizationId: organization.id, email, name: wanted.name, role: 'tenant_member' as const }
    const { user, joined } = await provideMember(sql, seals, words)
    if (!(await addPerson(sql, organization.id, user.id, wanted))) throw taken(email)
    const detail = { email: user.email, by: 'SCIM', linked: !joined }
    await record(sql, provider, { action: 'member.add', resource: 'member', id: user.id, detail })
    const row = await findPerson(sql, organization.id, user.id)
    if (row === undefined) throw new Error('a person who was added is not there')
    return row
  })
  if (!wanted.active) await switchPerson(provider, added.id, false)
  return { ...added, active: wanted.active }
}

const taken = (name: string) => new Fault('thing.taken', { thing: 'person', name })

/** `say`: the whole of the person, of what is there. Throws `thing.unknown`, `request.stale` and what `addPersonFor` throws. */
export async function changePersonFor(
  provider: Provider,
  id: string,
  say: (before: PersonRow) => Json,
): Promise<PersonRow> {
  const { organization } = provider
  const { before, wanted } = await provider.db.system(async (sql) => {
    const row = await findPerson(sql, organization.id, id)
    if (row === undefined) throw new Fault('thing.unknown', { thing: 'person' })
    const words = wantedOf(say(row))
    if (await isNameTaken(sql, organization.id, words.userName, id)) throw taken(words.userName)
    await changeAccount(sql, organization.id, row.id, words)
    await changePerson(sql, organization.id, row.id, words)
    return { before: row, wanted: words }
  })
  if (before.active !== wanted.active) await switchPerson(provider, before.id, wanted.active)
  const after = await provider.db.organization(organization.id, (sql) => findPerson(sql, organization.id, id))
  if (after === undefined) throw new Fault('thing.unknown', { thing: 'person' })
  return after
}

async function changeAccount(sql: SystemSql, organization: OrganizationId, userId: UserId, { email, name }: Wanted) {
  const user = await findUser(sql, userId)
  if (user?.vouched_by !== organization) return
  const wanted = email ?? user.email
  if (wanted !== user.email && (await findUserByEmail(sql, wanted)) !== undefined) throw taken(wanted)
  await changeOwnUser(sql, organization, { userId, email: wanted, name })
}

/** Throws `last.admin`. */
async function switchPerson(provider: Provider, userId: UserId, active: boolean): Promise<void> {
  const { organization } = provider
  await provider.db.organization(organization.id, async (sql) => {
    const member = await findMember(sql, userId)
    if (member === undefined) throw new Fault('thing.unknown', { thing: 'person' })
    if (!active && member.role === 'tenant_admin' && !(await hasOtherAdmin(sql, userId)))
      throw new Fault('last.admin', { role: 'tenant_admin', place: organization.slug })
    if (!(await suspendMember(sql, organization.id, userId, active))) return
    const { email, name } = member
    if (active) await removeLeaver(sql, userId)
    else {
      await endApprovalsOf(sql, userId)
      await putLeaver(sql, { organizationId: organization.id, userId, email, name, suspended: true })
    }
    const action = active ? 'member.restore' : 'member.suspend'
    await record(sql, provider, { action, resource: 'member', id: userId, detail: { email } })
  })
}

/** Throws `thing.unknown`, `request.stale` by `check`, and `last.admin`. */
export async function removePersonFor(provider: Provider, id: string, check: (row: PersonRow) => void): Promise<void> {
  const { organization } = provider
  const { userId, ended } = await provider.db.organization(organization.id, async (sql) => {
    const row = await findPerson(sql, organization.id, id)
    if (row === undefined) throw new Fault('thing.unknown', { thing: 'person' })
    check(row)
    const revoke = await provider.endAccounts(sql, row.id)
    await endApprovalsOf(sql, row.id)
    const { email, name, role } = await removeMembership(sql, organization.slug, row.id)
    await putLeaver(sql, { organizationId: organization.id, userId: row.id, email, name, suspended: false })
    await record(sql, provider, {
      action: 'member.remove',
      resource: 'member',
      id: row.id,
      detail: { email, role, by: 'SCIM' },
    })
    return { userId: row.id, ended: revoke }
  })
  ended()
  await provider.db.system((sql) => removeUserOf(sql, organization.id, userId))
}
