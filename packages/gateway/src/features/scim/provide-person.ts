/**
 * People as their identity provider wants them: a user is made, linked, suspended or removed. The provider's word acts on the
 * membership; the account is changed only where no other word than this organization's counts for it (ADR 0142).
 */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import { Email } from '@toolway/contract/admin'
import type { Db, OrgSql, SystemSql } from '../../db/db.ts'
import { emailOf, findUser, findUserByEmail } from '../../identity/users.ts'
import { hasOtherAdminIn, lockMember, suspendMember, type MemberRow } from '../../organizations/members.ts'
import { recordChange, type Actor, type Change } from '../../records/change.ts'
import { provideMember, removeMembership, type MemberSeals } from '../people/index.ts'
import { putLeaver, removeLeaverOf } from './leavers.rows.ts'
import { refused, refuseFull } from './refuse.ts'
import { ENTERPRISE, isObject, type Json } from './schemas.ts'
import {
  addPerson,
  changeOwnUser,
  changePerson,
  countProvided,
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
  /** Resolves once what was taken from these people, or from any, counts here. */
  settle(userIds: readonly UserId[] | undefined): Promise<void>
}

const MOST_BYTES = 65_536
const MOST_PEOPLE = 100_000
const MOST_TEXT = 256
/** Characters of an account's name (`PersonName`). */
const MOST_NAME = 100
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
function checkLengths(words: Readonly<Record<string, unknown>>, attributes: Json): void {
  for (const [name, value] of Object.entries(words))
    if (String(value ?? '').length > MOST_TEXT)
      throw refused('invalidValue', `${name} is longer than ${MOST_TEXT} characters`)
  if (Buffer.byteLength(JSON.stringify(attributes)) > MOST_BYTES)
    throw refused('invalidValue', `the attributes of a person are larger than ${MOST_BYTES} bytes`)
}

/** Throws `scim.refused`. */
function addressOf({ value }: Json): string {
  const address = emailOf(String(value))
  if (!Email.safeParse(address).success)
    throw refused('invalidValue', `"${address.slice(0, 100)}" in emails is not an email address`)
  return address
}

/** Whole characters, of which none is cut in two. */
const cut = (name: string): string => name.slice(0, MOST_NAME).replace(/[\uD800-\uDBFF]$/, '')

