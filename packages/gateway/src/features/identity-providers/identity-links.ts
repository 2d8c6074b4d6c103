/**
 * Links between an account and an identity at a provider that the person makes and ends. A link needs both proofs: a sign-in to the account
 * that is minutes old, and one at the provider in the same browser.
 */
import { Fault } from '@toolway/contract'
import type { SystemSql } from '../../db/db.ts'
import { provenWithin } from '../../identity/sign-ins.ts'
import { findUser, type UserWithPassword } from '../../identity/users.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import { INSTALLATION } from '../../snapshot/installation.ts'
import { findProvenDomain } from './identity-domains.rows.ts'
import { listOwnLinks, lockWays, type OwnLink } from './identity-links.rows.ts'
import { addLink, findLink, type ProviderRow } from './identity-providers.rows.ts'
import type { Linking } from './link-tickets.ts'
import { placeOf } from './provided-people.ts'

/** The proof is asked for when it starts, and the way to the provider and back takes its time. */
const MINUTES = 30

const refuse = (problem: string): never => {
  throw new Fault('login.provider', { problem })
}

/** Throws `login.provider`. Its transaction is the caller's. */
export async function linkPerson(
  sql: SystemSql,
  actor: Actor,
  row: ProviderRow,
  { user: id, signIn, subject }: Linking & { readonly subject: string },
): Promise<void> {
  const user = await findUser(sql, id)
  if (user?.active !== true || !(await provenWithin(sql, { id: signIn, user: id, minutes: MINUTES })))
    return refuse('the sign-in that started this has ended: start again in your account')
  if (user.platform_admin && row.organization_id !== INSTALLATION)
    return refuse('this account administers the installation, so it cannot be used with a provider of an organization')
  // The organization may have written the address of somebody else, who would find this link in the account later.
  if (user.vouched_by !== null && user.vouched_by !== placeOf(row))
    return refuse('an organization made this account, and nothing has proven yet that its email address is yours')
  if (!isOfDomain(row, await findProvenDomain(sql, domainOf(user.email))) && (await isEnforced(sql, user)))
    return refuse('the organization of your email address requires its own identity provider')
  const before = await findLink(sql, row, subject)
  if (before === id) return undefined
  if (before !== undefined) return refuse('another account here is linked to this identity')
  if ((await listOwnLinks(sql, id)).some(({ provider_id: provider }) => provider === row.id))
    return refuse('your account is linked to another identity of this provider: unlink that one first')
  if (!(await addLink(sql, { provider: row, subject, userId: id })))
    return refuse('another account here is linked to this identity')
  await recordChange(sql, { ...actor, id, type: 'user' }, placeOf(row), {
    action: 'identity-link.add',
    resource: 'user',
    id,
    detail: { provider: row.slug, subject, by: 'the person' },
  })
}

/** Whether something else signs the person in than one of these links. The account is locked until the transaction ends. */
export async function hasOtherWay(
  sql: SystemSql,
  user: UserWithPassword,
  others: readonly Pick<OwnLink, 'enabled'>[],
): Promise<boolean> {
  const ways = await lockWays(sql, user.id)
  if (ways === undefined) return false
  if (others.some(({ enabled }) => enabled) || !ways.is_local) return true
  const hasSecret = ways.has_password || (ways.has_passkey && others.length === 0)
  return hasSecret && !(await isEnforced(sql, user))
}

const domainOf = (email: string): string => email.split('@').at(-1) ?? ''
const isOfDomain = (row: ProviderRow, domain: { readonly organization_id: string } | undefined): boolean =>
  domain?.organization_id === row.organization_id

/** Whether the organization of the address lets nobody sign in but by its provider. */
async function isEnforced(sql: SystemSql, { email, platform_admin: administers }: UserWithPassword): Promise<boolean> {
  const domain = await findProvenDomain(sql, domainOf(email))
  return domain?.enforced === true && !administers && domain.break_glass !== email
}
