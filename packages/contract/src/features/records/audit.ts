/** Records over the admin interface (ledger S3-AUD-02, -03); its paths say audit, as the source system does. */
import { z } from 'zod'
import { inOrganization, operation, pageOf, Paging, platform, signedIn } from '../../admin/operation.ts'

export const AuditEvent = z.strictObject({
  id: z.string(),
  timestamp: z.iso.datetime(),
  actor_id: z.string(),
  /** The name and the email of that person, or the name of that key; null where neither is known any more. */
  actor_name: z.string().nullable().optional(),
  actor_type: z.enum(['user', 'api_key', 'system']),
  action: z.string(),
  resource_type: z.string().nullable(),
  resource_id: z.string().nullable(),
  /** The name by which people know it; null where its id is its name, or where it is not known any more. */
  resource_name: z.string().nullable().optional(),
  /** Null: it concerns the platform. */
  tenant_id: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  outcome: z.enum(['ok', 'tool_error', 'refused', 'failed', 'cancelled', 'unknown']),
  code: z.string().nullable(),
  correlation_id: z.string(),
  /** Its place and its hash in the chain of its organization. */
  seq: z.int(),
  hash: z.string(),
})
export type AuditEvent = z.output<typeof AuditEvent>

const Text = z.string().min(1).max(300).optional()
const Filter = {
  id: Text,
  action: Text,
  actor_id: Text,
  /** As the caller named it; of what is no call, nothing. */
  tool: Text,
  /** Its alias, as calls name it. */
  connection: Text,
  correlation_id: Text,
  outcome: AuditEvent.shape.outcome.optional(),
  /** Why it was refused or failed: the code of a fault. */
  code: Text,
  start: z.iso.datetime({ offset: true }).optional(),
  end: z.iso.datetime({ offset: true }).optional(),
}
/** Trust data that the caller stored elsewhere. */
const Trust = z.strictObject({
  /** Of keys that sign, with commas; in place of those that the gateway knows. */
  fingerprints: z
    .string()
    .regex(/^[0-9a-f]{64}(?:,[0-9a-f]{64})*$/)
    .optional(),
  /** Checkpoints as `SEQ:HASH`, with commas; besides those that the gateway keeps. */
  checkpoints: z
    .string()
    .regex(/^\d{1,15}:[0-9a-f]{64}(?:,\d{1,15}:[0-9a-f]{64})*$/)
    .optional(),
})
const AnyTenant = { tenant_id: z.string().min(1).max(100).optional() }

/** A search is counted no further than a hundred thousand; without a filter, the total is exact. */
const Found = pageOf(AuditEvent).extend({
  /** Whether there are more than `total`. */
  total_exceeded: z.boolean(),
})
const Query = Paging.extend(Filter)
const Export = z.strictObject({
  format: z.enum(['jsonl', 'csv', 'ocsf']).default('jsonl'),
  /** Only what came behind this number of its chain. */
  after: z.coerce.number().int().min(0).optional(),
  /** With a filter, the records that match leave alone, without what makes a chain of them. */
  ...Filter,
})

export const ChainVerdict = z.strictObject({
  tenant_id: z.string().nullable(),
  good: z.boolean(),
  records: z.int(),
  first: z.int().nullable(),
  last: z.int().nullable(),
  /** Up to this number a signature proves it. */
  proven: z.int().nullable(),
  problem: z
    .strictObject({ kind: z.string(), seq: z.int().nullable(), id: z.string().nullable(), says: z.string() })
    .nullable(),
  fingerprints: z.array(z.string()),
  warnings: z.array(z.string()),
})
export type ChainVerdict = z.output<typeof ChainVerdict>
const Verdicts = z.strictObject({ items: z.array(ChainVerdict) })

/** How far a verification is; told at most twice a second. */
export const VerifyProgress = z.strictObject({
  /** Records that were read by now. */
  records: z.int(),
  /** Records that there were when it began. */
  of: z.int(),
  seconds: z.number(),
})
export type VerifyProgress = z.output<typeof VerifyProgress>

