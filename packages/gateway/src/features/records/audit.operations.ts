/** The operations on records: look through them, take them away, have them checked. Taking them away is on record itself. */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { z } from 'zod'
import type { Db, OrgSql, SystemSql } from '../../db/db.ts'
import { pageOfRows, startOf, unknownCursor } from '../../lib/page.ts'
import { findOrganization } from '../../organizations/organizations.ts'
import { chainLines, type ChainLine, type Look } from '../../records/chain/chain-lines.ts'
import { countChained, createProgress } from '../../records/chain/progress.ts'
import { verify, type Trust, type Verdict } from '../../records/chain/verify.ts'
import { exportRecords, headOf, MEDIA, type Exporting } from '../../records/exports/formats.ts'
import {
  countRecords,
  findRecords,
  isKeyOf,
  orderOf,
  type Filter,
  type FoundRecord,
  type RecordOnPage,
} from '../../records/query.ts'
import { PLATFORM } from '../../records/records.ts'
import { redactRecord } from '../../records/redact.ts'
import { ForeignCheckpoint, listChained, prune as pruneChain } from '../../records/retention.ts'
import { namesOf } from '../../operations/names-of.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import type { KeepCheckpoints } from './keep-checkpoints.job.ts'
import type { Change } from '../../records/change.ts'

/** The parts that operations on records work with. */
export interface AuditParts extends OperationBase {
  readonly checkpoints: Pick<KeepCheckpoints, 'sign' | 'trust' | 'fingerprints'>
  /** The address of a trace, with `{trace_id}` in it; undefined: records do not link to traces. */
  readonly traceUrl: string | undefined
}

const { serveOrganization, servePlatform, serveSignedIn } = operationServers<AuditParts>()

const tenantOf = (organization: string): string | null => (organization === PLATFORM ? null : organization)

/** Resource type of a call, by its method. */
const RESOURCES: Readonly<Record<string, string>> = {
  'tools/call': 'tool',
  'resources/read': 'resource',
  'prompts/get': 'prompt',
  'tasks/update': 'task',
  'tasks/cancel': 'task',
}

/** `traceUrl`: the address of a trace, with `{trace_id}` in it. */
export const toEvent = (row: FoundRecord, traceUrl?: string): shapes.AuditEvent => ({
  id: row.id,
  timestamp: row.at.toISOString(),
  actor_id: row.principal,
  actor_type: row.actor_type,
  action: row.method,
  resource_type: row.resource_type ?? RESOURCES[row.method] ?? null,
  resource_id: row.resource_id ?? row.target,
  tenant_id: tenantOf(row.organization_id),
  details: row.kind === 'call' ? { ...detailsOf(row), ...row.detail, ...traceOf(row, traceUrl) } : (row.detail ?? {}),
  ip_address: row.ip_address,
  user_agent: row.user_agent,
  outcome: row.outcome as shapes.AuditEvent['outcome'],
  code: row.code,
  correlation_id: row.correlation_id,
  seq: row.seq,
  hash: row.hash,
})

function traceOf({ detail }: FoundRecord, traceUrl: string | undefined) {
  const trace = detail?.['trace_id']
  if (traceUrl === undefined || typeof trace !== 'string') return {}
  return { trace_url: traceUrl.replaceAll('{trace_id}', encodeURIComponent(trace)) }
}

function detailsOf(row: FoundRecord): Record<string, unknown> {
  const { toolset, connection, client, era_client, era_upstream, key_id, bytes_in, bytes_out, decision } = row
  const all = { toolset, connection, client, era_client, era_upstream, key_id, bytes_in, bytes_out, decision }
  const known = Object.entries(all).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(known), duration_ms: row.duration_us / 1000 }
}

const toVerdict = ({ organization_id: organization, first, last, proven, problem, ...rest }: Verdict) => ({
  tenant_id: tenantOf(organization),
  good: rest.good,
  records: rest.records,
  first: first ?? null,
  last: last ?? null,
  proven: proven ?? null,
  problem:
    problem === undefined
      ? null
      : { kind: problem.kind, seq: problem.seq ?? null, id: problem.id ?? null, says: problem.says },
  fingerprints: [...rest.fingerprints],
  warnings: [...rest.warnings],
})

type AuditQuery = Omit<z.output<typeof shapes.listOrganizationAudit.query>, 'limit' | 'offset' | 'cursor'>
const filterOf = (
  organization: string | undefined,
  { actor_id: actor, correlation_id: correlation, ...same }: AuditQuery,
): Filter => ({ organization, actor, correlation, ...same })

