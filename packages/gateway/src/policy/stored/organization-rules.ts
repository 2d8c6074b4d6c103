/** Rules of one organization as they are kept: its own, and those of its toolsets, connections, members and keys. */
import { newId, RULE_STATES, type OrganizationId, type RuleId } from '@toolway/contract'
import { INNER_SCOPES, type InnerScope } from '@toolway/contract/admin'
import { z } from 'zod'
import type { OrgSql, Sql, SystemSql } from '../../db/db.ts'
import type { WrittenRule } from './platform-rules.ts'

const Words = z.object({
  match: z.record(z.string(), z.unknown()),
  action: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  reason: z.string(),
})

export const OrganizationRuleRow = z.object({
  id: z.string().transform((id) => id as RuleId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  scope: z.enum(INNER_SCOPES),
  /** The name that conditions and tools use: slug, alias, address of the member, id of the key. */
  of: z.string().nullable(),
  name: z.string(),
  /** As the row has it, which another hand may have written. */
  words: Words.partial(),
  state: z.enum(RULE_STATES),
  origin: z.string(),
  created_by: z.string(),
  created_at: z.date(),
  updated_at: z.date(),
})
export type OrganizationRuleRow = z.output<typeof OrganizationRuleRow>

const Id = z.object({ id: z.string() })

const readOrganizationRules = (sql: Sql, organizations: readonly string[] | null) => sql(OrganizationRuleRow)`
  select r.id, r.organization_id, r.scope, coalesce(r.toolset, c.alias, u.email, r.key_id) as of, r.name, r.words, r.state,
         r.origin, r.created_by, r.created_at, r.updated_at
    from organization_rules r
    left join connections c on c.organization_id = r.organization_id and c.id = r.connection_id
    left join users u on u.id = r.user_id
   where ${organizations}::text[] is null or r.organization_id = any(${organizations}::text[])
   order by r.created_at, r.id`

/** The oldest first: among rules that say the same, it is the one that is named. */
export const listOrganizationRules = (sql: OrgSql) => readOrganizationRules(sql, null)

/** Those of these organizations, in the same order. */
export const listOrganizationRulesOf = (sql: SystemSql, organizations: readonly string[]) =>
  readOrganizationRules(sql, organizations)

/** Locks the rule until the transaction ends. */
export async function lockOrganizationRule(sql: OrgSql, id: string): Promise<OrganizationRuleRow | undefined> {
  const [stored] = await sql(Id)`select id from organization_rules where id = ${id} for update`
  return stored && (await listOrganizationRules(sql)).find((row) => row.id === id)
}

/** The object that a rule applies to, as its row has it: at most one of them. */
export interface RulePlace {
  readonly scope: InnerScope
  readonly toolset?: string | undefined
  readonly connectionId?: string | undefined
  readonly userId?: string | undefined
  readonly keyId?: string | undefined
}

const Key = Id.extend({ name: z.string() })

/** Undefined where nothing of that name is there. A key that goes by a name of several is named by its id. */
export async function findPlace(sql: OrgSql, scope: InnerScope, of: string): Promise<RulePlace | undefined> {
  if (scope === 'organization') return { scope }
  if (scope === 'toolset') {
    const [found] = await sql(Id)`select id from toolsets where slug = ${of}`
    return found && { scope, toolset: of }
  }
  if (scope === 'connection') {
    const [found] = await sql(Id)`select id from connections where alias = ${of} or id = ${of}`
    return found && { scope, connectionId: found.id }
  }
  if (scope === 'member') {
    const [found] = await sql(Id)`
      select m.user_id as id from members m join users u on u.id = m.user_id where u.email = lower(${of}) or u.id = ${of}`
    return found && { scope, userId: found.id }
  }
  const keys = await sql(
    Key,
  )`select id, name from keys where organization_id is not null and (name = ${of} or id = ${of})`
  const [found, ...others] = keys
  const exact = keys.find(({ id }) => id === of) ?? (others.length === 0 ? found : undefined)
  return exact && { scope, keyId: exact.id }
}

/** Everything of that kind that a rule can be of, by the names that people know it by. */
export async function listPlaces(sql: OrgSql, scope: InnerScope): Promise<readonly string[]> {
  if (scope === 'toolset') return (await sql(Key)`select id, slug as name from toolsets order by slug`).map(nameOf)
  if (scope === 'connection')
    return (await sql(Key)`select id, alias as name from connections order by alias`).map(nameOf)
  if (scope === 'member')
    return (
      await sql(Key)`select u.id, u.email as name from members m join users u on u.id = m.user_id order by u.email`
    ).map(nameOf)
  if (scope === 'key') return (await sql(Key)`select id, name from keys order by name`).map(nameOf)
  return []
}
const nameOf = ({ name }: { name: string }) => name

export interface NewOrganizationRule {
  readonly organizationId: OrganizationId
  readonly place: RulePlace
  readonly rule: WrittenRule
  readonly origin: string
  readonly createdBy: string
  readonly id?: RuleId
}

const text = ({ match, action, parameters, reason }: WrittenRule) =>
  JSON.stringify({ match, action, parameters, reason })

/** Its id; undefined where a rule of that name stands there already. */
export async function addOrganizationRule(
  sql: OrgSql | SystemSql,
  { organizationId, place, rule, origin, createdBy, id = newId('rul') }: NewOrganizationRule,
): Promise<RuleId | undefined> {
  const { scope, toolset = null, connectionId = null, userId = null, keyId = null } = place
  const [added] = await sql(Id)`
    insert into organization_rules (id, organization_id, scope, toolset, connection_id, user_id, key_id, name, words, state,
                                    origin, created_by)
    values (${id}, ${organizationId}, ${scope}, ${toolset}, ${connectionId}, ${userId}, ${keyId}, ${rule.name}, ${text(rule)},
            ${rule.state}, ${origin}, ${createdBy})
    on conflict do nothing
    returning id`
  return added?.id as RuleId | undefined
}

/** A name that another has there breaks the index `organization_rules_name`. */
export const changeOrganizationRule = (sql: OrgSql, id: string, rule: WrittenRule) => sql(Id)`
  update organization_rules
     set name = ${rule.name}, words = ${text(rule)}, state = ${rule.state}, updated_at = now()
   where id = ${id}
  returning id`

export const removeOrganizationRule = (sql: OrgSql, id: string) =>
  sql(Id)`delete from organization_rules where id = ${id} returning id`

const Kept = z.object({
  id: z.string(),
  organization_id: z.string(),
  key_id: z.string(),
  name: z.string(),
  words: z.unknown(),
  state: z.enum(RULE_STATES),
  origin: z.string(),
  created_by: z.string(),
  created_at: z.date(),
})

/**
 * Put other keys in the place of old ones, whose rules go over to them: a key that is made anew is no way around what was said of
 * it. `replace` says which key came for which, by their ids.
 */
export async function carryKeyRules<Made>(
  sql: OrgSql | SystemSql,
  organizationId: OrganizationId,
  replace: () => Promise<Made>,
  pairs: (made: Made) => ReadonlyMap<string, string | undefined> | Promise<ReadonlyMap<string, string | undefined>>,
): Promise<Made> {
  const current = await sql(Kept)`
    select id, organization_id, key_id, name, words, state, origin, created_by, created_at
      from organization_rules where organization_id = ${organizationId} and scope = 'key'`
  const made = await replace()
  const next = current.length === 0 ? new Map<string, undefined>() : await pairs(made)
  for (const row of current) {
    const key = next.get(row.key_id)
    if (key === undefined) continue
    await sql(Id)`
      insert into organization_rules (id, organization_id, scope, key_id, name, words, state, origin, created_by, created_at)
      values (${row.id}, ${organizationId}, 'key', ${key}, ${row.name}, ${JSON.stringify(row.words)}, ${row.state},
              ${row.origin}, ${row.created_by}, ${row.created_at})
      on conflict do nothing
      returning id`
  }
  return made
}