const ADMIN = '/api/v1/admin'
const OWN = `${ADMIN}/tenants/{organization}/audit` as const

export const listAudit = operation({
  id: 'listAudit',
  at: `GET ${ADMIN}/audit`,
  summary: 'List the records of all organizations and of the platform, newest first.',
  needs: platform('audit_view_global'),
  query: Query.extend(AnyTenant),
  answer: Found,
})

export const listOrganizationAudit = operation({
  id: 'listOrganizationAudit',
  at: `GET ${OWN}`,
  summary: 'List the records of an organization, newest first.',
  needs: inOrganization('audit_view_own'),
  query: Query,
  answer: Found,
})

export const exportAudit = operation({
  id: 'exportAudit',
  at: `GET ${ADMIN}/audit/export`,
  summary:
    'Export the records of one organization, or of all organizations and the platform. A complete export in JSON Lines format can be verified; one with a filter contains only the records that match.',
  needs: platform('audit_view_global'),
  query: Export.extend(AnyTenant),
  answer: z.string(),
  media: 'application/jsonl',
})

export const exportOrganizationAudit = operation({
  id: 'exportOrganizationAudit',
  at: `GET ${OWN}/export`,
  summary:
    'Export the records of an organization. A complete export in JSON Lines format can be verified; one with a filter contains only the records that match.',
  needs: inOrganization('audit_view_own'),
  query: Export,
  answer: z.string(),
  media: 'application/jsonl',
})

export const verifyAudit = operation({
  id: 'verifyAudit',
  at: `GET ${ADMIN}/audit/verify`,
  summary: 'Verify that no record of any organization was changed, removed, inserted or reordered.',
  needs: platform('audit_view_global'),
  query: Trust.extend(AnyTenant),
  answer: Verdicts,
  progress: VerifyProgress,
})

export const verifyOrganizationAudit = operation({
  id: 'verifyOrganizationAudit',
  at: `GET ${OWN}/verify`,
  summary: 'Verify that no record of an organization was changed, removed, inserted or reordered.',
  needs: inOrganization('audit_view_own'),
  query: Trust,
  answer: Verdicts,
  progress: VerifyProgress,
})

export const listRecordSigners = operation({
  id: 'listRecordSigners',
  at: 'GET /api/v1/records/signers',
  summary:
    'List the fingerprints of the keys that sign records, the current one first. Store them elsewhere for later verification.',
  needs: signedIn,
  answer: z.strictObject({ fingerprints: z.array(z.string()) }),
})

/** Fields that can be taken out of a record, each hashed by itself; their order is that of the hashes. */
export const REDACTABLE = [
  'principal',
  'client',
  'target',
  'resource_id',
  'ip_address',
  'user_agent',
  'detail',
] as const
export type Redactable = (typeof REDACTABLE)[number]

export const redactRecord = operation({
  id: 'redactRecord',
  at: `POST ${OWN}/{record}/redact`,
  summary:
    'Redact values of a record and delete its payload; the chain stays intact. Use the organization `platform` for records that belong to no organization.',
  needs: platform('audit_view_global'),
  body: z.strictObject({ fields: z.array(z.enum(REDACTABLE)).min(1), reason: z.string().trim().min(1).max(1_000) }),
  answer: z.strictObject({
    /** Values that were taken out. */
    fields: z.int(),
  }),
})

export const pruneRecords = operation({
  id: 'pruneRecords',
  at: `POST ${OWN}/prune`,
  summary:
    'Delete records older than a given time, up to a signed checkpoint. Use the organization `platform` for records that belong to no organization.',
  needs: platform('audit_view_global'),
  body: z.strictObject({ before: z.iso.datetime({ offset: true }) }),
  answer: z.strictObject({ removed: z.int() }),
})
