/** Domains of email addresses that an organization proves to be its own, and then decides over. */
import { z } from 'zod'
import { inOrganization, listOf, operation } from '../../admin/operation.ts'
import { TENANT } from '../organizations/organizations.ts'
import { Email } from '../people/auth.ts'

export const IdentityDomain = z.strictObject({
  domain: z.string(),
  /** The DNS record that proves it. */
  record: z.strictObject({ name: z.string(), type: z.literal('TXT'), value: z.string() }),
  proven_at: z.iso.datetime().nullable(),
  /** `dns`, or the platform administrator who vouched for it. */
  proven_by: z.string().nullable(),
  /** Its people sign in at the organization's provider only; nobody of them has a password, but for the person below. */
  enforced: z.boolean(),
  /** Address of the administrator who may sign in with a password while the provider is unavailable; each use raises an alert. */
  break_glass: z.string().nullable(),
})
export type IdentityDomain = z.output<typeof IdentityDomain>

const DOMAINS = `${TENANT}/identity-domains`
const DOMAIN = `${DOMAINS}/{domain}`
const needs = inOrganization('user_manage')

export const listIdentityDomains = operation({
  id: 'listIdentityDomains',
  at: `GET ${DOMAINS}`,
  summary: 'List the email domains of an organization, with the DNS records that prove them.',
  needs,
  answer: listOf(IdentityDomain),
})
export const putIdentityDomain = operation({
  id: 'putIdentityDomain',
  at: `PUT ${DOMAIN}`,
  summary: 'Add an email domain to an organization, or set whether its people must sign in at the provider.',
  needs,
  body: z.strictObject({ enforced: z.boolean().default(false), break_glass: Email.nullable().default(null) }),
  answer: IdentityDomain,
})
export const proveIdentityDomain = operation({
  id: 'proveIdentityDomain',
  at: `POST ${DOMAIN}/prove`,
  summary: 'Look for the DNS record that proves an email domain. A platform administrator may vouch for it instead.',
  needs,
  body: z.strictObject({ vouch: z.boolean().default(false) }),
  answer: IdentityDomain,
})
export const removeIdentityDomain = operation({
  id: 'removeIdentityDomain',
  at: `DELETE ${DOMAIN}`,
  summary: 'Remove an email domain from an organization. Linked accounts stay linked.',
  needs,
})
