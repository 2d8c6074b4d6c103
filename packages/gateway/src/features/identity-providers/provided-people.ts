/**
 * Maps a person whom a provider proves to a user: by the provider's own id first, otherwise by an address that counts.
 *
 * A provider of an organization speaks for that organization alone. It reaches an existing user only where the organization has proven
 * the domain of the address, or made the account itself; it never reaches who administers the installation, and what it opens is bound
 * to its organization. An address that does not count neither joins an account nor creates one.
 */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import type { GroupMapping, MemberRole, ProviderSettings } from '@toolway/contract/admin'
import type { SystemSql } from '../../db/db.ts'
import { counts } from '../../identity/federated/email-proof.ts'
import { valueAt, type Proven } from '../../identity/federated/identity-provider.ts'
import { voidPasswordCode } from '../../identity/codes.ts'
import { endSignInsOf } from '../../identity/sign-ins.ts'
import {
  addUser,
  countUsers,
  dropPassword,
  emailOf,
  findUser,
  findUserByEmail,
  type UserRow,
  type UserWithPassword,
} from '../../identity/users.ts'
import type { AdminCredentials } from '../../oauth/outgoing/admin-credentials.ts'
import { idsOf, type Ended } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { hasOtherAdminIn } from '../../organizations/members.ts'
import { DEFAULT_SLUG, findOrganizations } from '../../organizations/organizations.ts'
import { entryOfChange, type Actor } from '../../records/change.ts'
import { storeRecords, type Entry } from '../../records/records.ts'
import { INSTALLATION } from '../../snapshot/installation.ts'
import { joinAs, nameOf, type MemberSeals } from '../people/index.ts'
import { isProvenFor } from './identity-domains.rows.ts'
import {
  addLink,
  findLink,
  findMembership,
  noteLinkUsed,
  removeMembershipIn,
  setProvidedGroups,
  setMembership,
  settingsOf,
  type ProviderRow,
} from './identity-providers.rows.ts'
import { groupClaimsOf } from './provider-settings.ts'

/** Credentials that were taken out of an organization. */
interface EndedIn {
  readonly organizationId: OrganizationId
  readonly ended: readonly Ended[]
}

/** Takes the accounts at vendors out of the database that somebody has for an organization. */
export type EndAccounts = Pick<AdminCredentials, 'endIn'>

export interface ProvidedPerson {
  readonly user: UserRow
  /** Accounts that ended with memberships: their authorization servers are asked to revoke them after the transaction. */
  readonly ended: readonly EndedIn[]
  /** Organizations whose members or groups have changed. */
  readonly changed: readonly OrganizationId[]
  /** Whether anything about the person has changed. */
  readonly isNew: boolean
  /** Why the person is not let in although there is an account: a membership may have ended by it, which is to be stored. */
  readonly refusal: string | undefined
}

interface Arrival {
  readonly sql: SystemSql
  readonly endIn: EndAccounts['endIn']
  /** Grows by what ends. */
  readonly ended: EndedIn[]
  /** Grows by what is to be on record. It is stored last, because that locks the chain of the organization for everybody who arrives. */
  readonly records: Entry[]
  readonly seals: MemberSeals
  readonly actor: Actor
  readonly provider: ProviderRow
  readonly settings: ProviderSettings
  readonly proven: Proven
}

async function refusalIn(
  { sql }: Arrival,
  organizationId: OrganizationId,
  userId: UserId,
): Promise<string | undefined> {
  const membership = await findMembership(sql, organizationId, userId)
  if (membership === undefined) return NO_MEMBER
  return membership.active ? undefined : 'your membership in this organization is suspended'
}

const NOT_HERE =
  'nobody has added you here and none of your groups gives access, or this address has an account here: then the organization has to prove its domain first'
const NO_MEMBER = 'nobody has added you to this organization, and none of your groups gives access'

const refuse = (problem: string): never => {
  throw new Fault('login.provider', { problem })
}

const ROLES = ['tenant_viewer', 'tenant_member', 'tenant_admin'] as const
const NEWCOMERS = { refuse: undefined, viewer: 'tenant_viewer', member: 'tenant_member' } as const

const isOfInstallation = ({ organization_id: owner }: Pick<ProviderRow, 'organization_id'>) => owner === INSTALLATION

/** The groups that the claims name, each once. A value that is no text is left out. */
export function groupsIn(claims: Proven['claims'], paths: readonly string[]): ReadonlySet<string> {
  const found = paths.flatMap((path) => {
    const value = valueAt(claims, path)
    return Array.isArray(value) ? (value as unknown[]) : [value]
  })
  return new Set(found.filter((item): item is string => typeof item === 'string' && item !== ''))
}

export const mappingsFor = (claims: Proven['claims'], settings: ProviderSettings): readonly GroupMapping[] => {
  const groups = groupsIn(claims, groupClaimsOf(settings))
  return settings.mappings.filter(({ group }) => groups.has(group))
}