/** Throws `scim.refused`. */
export function wantedOf(person: Json): Wanted {
  const { schemas: _, id: _id, meta: _meta, externalId, userName, active, password: _password, ...attributes } = person
  const named = text(userName)?.trim()
  if (named === undefined || named === '') throw refused('invalidValue', 'userName is empty')
  if (typeof active !== 'boolean') throw refused('invalidValue', 'active is not true or false')
  const { displayName, name } = attributes
  checkLengths({ userName: named, externalId, displayName }, attributes)
  const entries = entriesOf(attributes['emails']).filter(({ value }) => text(value) !== undefined)
  const addresses = entries.map((entry) => addressOf(entry))
  const first =
    entries.find(({ primary }) => primary === true) ?? entries.find(({ type }) => type === 'work') ?? entries[0]
  const parts = isObject(name) ? name : {}
  const formed = [parts['givenName'], parts['familyName']].flatMap((item) => text(item) ?? []).join(' ')
  return {
    externalId: text(externalId) ?? null,
    userName: named,
    displayName: text(displayName) ?? '',
    addresses: [...new Set(addresses)],
    attributes,
    active,
    email: first === undefined ? Email.safeParse(emailOf(named)).data : addressOf(first),
    name: cut(text(displayName) ?? text(parts['formatted']) ?? (formed === '' ? named : formed)),
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

/** Throws `thing.taken`, `person.unproven`, `last.admin` and `scim.refused`. */
export async function addPersonFor(provider: Provider, person: Json): Promise<PersonRow> {
  const wanted = wantedOf(person)
  const { organization, seals } = provider
  return provider.db.system(async (sql) => {
    if (await isNameTaken(sql, organization.id, wanted.userName, null)) throw taken(wanted.userName)
    refuseFull(await countProvided(sql, organization.id), MOST_PEOPLE, 'people')
    const email = wanted.email ?? `${crypto.randomUUID()}@${NO_ADDRESS}`
    const words = { organizationId: organization.id, email, name: wanted.name, role: 'tenant_member' as const }
    const { user, joined } = await provideMember(sql, seals, words)
    const member = await lockFor(provider, sql, user.id, wanted)
    if (!(await addPerson(sql, organization.id, user.id, wanted))) throw taken(email)
    const row = await findPerson(sql, organization.id, user.id)
    if (row === undefined) throw new Error('a person who was added is not there')
    const switched = await switchPerson(provider, sql, member, wanted.active)
    const detail = { email: user.email, by: 'SCIM', linked: !joined }
    await record(sql, provider, { action: 'member.add', resource: 'member', id: user.id, detail })
    if (switched !== undefined) await record(sql, provider, switched)
    return { ...row, active: wanted.active }
  })
}

const taken = (name: string) => new Fault('thing.taken', { thing: 'person', name })

/** `say`: the whole of the person, of what is there. Throws `thing.unknown`, `request.stale` and what `addPersonFor` throws. */
export async function changePersonFor(
  provider: Provider,
  id: string,
  say: (before: PersonRow) => Json,
): Promise<PersonRow> {
  const { organization } = provider
  const { after, ended } = await provider.db.system(async (sql) => {
    const row = await findPerson(sql, organization.id, id)
    if (row === undefined) throw unknownPerson()
    const words = wantedOf(say(row))
    if (await isNameTaken(sql, organization.id, words.userName, id)) throw taken(words.userName)
    const member = await lockFor(provider, sql, row.id, words)
    const renamed = await changeAccount(sql, organization.id, member, words)
    await changePerson(sql, organization.id, row.id, words)
    const switched = await switchPerson(provider, sql, { ...member, ...renamed }, words.active)
    if (renamed !== undefined) {
      const detail = { email: renamed.email, before: member.email, by: 'SCIM' }
      await record(sql, provider, { action: 'member.change', resource: 'member', id: row.id, detail })
    }
    if (switched !== undefined) await record(sql, provider, switched)
    const after = await findPerson(sql, organization.id, id)
    if (after === undefined) throw unknownPerson()
    return { after, ended: switched?.action === 'member.suspend' }
  })
  if (ended) await provider.settle([after.id])
  return after
}

const unknownPerson = () => new Fault('thing.unknown', { thing: 'person' })

/** Administrators are locked before a member is, so that two changes never wait for each other. Throws `last.admin`. */
async function lockFor(
  { organization }: Provider,
  sql: SystemSql,
  userId: UserId,
  { active }: Wanted,
): Promise<MemberRow> {
  const hasOther = active || (await hasOtherAdminIn(sql, organization.id, userId))
  const member = await lockMember(sql, organization.id, userId)
  if (member === undefined) throw unknownPerson()
  if (!hasOther && member.active && member.role === 'tenant_admin')
    throw new Fault('last.admin', { role: 'tenant_admin', place: organization.slug })
  return member
}

/**
 * The new address, where the account has one. An administrator's stays: a token of provisioning would otherwise be a way to their
 * sign-in (ADR 0142). Throws `thing.taken`.
 */
async function changeAccount(
  sql: SystemSql,
  organization: OrganizationId,
  { user_id: userId, role }: MemberRow,
  { email, name }: Wanted,
): Promise<{ readonly email: string } | undefined> {
  const user = await findUser(sql, userId)
  if (user?.vouched_by !== organization) return undefined
  const wanted = role === 'tenant_admin' ? user.email : (email ?? user.email)
  if (wanted !== user.email && (await findUserByEmail(sql, wanted)) !== undefined) throw taken(wanted)
  const changed = await changeOwnUser(sql, organization, { userId, email: wanted, name })
  return changed && wanted !== user.email ? { email: wanted } : undefined
}

/** The change to record, where there is one. */
async function switchPerson(
  { organization }: Provider,
  sql: SystemSql,
  { user_id: userId, email, name }: MemberRow,
  active: boolean,
): Promise<Change | undefined> {
  if (!(await suspendMember(sql, organization.id, userId, active))) return undefined
  if (active) await removeLeaverOf(sql, organization.id, userId)
  else {
    await endApprovalsOf(sql, organization.id, userId)
    await putLeaver(sql, { organizationId: organization.id, userId, email, name, suspended: true })
  }
  const action = active ? 'member.restore' : 'member.suspend'
  return { action, resource: 'member', id: userId, detail: { email } }
}

/** Throws `thing.unknown`, `request.stale` by `check`, and `last.admin`. */
export async function removePersonFor(provider: Provider, id: string, check: (row: PersonRow) => void): Promise<void> {
  const { organization } = provider
  const { userId, ended } = await provider.db.organization(organization.id, async (sql) => {
    const row = await findPerson(sql, organization.id, id)
    if (row === undefined) throw new Fault('thing.unknown', { thing: 'person' })
    check(row)
    const revoke = await provider.endAccounts(sql, row.id)
    await endApprovalsOf(sql, organization.id, row.id)
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
  await provider.settle([userId])
}
