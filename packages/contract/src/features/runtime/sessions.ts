/** Sessions that legacy clients have with the gateway, over the admin interface (ledger S3-ADM-04). */
import { z } from 'zod'
import { Slug } from '../../connections.ts'
import { operation, pageOf, Paging, platform } from '../../admin/operation.ts'

export const OpenSession = z.strictObject({
  /** A digest: a session's own name is known to its client alone. */
  id: z.string(),
  tenant_slug: z.string(),
  principal: z.string(),
  /** The name of that person or key; null where it is not known any more. */
  principal_name: z.string().nullable().optional(),
  toolset: z.string().nullable(),
  connector: z.string().nullable(),
  revision: z.string(),
  client: z.strictObject({ name: z.string(), version: z.string() }).nullable(),
  opened_at: z.iso.datetime(),
  seen_at: z.iso.datetime(),
})
export type OpenSession = z.output<typeof OpenSession>

const SESSIONS = '/api/v1/admin/sessions'
const needs = platform('stats_view_global')

export const listSessions = operation({
  id: 'listSessions',
  at: `GET ${SESSIONS}`,
  summary: 'List the sessions of all gateways on this database, and those held only by the gateway that responds.',
  needs,
  query: Paging.extend({ tenant_slug: Slug.optional() }),
  answer: pageOf(OpenSession),
})
export const endSession = operation({
  id: 'endSession',
  at: `DELETE ${SESSIONS}/{session}`,
  summary: 'End a session, whichever gateway holds it.',
  needs,
})