/** The strongest role of all that apply. */
export function roleOf(mappings: readonly GroupMapping[], settings: ProviderSettings): MemberRole | undefined {
  const mapped = ROLES.findLast((role) => mappings.some((mapping) => mapping.role === role))
  return mapped ?? NEWCOMERS[settings.newcomers]
}

/** Throws `login.provider`. Its transaction is the caller's. */
export async function personOf(
  sql: SystemSql,
  { seals, endIn }: { readonly seals: MemberSeals } & EndAccounts,
  actor: Actor,
  provider: ProviderRow,
  proven: Proven,
): Promise<ProvidedPerson> {
  const ended: EndedIn[] = []
  const records: Entry[] = []
  const arrival = { sql, seals, endIn, ended, records, actor, provider, settings: settingsOf(provider), proven }
  const { user, isNew } = await findOrAdd(arrival)
  if (!user.active) return refuse('this account is not active')
  if (user.platform_admin && !isOfInstallation(provider))
    return refuse('this account administers the installation, so it cannot be used with a provider of an organization')
  const changed = await settleMemberships(arrival, user)
  await noteLinkUsed(sql, provider, proven.subject)
  const own = placeOf(provider)
  const refusal = own === undefined ? undefined : await refusalIn(arrival, own, user.id)
  if (records.length > 0) await storeRecords(sql, records)
  return { user, ended, changed, isNew, refusal }
}

async function findOrAdd(arrival: Arrival): Promise<{ user: UserRow; isNew: boolean }> {
  const { sql, provider, settings, proven } = arrival
  const linked = await findLink(sql, provider, proven.subject)
  const known = linked === undefined ? undefined : await findUser(sql, linked)
  if (known !== undefined) return { user: known, isNew: false }
  const { email } = proven
  if (
    email === undefined ||
    !counts(proven.claims['email_verified'], settings.addresses === 'provider' ? 'issuer' : 'claim')
  )
    return refuse('it does not say that your email address is verified')
  const found = await findUserByEmail(sql, email)
  const user = found === undefined ? await addNewcomer(arrival, email) : await takeExisting(arrival, found)
  await link(arrival, user)
  return { user, isNew: true }
}

async function link({ sql, actor, records, provider, proven }: Arrival, { id }: UserRow): Promise<void> {
  if (!(await addLink(sql, { provider, subject: proven.subject, userId: id }))) return
  const detail = { provider: provider.slug, subject: proven.subject }
  records.push(
    entryOfChange({ ...actor, id, type: 'user' }, placeOf(provider), {
      ...{ action: 'identity-link.add', resource: 'user', id, detail },
    }),
  )
}

export const placeOf = ({ organization_id: owner }: ProviderRow): OrganizationId | undefined =>
  owner === INSTALLATION ? undefined : (owner as OrganizationId)

/** Whether the provider's owner decides over an address: the installation does over all of them. */
const decidesOver = ({ sql, provider }: Arrival, email: string): Promise<boolean> =>
  isOfInstallation(provider)
    ? Promise.resolve(true)
    : isProvenFor(sql, provider.organization_id, emailOf(email).split('@').at(-1) ?? '')

async function takeExisting(arrival: Arrival, user: UserWithPassword): Promise<UserRow> {
  const { sql, actor, provider } = arrival
  const own = placeOf(provider)
  const isOwn = own !== undefined && user.vouched_by === own
  // The same as for an address that nobody has: a provider is no oracle for the accounts of others.
  if (!isOwn && !(await decidesOver(arrival, user.email))) return refuse(NOT_HERE)
  if (!user.active) return refuse('this account is not active')
  if (own !== undefined && user.platform_admin)
    return refuse('this account administers the installation, so it cannot be used with a provider of an organization')
  if (isOwn) return user
  // Nothing of the account ends where the organization gives nothing.
  if (own !== undefined && !(await givesMembership(arrival, own, user.id))) return refuse(NO_MEMBER)
  if (user.provider !== 'local') return refuse('this email address uses another sign-in method')
  // The password may have been chosen by somebody else. It ends, together with the sign-ins made with it.
  await dropPassword(sql, user.id)
  await voidPasswordCode(sql, user.id)
  const ended = await endSignInsOf(sql, user.id, 'an identity provider signs this person in from now on')
  const detail = { provider: provider.slug, sign_ins_ended: ended.length }
  arrival.records.push(
    entryOfChange({ ...actor, id: user.id, type: 'user' }, undefined, {
      ...{ action: 'user.join_provider', resource: 'user', id: user.id, detail },
    }),
  )
  return (await findUser(sql, user.id)) ?? user
}