const lookOf =
  (db: Pick<Db, 'organization' | 'system'>): Look =>
  (work) =>
    db.system(work)

interface Reading {
  readonly look: Look
  readonly signal: AbortSignal
  readonly after?: number | undefined
}

async function* linesOf(organizations: readonly string[], { look, signal }: Reading): AsyncGenerator<ChainLine> {
  for (const organization of organizations) {
    for await (const line of chainLines({ look, organization, now: new Date() })) {
      signal.throwIfAborted()
      yield line
    }
  }
}

interface Checking {
  readonly look: Look
  readonly signal: AbortSignal
  readonly progress: (value: shapes.VerifyProgress) => void
}

type TrustWords = z.output<typeof shapes.verifyOrganizationAudit.query>
type Known = Awaited<ReturnType<AuditParts['checkpoints']['trust']>>

/** Returns the trust data that the gateway itself holds. Throws `checkpoint.damaged`. */
const trustOf = ({ checkpoints }: AuditParts): Promise<Known> =>
  checkpoints.trust().catch((thrown: unknown) => {
    throw thrown instanceof SyntaxError ? new Fault('checkpoint.damaged', {}, { cause: thrown }) : thrown
  })

/** With what the caller kept elsewhere. */
function trustWith({ fingerprints, checkpoints }: TrustWords, own: Known): Trust {
  const trusted = checkpoints?.split(',').map((text) => {
    const [seq = '', hash = ''] = text.split(':')
    return { seq: Number(seq), hash }
  })
  return {
    fingerprints: fingerprints?.split(',') ?? own.fingerprints,
    checkpoints: [...(trusted ?? []), ...own.checkpoints],
  }
}

/** A client that leaves ends it with the next record. */
async function check(organizations: readonly string[], trust: Trust, { look, signal, progress }: Checking) {
  const of = await look((sql) => countChained(sql, organizations))
  const onRecord = createProgress(of, ({ records, seconds }) => progress({ records, of, seconds }))
  const verdicts = await verify(linesOf(organizations, { look, signal }), trust, onRecord)
  return { items: verdicts.map(toVerdict) }
}

/** Streams the export. Pages are read as the client consumes them, so none are read after it disconnects. */
function streamExport(
  organizations: readonly string[],
  { look, signal, after }: Reading,
  exporting: Exporting,
): Response {
  const { format } = exporting
  const name = `toolway-records.${format === 'csv' ? 'csv' : 'jsonl'}`
  return new Response(ReadableStream.from(bytesOf(organizations, { look, signal, after }, exporting)), {
    headers: { 'content-type': MEDIA[format], 'content-disposition': `attachment; filename="${name}"` },
  })
}

async function* bytesOf(
  organizations: readonly string[],
  { look, signal, after }: Reading,
  exporting: Exporting,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  yield encoder.encode(headOf(exporting.format))
  for (const organization of organizations) {
    const chain = { look, organization, now: new Date(), after }
    for await (const text of exportRecords(chain, exporting, () => signal.throwIfAborted())) yield encoder.encode(text)
  }
}

/** Every chain that there is, and those that a kept checkpoint speaks of. */
async function listAll({ db }: AuditParts, { checkpoints }: Awaited<ReturnType<AuditParts['checkpoints']['trust']>>) {
  const checkpointed = checkpoints.map(({ organization }) => organization)
  return [...new Set([...(await db.system(listChained)), ...checkpointed])]
}

type ExportQuery = z.output<typeof shapes.exportOrganizationAudit.query>

function exportingOf({ format, after: _, ...words }: ExportQuery): Exporting {
  const { organization: __, ...filter } = filterOf(undefined, words)
  return { format, filter }
}

/** The filter of an export is on record. */
const saysExport = ({ format, after: _, ...filter }: ExportQuery, id: string): Change => ({
  action: 'record.export',
  resource: 'record',
  id,
  detail: { format, ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) },
})
const recordNothing = async () => {}

/** The chain of an organization by its slug or id, or the platform's. Throws `place.unknown`. */
async function chainOf(sql: SystemSql, name = ''): Promise<string> {
  if (name === PLATFORM) return PLATFORM
  const id = (await findOrganization(sql, name))?.id
  // The records of an organization stay when it is removed; it has no slug any more.
  if (id === undefined && !(await listChained(sql)).includes(name)) throw new Fault('place.unknown')
  return id ?? name
}

interface Finding {
  readonly query: z.output<typeof shapes.listOrganizationAudit.query>
  readonly organization: string | undefined
}

