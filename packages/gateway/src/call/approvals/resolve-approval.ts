/**
 * Where a call stands with those who have to approve it: it may go, it waits, or it was refused. Nothing here speaks to anybody.
 *
 * A grant is used by the statement that finds it good, in the same transaction that judges once more who gave it, and before anything
 * leaves for the server: of two gateways one uses it, and a gateway that dies afterwards has used it.
 */
import { randomUUID } from 'node:crypto'
import type { ApprovalId, StandingGrantId } from '@toolway/contract'
import { eraOf, withDigits, type JsonObject } from '@toolway/protocol'
import { listAnswers } from '../../approvals/answers.ts'
import {
  addApproval,
  countPending,
  expireDue,
  lockLatest,
  storeGrant,
  storeRules,
  storeTold,
  takeBack,
  useGrant,
  useRound,
  type ApprovalRow,
} from '../../approvals/approvals.ts'
import { goodFor, isSatisfied, tallyOf, waitOf, wordsOf } from '../../approvals/approvers.ts'
import { digestOf } from '../../approvals/digest.ts'
import { noteUse } from '../../approvals/standing-grants.ts'
import type { Db, OrgSql } from '../../db/db.ts'
import type { Principal } from '../../identity/principal.ts'
import { recordChange, actorTypeOf, type Actor } from '../../records/change.ts'
import { approvalSealContext } from '../../vault/sealed-columns.ts'
import type { Vault } from '../../vault/vault.ts'
import type { ApprovalAsking } from './approval-port.ts'
import { taskOwner } from '../tasks/task-owner.ts'
import { callerOf, factsOf, rulesOf, tell } from './answer-approval.ts'
import { standingGrants, toolHashOf, type StandingGrants, type StandingGrantParts } from './standing-grants.ts'
import { recordExpired } from './record-expired.ts'

export interface ResolveApprovalParts extends StandingGrantParts {
  readonly db: Pick<Db, 'organization'>
  readonly vault: Pick<Vault, 'seal'>
  /** The page of a question, or of all of them. */
  link(id?: string): string
}

/** `go`: it may be made, once. */
export type Resolution =
  /** Of the question that was granted, or of a lasting grant. */
  | { readonly kind: 'go'; readonly id: ApprovalId | StandingGrantId }
  | { readonly kind: 'pending'; readonly id: ApprovalId; readonly until: Date }
  | { readonly kind: 'denied'; readonly id: ApprovalId; readonly why: string }
  | { readonly kind: 'expired'; readonly id: ApprovalId }
  | { readonly kind: 'limit'; readonly limit: number; readonly whose: string }

/** Calls that wait, of one principal and of one organization. */
const MOST = { own: 20, together: 500 } as const
/** A refused caller gets the same refusal for this long, in milliseconds; no approver is asked again meanwhile. */
const REFUSED_FOR = 10 * 60_000

/** The person behind a call; undefined for machines, and for whoever only speaks for somebody. */
export const personOf = ({ kind, userId, trusted, id }: Principal): string | undefined => {
  if (kind === 'operator') return id
  return kind === 'user' && trusted !== true ? userId : undefined
}

export function digestOfAsking(parts: ResolveApprovalParts, asking: ApprovalAsking): string {
  const { target, account, principal } = asking
  return digestOf({
    tool: toolHashOf(parts, asking),
    name: target.name,
    // To the digit: another number is another call.
    arguments: withDigits(asking.arguments, asking.mcpRequest.params['arguments']) as JsonObject,
    // Content cannot be exchanged between the approval and the call.
    ...(asking.files.length === 0 ? {} : { files: asking.files.map(({ place, sha256 }) => ({ place, sha256 })) }),
    account: account ?? parts.usualAccount(asking) ?? null,
    caller: taskOwner(principal),
    connection: target.connectionId,
    rules: asking.rules.map(({ id, parameters }) => ({ id, parameters: parameters as unknown as JsonObject })),
  })
}

/**
 * A modern call that goes on with answers to a question that it ended with: the grant that began it carries it to its end. A question is
 * counted when it is asked and when it is answered, so that no answer goes on twice.
 */
export async function goesOn({ db }: ResolveApprovalParts, asking: ApprovalAsking, digest: string): Promise<boolean> {
  const { caller, params } = asking.mcpRequest
  const answers = params['requestState'] !== undefined || params['inputResponses'] !== undefined
  if (eraOf(caller.revision) !== 'modern' || !answers) return false
  const id = await db.organization(asking.organizationId, (sql) => useRound(sql, digest))
  if (id === undefined) return false
  asking.audit.note({ approval: id })
  return true
}

/** Uses a grant that is there, or finds the open question, or asks it. */
export const resolveApproval = (
  parts: ResolveApprovalParts,
  asking: ApprovalAsking,
  digest: string,
): Promise<Resolution> =>
  parts.db.organization(asking.organizationId, async (sql) => {
    for (const expired of await expireDue(sql, digest)) await recordExpired(sql, expired)
    const latest = await lockLatest(sql, digest)
    const lasting = await standingGrants(parts, sql, asking)
    const known = latest === undefined ? undefined : await evaluate(parts, sql, { asking, lasting }, latest)
    if (known !== undefined) return known
    return (await goByStandingGrant(sql, asking, lasting)) ?? ask(parts, sql, { asking, lasting }, digest)
  })

/** An asking with what was said for all calls of its tool. */
interface Asking {
  readonly asking: ApprovalAsking
  readonly lasting: StandingGrants
}