async function givesMembership(
  { sql, settings, proven }: Arrival,
  own: OrganizationId,
  userId: UserId,
): Promise<boolean> {
  if (roleOf(mappingsFor(proven.claims, settings), settings) !== undefined) return true
  return (await findMembership(sql, own, userId)) !== undefined
}

async function addNewcomer(arrival: Arrival, email: string): Promise<UserRow> {
  const { sql, settings, provider, proven } = arrival
  // Its first person comes with the setup code, and nobody may take that from them.
  if ((await countUsers(sql)) === 0) return refuse('nobody has set up this installation yet')
  const decides = await decidesOver(arrival, email)
  if (roleOf(mappingsFor(proven.claims, settings), settings) === undefined)
    return refuse(decides ? NO_MEMBER : NOT_HERE)
  const vouchedBy = decides ? undefined : placeOf(provider)
  const name = (proven.name ?? nameOf(email)).slice(0, 100)
  const user = await addUser(sql, { email, name, password: null, vouchedBy })
  return user ?? refuse('a user with this email has just been added: try again')
}

/** Memberships in the organizations that the provider speaks of. Those that an administrator gave by hand stay. */
async function settleMemberships(arrival: Arrival, user: UserRow): Promise<OrganizationId[]> {
  const { sql, provider, settings, proven } = arrival
  const mappings = mappingsFor(proven.claims, settings)
  const own = placeOf(provider)
  if (own !== undefined) {
    return (await settleAll(arrival, user, own, mappings, roleOf(mappings, settings))) ? [own] : []
  }
  const named = [...new Set(settings.mappings.flatMap(({ organization }) => organization ?? []))]
  const slugs = settings.newcomers === 'refuse' ? named : [...new Set([DEFAULT_SLUG, ...named])]
  const changed: OrganizationId[] = []
  for (const { id, slug } of await findOrganizations(sql, slugs)) {
    const here = mappings.filter(({ organization }) => organization === slug)
    const newcomers = slug === DEFAULT_SLUG ? settings.newcomers : 'refuse'
    if (await settleAll(arrival, user, id, here, roleOf(here, { ...settings, newcomers }))) changed.push(id)
  }
  return changed
}

/** The membership and the groups there. Whether anything has changed. */
async function settleAll(
  arrival: Arrival,
  user: UserRow,
  organizationId: OrganizationId,
  mappings: readonly GroupMapping[],
  role: MemberRole | undefined,
): Promise<boolean> {
  const { sql, provider } = arrival
  const isChanged = await settleIn(arrival, user, organizationId, role)
  if ((await findMembership(sql, organizationId, user.id)) === undefined) return isChanged
  const groups = [...new Set(mappings.flatMap((mapping) => mapping.groups))]
  const source = `provider:${provider.id}`
  const count = await setProvidedGroups(sql, { organizationId, userId: user.id, source }, groups)
  if (count > 0) note(arrival, organizationId, user.id, 'group.join', { groups })
  return isChanged || count > 0
}

/** Whether anything has changed there. A membership that came by this provider follows it; any other is left as it is. */
async function settleIn(
  arrival: Arrival,
  user: UserRow,
  organizationId: OrganizationId,
  role: MemberRole | undefined,
): Promise<boolean> {
  const { sql, seals, provider } = arrival
  const source = `provider:${provider.id}`
  const before = await findMembership(sql, organizationId, user.id)
  if (before === undefined) {
    if (role === undefined) return false
    await joinAs(sql, seals, user.id, { organizationId, role, name: user.email })
    await setMembership(sql, { organizationId, userId: user.id, role, source })
    note(arrival, organizationId, user.id, 'member.add', { email: user.email, role })
    return true
  }
  if (!before.active || before.source !== source || before.role === role) return false
  // An organization is not left without an administrator by a claim.
  if (before.role === 'tenant_admin' && !(await hasOtherAdminIn(sql, organizationId, user.id))) return false
  if (role === undefined) {
    const ended = await arrival.endIn(sql, { organizationId, userId: user.id })
    await removeMembershipIn(sql, organizationId, user.id)
    arrival.ended.push({ organizationId, ended })
    const detail = {
      email: user.email,
      role: before.role,
      ...(ended.length === 0 ? {} : { credentials: idsOf(ended) }),
    }
    note(arrival, organizationId, user.id, 'member.remove', detail)
    return true
  }
  await setMembership(sql, { organizationId, userId: user.id, role, source })
  note(arrival, organizationId, user.id, 'member.change', { role, before: before.role })
  return true
}

function note(
  { actor, records, provider }: Arrival,
  organizationId: OrganizationId,
  id: UserId,
  action: 'group.join' | 'member.add' | 'member.change' | 'member.remove',
  detail: object,
): void {
  records.push(
    entryOfChange({ ...actor, id: `provider:${provider.slug}`, type: 'system' }, organizationId, {
      ...{ action, resource: 'member', id },
      detail: { ...detail, provider: provider.slug },
    }),
  )
}