async function pageOfRecords(sql: OrgSql | SystemSql, parts: AuditParts, { query, organization }: Finding) {
  const { limit: _, offset: __, cursor: ___, ...filters } = query
  const filter = filterOf(organization, filters)
  const order = orderOf(filter)
  const { rowLimit, offset, after } = startOf(query, `records ${order}`, 1)
  const [key] = after ?? []
  if (key !== undefined && !isKeyOf(order, key)) throw unknownCursor()
  const rows = await findRecords(sql, filter, { limit: rowLimit, offset, after: key })
  const { total, more } = await countRecords(sql, filter)
  const nameOf = await namesOf(
    sql,
    parts,
    rows.flatMap((row) => [row.principal, row.resource_id]),
  )
  const paged = { query, order: `records ${order}`, total, keyOf: (row: RecordOnPage) => [row.key] }
  const page = pageOfRows(rows, paged, (row) => ({
    ...toEvent(row, parts.traceUrl),
    actor_name: nameOf(row.principal),
    resource_name: row.kind === 'call' ? null : (nameOf(row.resource_id) ?? nameIn(row.detail)),
  }))
  return { ...page, total_exceeded: more }
}

/** What was removed is known by what its record says of it. */
const nameIn = (detail: FoundRecord['detail']): string | null => {
  const name = detail?.['alias'] ?? detail?.['name'] ?? detail?.['email'] ?? detail?.['title']
  return typeof name === 'string' ? name : null
}

/** Leaves a record of its own, in the chain of the record. */
const redact = servePlatform(shapes.redactRecord, async ({ read, actor, params, body }) => ({
  fields: await read(async (sql) => {
    const redaction = { id: params['record'] ?? '', ...body }
    const taken = await redactRecord(sql, actor, await chainOf(sql, params['organization']), redaction)
    if (taken === 0) throw new Fault('thing.unknown', { thing: 'record with such a value' })
    return taken
  }),
}))

/** Leaves a record of its own, in the chain that it prunes, where anything was removed. */
const prune = servePlatform(shapes.pruneRecords, async ({ parts, read, actor, params, body }) => {
  const organization = await read((sql) => chainOf(sql, params['organization']))
  await parts.checkpoints.sign(organization)
  const signers = await parts.checkpoints.fingerprints()
  const pruning = { actor, organization, before: new Date(body.before), signers }
  return { removed: await read((sql) => pruneChain(sql, pruning)).catch(refuseForeign) }
})

function refuseForeign(thrown: unknown): never {
  if (!(thrown instanceof ForeignCheckpoint)) throw thrown
  const { organization, seq } = thrown
  throw new Fault('checkpoint.foreign', { organization, seq }, { cause: thrown })
}

export const auditOperations: readonly Served<AuditParts>[] = [
  servePlatform(shapes.listAudit, ({ parts, read, query: { tenant_id: tenant, ...query } }) =>
    read((sql) => pageOfRecords(sql, parts, { query, organization: tenant })),
  ),
  serveOrganization(shapes.listOrganizationAudit, ({ parts, read, organization, query }) =>
    read((sql) => pageOfRecords(sql, parts, { query, organization: organization.id })),
  ),
  servePlatform(shapes.exportAudit, async ({ parts, change, query: { tenant_id: tenant, ...filters }, signal }) => {
    await change(() => saysExport(filters, tenant ?? 'all'), recordNothing)
    await parts.checkpoints.sign(tenant)
    const organizations = tenant === undefined ? await parts.db.system(listChained) : [tenant]
    return streamExport(organizations, { look: lookOf(parts.db), signal, after: filters.after }, exportingOf(filters))
  }),
  serveOrganization(shapes.exportOrganizationAudit, async ({ parts, change, read, organization, query, signal }) => {
    await change(() => saysExport(query, organization.id), recordNothing)
    await parts.checkpoints.sign(organization.id)
    return streamExport([organization.id], { look: read, signal, after: query.after }, exportingOf(query))
  }),
  servePlatform(
    shapes.verifyAudit,
    async ({ parts, query: { tenant_id: tenant, ...trustQuery }, signal, progress }) => {
      const trust = await trustOf(parts)
      const organizations = tenant === undefined ? await listAll(parts, trust) : [tenant]
      return check(organizations, trustWith(trustQuery, trust), { look: lookOf(parts.db), signal, progress })
    },
  ),
  serveOrganization(shapes.verifyOrganizationAudit, async ({ parts, read, organization, query, signal, progress }) =>
    check([organization.id], trustWith(query, await trustOf(parts)), { look: read, signal, progress }),
  ),
  serveSignedIn(shapes.listRecordSigners, async ({ parts }) => ({
    fingerprints: [...(await parts.checkpoints.fingerprints())],
  })),
  redact,
  prune,
]
