/** Rules of the platform as they are kept. They belong to no organization, so no organization's transaction reaches them. */
import { newId, RULE_STATES, type RuleId, type RuleState, type RuleWords } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'

export const PlatformRuleRow = z.object({
  id: z.string().transform((id) => id as RuleId),
  name: z.string(),
  match: z.record(z.string(), z.unknown()),
  action: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  reason: z.string(),
  state: z.enum(RULE_STATES),
  origin: z.string(),
  created_by: z.string(),
  created_at: z.date(),
  updated_at: z.date(),
})
export type PlatformRuleRow = z.output<typeof PlatformRuleRow>

/** The oldest first: among rules that say the same, it is the one that is named. */
export const listPlatformRules = (sql: SystemSql) => sql(PlatformRuleRow)`
  select id, name, match, action, parameters, reason, state, origin, created_by, created_at, updated_at
    from rules order by created_at, id`

const Id = z.object({ id: z.string() })

/** Locks the rule until the transaction ends. */
export async function lockPlatformRule(sql: SystemSql, id: string): Promise<PlatformRuleRow | undefined> {
  const [stored] = await sql(Id)`select id from rules where id = ${id} for update`
  return stored && (await listPlatformRules(sql)).find((row) => row.id === id)
}

const Name = z.object({ name: z.string() })
/** Of rules of all organizations: what an exception of the platform may name. */
export const listRuleNames = async (sql: SystemSql): Promise<readonly string[]> =>
  (await sql(Name)`select distinct name from organization_rules`).map(({ name }) => name)

/** A rule as it was written; not parsed, so that a rule that cannot be parsed can still be disabled. */
export interface WrittenRule {
  readonly name: string
  readonly match: object
  readonly action: string
  readonly parameters: object
  readonly reason: string
  readonly state: RuleState
}

export const writtenOf = ({ name, match, action, parameters, reason, state }: RuleWords): WrittenRule => ({
  ...{ name, match, action, parameters, reason, state },
})

/** Undefined where there is one of that name. */
export async function addPlatformRule(
  sql: SystemSql,
  rule: WrittenRule,
  { origin, createdBy, id = newId('rul') }: { origin: string; createdBy: string; id?: RuleId },
): Promise<PlatformRuleRow | undefined> {
  const { name, match, action, parameters, reason, state } = rule
  const rows = await sql(PlatformRuleRow)`
    insert into rules (id, name, match, action, parameters, reason, state, origin, created_by)
    values (${id}, ${name}, ${JSON.stringify(match)}, ${action}, ${JSON.stringify(parameters)}, ${reason}, ${state},
            ${origin}, ${createdBy})
    on conflict (name) do nothing
    returning id, name, match, action, parameters, reason, state, origin, created_by, created_at, updated_at`
  return rows[0]
}

/** Undefined where there is no such rule. A name that another has breaks the constraint `rules_name_key`. */
export async function changePlatformRule(
  sql: SystemSql,
  id: string,
  rule: WrittenRule,
): Promise<PlatformRuleRow | undefined> {
  const { name, match, action, parameters, reason, state } = rule
  const rows = await sql(PlatformRuleRow)`
    update rules
       set name = ${name}, match = ${JSON.stringify(match)}, action = ${action}, parameters = ${JSON.stringify(parameters)},
           reason = ${reason}, state = ${state}, updated_at = now()
     where id = ${id}
    returning id, name, match, action, parameters, reason, state, origin, created_by, created_at, updated_at`
  return rows[0]
}

export async function removePlatformRule(sql: SystemSql, id: string): Promise<PlatformRuleRow | undefined> {
  const rows = await sql(PlatformRuleRow)`
    delete from rules where id = ${id}
    returning id, name, match, action, parameters, reason, state, origin, created_by, created_at, updated_at`
  return rows[0]
}
