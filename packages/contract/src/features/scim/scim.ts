/**
 * Provisioning by SCIM (RFC 7643, 7644) as administrators of an organization set it up: tokens of the identity provider, how much it
 * provides, and what people who left owned. The protocol itself is at `/scim/v2/{organization}`. A token's secret is in the answer
 * that makes it and in no other.
 */
import { z } from 'zod'
import { inOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'
import { TENANT } from '../organizations/organizations.ts'

export const ScimToken = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** The last characters of the secret. */
  hint: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
})
export type ScimToken = z.output<typeof ScimToken>
const NewScimTokenAnswer = ScimToken.extend({ secret: z.string() })

export const Provisioning = z.strictObject({
  /** To enter at the identity provider. */
  address: z.string(),
  people: z.int(),
  /** Of these people. */
  suspended: z.int(),
  groups: z.int(),
  last_request_at: z.iso.datetime().nullable(),
  tokens: z.array(ScimToken),
})
export type Provisioning = z.output<typeof Provisioning>

export const Leaver = z.strictObject({
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  /** The membership can come back; false: it was removed. */
  suspended: z.boolean(),
  left_at: z.iso.datetime(),
  /** What goes on without this person, and names them. */
  owned: z.array(z.strictObject({ kind: z.enum(['key', 'rule', 'toolset']), id: z.string(), name: z.string() })),
})
export type Leaver = z.output<typeof Leaver>

const SCIM = `${TENANT}/scim`
const TOKENS = `${SCIM}/tokens`
const LEAVERS = `${TENANT}/leavers`
const needs = inOrganization('user_manage')
/** At most two years: a token that nobody renews ends. */
const Days = z.int().min(1).max(730).default(365)

export const getProvisioning = operation({
  id: 'getProvisioning',
  at: `GET ${SCIM}`,
  summary:
    'Show how people and groups of an organization are provided by SCIM: address, tokens, numbers, last request.',
  needs,
  answer: Provisioning,
})
export const addScimToken = operation({
  id: 'addScimToken',
  at: `POST ${TOKENS}`,
  summary:
    'Create a SCIM token for the identity provider of an organization. Its secret is shown only in this response.',
  needs,
  body: z.strictObject({ name: z.string().trim().min(1).max(100), expires_in_days: Days }),
  answer: NewScimTokenAnswer,
  status: 201,
})
export const rotateScimToken = operation({
  id: 'rotateScimToken',
  at: `POST ${TOKENS}/{token}/rotate`,
  summary: 'Create a SCIM token in place of another one, which stays valid for some hours more.',
  needs,
  body: z.strictObject({ expires_in_days: Days, overlap_hours: z.int().min(0).max(720).default(72) }),
  answer: NewScimTokenAnswer,
  status: 201,
})
export const removeScimToken = operation({
  id: 'removeScimToken',
  at: `DELETE ${TOKENS}/{token}`,
  summary: 'Delete a SCIM token, which is invalid from then on.',
  needs,
})
export const listLeavers = operation({
  id: 'listLeavers',
  at: `GET ${LEAVERS}`,
  summary: 'List people who were suspended or removed, the latest first, with what they owned.',
  needs,
  query: Paging,
  answer: pageOf(Leaver),
})
export const removeLeaver = operation({
  id: 'removeLeaver',
  at: `DELETE ${LEAVERS}/{user}`,
  summary: 'Remove a person from the list of leavers, when what they owned has been taken over.',
  needs,
})
