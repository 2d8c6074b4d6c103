/**
 * A draft of rules, judged on the calls on record: page by page, so that memory does not grow with their number, and with room
 * for others between pages.
 */
import type { PolicyDraft, ReplayReport } from '@toolway/contract/admin'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { createPolicy } from '../../policy/compile.ts'
import { withDraft } from '../../policy/draft.ts'
import { evaluateAgain, type Judged } from '../../policy/replay.ts'
import { createTally } from '../../policy/replay-tally.ts'
import { KeptValues } from '../../policy/named-values.ts'
import type { PlacedRule, Policy } from '../../policy/verdict.ts'
import { findSpan, listCalls, type CallRecord } from '../../records/call-records.ts'
import type { OrgSql } from '../../db/db.ts'
import type { Callers } from './callers-of.ts'
import { createFindTool, type CalledIn, type FindTool } from './tool-of-record.ts'
import type { KnownTool } from '../../snapshot/tools-of.ts'

export interface ReplayParts {
  readonly snapshot: CalledIn & Pick<Snapshot, 'rules' | 'organization'>
  /** Those of these ids, of members and of keys. */
  callers(ids: readonly (string | null)[]): Promise<Callers>
  /** Each page is a transaction of its own, so that no long one holds anything back. */
  read<T>(work: (sql: OrgSql) => Promise<T>): Promise<T>
  readonly now: number
  readonly signal?: AbortSignal
}

/** Read at most; the report says where there was more. */
export const MOST_READ = 500_000
const PAGE = 2000
const DAY = 86_400_000

export async function replayCalls(
  { snapshot, callers, read, now, signal }: ReplayParts,
  draft: PolicyDraft,
  days: number,
): Promise<ReplayReport> {
  const drafted = createPolicy(withDraft(snapshot.rules.rules, draft))
  const evaluate = createEvaluator(snapshot, drafted, await createFindTool(snapshot))
  const tally = createTally()
  const since = new Date(now - days * DAY)
  const span = await read((sql) => findSpan(sql, since))
  let [before, readSoFar] = [(span?.last ?? 0) + 1, 0]
  while (span !== undefined && before > span.first && readSoFar < MOST_READ) {
    signal?.throwIfAborted()
    const from = Math.max(before - PAGE, span.first)
    const records = await read((sql) => listCalls(sql, { since, from, before }))
    const known = await callers(records.flatMap(({ principal, key_id: key }) => [principal, key]))
    for (const record of records) {
      const { judged, tool } = evaluate(record, known)
      tally.add(judged, { id: record.id, tool, caller: known.nameOf(record.principal) })
    }
    readSoFar += records.length
    before = from
  }
  const done = tally.done()
  return {
    ...{ days, read: done.read, same: done.same, different: done.different },
    differences: done.differences.map((difference) => ({
      ...difference,
      by: { ...difference.by },
      examples: [...difference.examples],
    })),
    unjudged: done.unjudged.map((item) => ({ ...item, examples: [...item.examples] })),
    truncated: done.truncated || readSoFar >= MOST_READ,
    problems: drafted.problems.map(({ rule, problem }) => ({ rule: rule.name, problem })),
  }
}

const DEFAULT = 'default'
const NONE: readonly PlacedRule[] = []

function createEvaluator(snapshot: ReplayParts['snapshot'], drafted: Policy, findTool: FindTool) {
  const organization = snapshot.organization.slug
  const sides = new Map<string, { now: readonly PlacedRule[]; draft: readonly PlacedRule[] }>()

  function placedFor({ facts, schema }: KnownTool, toolset: string) {
    const key = `${toolset} ${facts.connection} ${facts.name}`
    const side = sides.get(key)
    if (side !== undefined) return side
    const endpoint = { organization, toolset }
    const of = (policy: Policy) => policy.of(facts, endpoint, schema)?.placed ?? NONE
    const made = { now: of(snapshot.rules), draft: of(drafted) }
    // Toolsets and tools are the organization's own, so that their number has an end.
    sides.set(key, made)
    return made
  }

  return (record: CallRecord, callers: Callers): { judged: Judged; tool: string } => {
    const { target, toolset, principal, key_id: keyId, client, at, ip_address: address } = record
    const tool = findTool(record)
    if (tool === undefined) return { judged: { unjudged: 'the tool no longer exists' }, tool: target ?? '' }
    const { now, draft } = placedFor(tool, toolset ?? DEFAULT)
    const caller = callers.byId(principal, keyId)
    const context = { organization, toolset: toolset ?? '', time: at.toISOString(), address: address ?? '' }
    const facts =
      caller === undefined
        ? undefined
        : { principal: { ...caller.facts, ...(client === null ? {} : { client }) }, context }
    const values = KeptValues.safeParse(record.policy ?? {})
    return {
      judged: evaluateAgain(now, draft, { tool: tool.facts, facts, kept: values.success ? values.data : {} }),
      tool: tool.exposedName,
    }
  }
}