/** Somebody said "always for this tool": no question is asked, and the call is on record with who said so. */
async function goByStandingGrant(
  sql: OrgSql,
  asking: ApprovalAsking,
  lasting: StandingGrants,
): Promise<Resolution | undefined> {
  const [first] = lasting.given
  if (first === undefined || !lasting.suffice([])) return undefined
  const used = await noteUse(
    sql,
    lasting.given.map(({ id }) => id),
  )
  // One of them was ended since it was looked up.
  if (used.length < lasting.given.length) return undefined
  await recordChange(sql, actorOf(asking), asking.organizationId, {
    action: 'lasting_approval.use',
    resource: 'lasting_approval',
    id: first.id,
    detail: {
      tool: asking.target.name,
      connection: asking.target.connectionId,
      caller: asking.principal.id,
      granted_by: lasting.given.map(({ granted_by: by }) => by),
      rules: asking.rules.map(({ name }) => name),
    },
  })
  return { kind: 'go', id: first.id }
}

/** The last approval with this digest, evaluated for this call; undefined where it is closed. */
async function evaluate(
  parts: ResolveApprovalParts,
  sql: OrgSql,
  { asking, lasting }: Asking,
  row: ApprovalRow,
): Promise<Resolution | undefined> {
  const { id, state } = row
  if (state === 'denied') {
    if (Date.now() - (row.decided_at?.getTime() ?? 0) >= REFUSED_FOR) return undefined
    const note = (await listAnswers(sql, id)).find(({ verdict }) => verdict === 'deny')?.note ?? undefined
    return { kind: 'denied', id, why: note === undefined ? '' : `: ${note}` }
  }
  if (state === 'expired') {
    if (lasting.suffice([])) return undefined
    return (await storeTold(sql, id)) ? { kind: 'expired', id } : undefined
  }
  if (state === 'used') return undefined
  // The rules that ask now are those that count, whatever was asked first.
  await storeRules(sql, id, asking.rules, lasting.digest)
  if (!(await isGranted(parts, sql, { asking, lasting }, row))) {
    if (state === 'granted') await takeBack(sql, id)
    return { kind: 'pending', id, until: row.expires_at }
  }
  if (state === 'pending') await storeGrant(sql, id, row.decided_by ?? 'its rules', goodFor(asking.rules))
  return (await use(sql, asking, row)) ? { kind: 'go', id } : { kind: 'pending', id, until: row.expires_at }
}

async function isGranted({ lookup }: ResolveApprovalParts, sql: OrgSql, { asking, lasting }: Asking, row: ApprovalRow) {
  const answers = await listAnswers(sql, row.id)
  if (lasting.suffice(answers)) return true
  const approverOf = await lookup.all(
    sql,
    asking.organizationId,
    answers.map(({ answered_by: by }) => by),
  )
  return isSatisfied(tallyOf(asking.rules, callerOf(row), answers, approverOf))
}

async function use(sql: OrgSql, asking: ApprovalAsking, row: ApprovalRow): Promise<boolean> {
  if (!(await useGrant(sql, row.id, asking.audit.correlationId))) return false
  await recordChange(sql, actorOf(asking), asking.organizationId, {
    action: 'approval.use',
    resource: 'approval',
    id: row.id,
    detail: factsOf(row),
  })
  return true
}

async function ask(
  parts: ResolveApprovalParts,
  sql: OrgSql,
  { asking, lasting }: Asking,
  digest: string,
): Promise<Resolution> {
  const { organizationId, principal, target, rules, account, mcpRequest } = asking
  const counted = await countPending(sql, principal.id, principal.userId)
  if (counted.own >= MOST.own) return { kind: 'limit', limit: MOST.own, whose: 'of this caller' }
  if (counted.together >= MOST.together) return { kind: 'limit', limit: MOST.together, whose: 'of the organization' }
  const { name } = mcpRequest.params
  const given = mcpRequest.params['arguments'] ?? {}
  const wait = waitOf(rules)
  const files = asking.files.length === 0 ? {} : { files: asking.files.map((file) => ({ ...file })) }
  const exact = { arguments: withDigits(asking.arguments, given), given: withDigits(given) }
  const sealed = JSON.stringify({ ...exact, name, ...files })
  const added = {
    organizationId,
    connectionId: target.connectionId,
    tool: target.name,
    effect: target.effect,
    digest,
    principal: principal.id,
    keyId: principal.keyId,
    caller: asking.facts.principal.email || asking.facts.principal.key || principal.id,
    userId: principal.userId,
    client: asking.facts.principal.client === '' ? undefined : asking.facts.principal.client,
    account: account ?? parts.usualAccount(asking),
    rules,
    wait,
    toolHash: lasting.toolHash,
    standingDigest: lasting.digest,
  }
  const id = await addApproval(sql, added, (approvalId) => parts.vault.seal(sealed, approvalSealContext(approvalId)))
  const row = await lockLatest(sql, digest)
  if (row === undefined) throw new Error('a question that was just asked is not there')
  // Somebody asked the same at the same moment.
  if (id === undefined) return { kind: 'pending', id: row.id, until: row.expires_at }
  await tell(sql, 'approval.requested', row, {
    connection: target.alias,
    effect: target.effect,
    caller: principal.id,
    rules: rulesOf(row).map((rule) => ({ name: rule.name, reason: rule.reason, asks: wordsOf(rule) })),
    expires_at: row.expires_at.toISOString(),
    link: parts.link(id),
  })
  await recordChange(sql, actorOf(asking), organizationId, {
    action: 'approval.request',
    resource: 'approval',
    id,
    detail: factsOf(row),
  })
  return { kind: 'pending', id, until: row.expires_at }
}

export const actorOf = ({ principal, audit: { correlationId }, facts }: ApprovalAsking): Actor => ({
  id: principal.id,
  type: actorTypeOf(principal),
  keyId: principal.keyId,
  address: facts.context.address === '' ? undefined : facts.context.address,
  userAgent: undefined,
  correlationId: correlationId === '' ? randomUUID() : correlationId,
})
