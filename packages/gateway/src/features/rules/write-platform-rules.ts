/** Writes rules of the platform, which are checked before they are stored. The caller writes the audit entry. */
import { Fault, type RuleWords } from '@toolway/contract'
import type { FullRuleChange } from '@toolway/contract/admin'
import type { SystemSql } from '../../db/db.ts'
import type { Known } from '../../policy/stored/check-rule.ts'
import {
  addPlatformRule,
  changePlatformRule,
  listPlatformRules,
  listRuleNames,
  lockPlatformRule,
  removePlatformRule,
  writtenOf,
  type PlatformRuleRow,
  type WrittenRule,
} from '../../policy/stored/platform-rules.ts'
import { refuseStale } from '../../lib/entity-tag.ts'
import { refuseDeclared } from '../../lib/origin.ts'
import type { Origin } from '../../lib/origin.ts'
import { withRuleChange, MOST_RULES, refuseProblems } from './rule-words.ts'

/** Returns the rules that an exception of the platform may name: those of the platform and of any organization. */
async function knownTo(sql: SystemSql, rows: readonly PlatformRuleRow[]): Promise<Known[]> {
  return [
    ...rows.map(({ name }): Known => ({ name, scope: 'platform' })),
    ...(await listRuleNames(sql)).map((name): Known => ({ name, scope: 'organization' })),
  ]
}

const takenName = (name: string) => new Fault('thing.taken', { thing: 'rule', name })

/** Throws `body.shape`, `thing.taken` and `rule.limit`. */
export async function writePlatformRule(
  sql: SystemSql,
  words: RuleWords,
  { origin, createdBy }: { origin: string; createdBy: string },
): Promise<PlatformRuleRow> {
  const rows = await listPlatformRules(sql)
  if (rows.length >= MOST_RULES) throw new Fault('rule.limit', { limit: MOST_RULES })
  refuseProblems(words, 'platform', await knownTo(sql, rows))
  const row = await addPlatformRule(sql, writtenOf(words), { origin, createdBy })
  if (row === undefined) throw takenName(words.name)
  return row
}

interface Locking {
  readonly origin: Origin
  readonly ifMatch?: string | undefined
}

/** One that may be changed here. Throws `thing.unknown`, `thing.declared` and `request.stale`. */
async function lockOwn(sql: SystemSql, id: string, { origin, ifMatch }: Locking): Promise<PlatformRuleRow> {
  const platformRule = await lockPlatformRule(sql, id)
  if (platformRule === undefined) throw new Fault('thing.unknown', { thing: 'rule' })
  refuseDeclared({ thing: 'rule', name: platformRule.name, origin: platformRule.origin }, origin)
  refuseStale('rule', platformRule.updated_at, ifMatch)
  return platformRule
}

export const writtenOfPlatformRule = ({
  name,
  match,
  action,
  parameters,
  reason,
  state,
}: PlatformRuleRow): WrittenRule => ({
  ...{ name, match, action, parameters, reason, state },
})

/** Throws what `lockOwn` throws, and `body.shape` and `thing.taken`. */
export async function rewritePlatformRule(
  sql: SystemSql,
  id: string,
  change: FullRuleChange,
  locking: Locking,
): Promise<PlatformRuleRow> {
  const own = await lockOwn(sql, id, locking)
  const rows = await listPlatformRules(sql)
  const next = withRuleChange(writtenOfPlatformRule(own), change, 'platform', await knownTo(sql, rows))
  if (rows.some((row) => row.name === next.name && row.id !== id)) throw takenName(next.name)
  const row = await changePlatformRule(sql, id, next)
  if (row === undefined) throw new Fault('thing.unknown', { thing: 'rule' })
  return row
}

/** Throws what `lockOwn` throws. */
export async function erasePlatformRule(sql: SystemSql, id: string, locking: Locking): Promise<PlatformRuleRow> {
  const own = await lockOwn(sql, id, locking)
  await removePlatformRule(sql, id)
  return own
}
