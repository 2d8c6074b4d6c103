/** The rules of a declaration file, made what the file says: of the platform, of organizations, and of their connections. */
import type { OrganizationId, RuleScope, RuleWords } from '@toolway/contract'
import type { AuditAction } from '@toolway/contract/admin'
import { isDeepStrictEqual } from 'node:util'
import type { Db, OrgSql } from '../../db/db.ts'
import { problemsOf, type Known } from '../../policy/stored/check-rule.ts'
import {
  addOrganizationRule,
  changeOrganizationRule,
  findPlace,
  listOrganizationRules,
  removeOrganizationRule,
  type OrganizationRuleRow,
} from '../../policy/stored/organization-rules.ts'
import {
  addPlatformRule,
  changePlatformRule,
  listPlatformRules,
  listRuleNames,
  removePlatformRule,
  writtenOf,
  type WrittenRule,
} from '../../policy/stored/platform-rules.ts'
import { entryOfChange, type Actor, type Change } from '../../records/change.ts'
import { storeRecords } from '../../records/records.ts'
import { changeOf, knownTo, writtenOfOrganizationRule, writtenOfPlatformRule } from '../rules/index.ts'

/** A declaration that cannot be carried out; one sentence for the person who wrote the file. */
export class DeclarationConflict extends Error {}

const FILE = 'file'
const BY = 'declaration file'

/** Throws DeclarationConflict. Names that an exception lifts can only be looked up once everything is there. */
function refuse(words: RuleWords, scope: RuleScope, known: readonly Known[]): void {
  const [first] = problemsOf(words, scope, known)
  if (first === undefined) return
  throw new DeclarationConflict(
    `The declaration file's rule "${words.name}" is not valid: ${first.place.slice(1)} ${first.problem}.`,
  )
}

const conflict = (name: string, origin: string) =>
  new DeclarationConflict(
    `The declaration file declares the rule "${name}", which already exists (from ${origin}): remove that one (\`toolway policy remove "${name}"\`) or choose another name.`,
  )

const same = (rule: WrittenRule, requested: WrittenRule): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(rule)), JSON.parse(JSON.stringify(requested)))

export const declarePlatformRules = (db: Db, rules: readonly RuleWords[], actor: Actor): Promise<void> =>
  db.system(async (sql) => {
    const changes: Change[] = []
    const say = (action: AuditAction, id: string, rule: WrittenRule) =>
      changes.push(changeOf(action, id, 'platform', undefined, rule))
    const present = await listPlatformRules(sql)
    const named = new Set(rules.map(({ name }) => name))
    for (const row of present) {
      if (row.origin !== FILE || named.has(row.name)) continue
      await removePlatformRule(sql, row.id)
      say('rule.remove', row.id, writtenOfPlatformRule(row))
    }
    const names = [...present.map(({ name }) => name), ...named, ...(await listRuleNames(sql))]
    const known = names.map((name): Known => ({ name, scope: 'platform' }))
    for (const words of rules) {
      refuse(words, 'platform', known)
      const rule = writtenOf(words)
      const held = present.find(({ name }) => name === words.name)
      if (held !== undefined && held.origin !== FILE) throw conflict(words.name, held.origin)
      if (held === undefined) {
        const added = await addPlatformRule(sql, rule, { origin: FILE, createdBy: BY })
        say('rule.add', added?.id ?? words.name, rule)
      } else if (!same(writtenOfPlatformRule(held), rule)) {
        await changePlatformRule(sql, held.id, rule)
        say('rule.change', held.id, rule)
      }
    }
    if (changes.length > 0)
      await storeRecords(
        sql,
        changes.map((change) => entryOfChange(actor, undefined, change)),
      )
  })

interface Carrying {
  readonly sql: OrgSql
  readonly organizationId: OrganizationId
  /** Names of the platform's rules. */
  readonly platform: readonly string[]
  say(change: Change): void
}

interface Wishes {
  readonly rules?: readonly RuleWords[] | undefined
  readonly connections: readonly { readonly alias: string; readonly rules?: readonly RuleWords[] | undefined }[]
  readonly toolsets: readonly { readonly settings: { readonly rules?: readonly RuleWords[] | undefined } }[]
}

interface DeclaredRule {
  readonly scope: 'organization' | 'connection'
  readonly of: string | null
  readonly words: RuleWords
}

/** Call it when connections and toolsets are as the file says. */
export async function declareRules(carrying: Carrying, { rules = [], connections, toolsets }: Wishes): Promise<void> {
  const { sql, platform } = carrying
  const wanted: DeclaredRule[] = [
    ...rules.map((words) => ({ scope: 'organization' as const, of: null, words })),
    ...connections.flatMap(({ alias, rules: own = [] }) =>
      own.map((words) => ({ scope: 'connection' as const, of: alias, words })),
    ),
  ]
  const present = await listOrganizationRules(sql)
  for (const row of present) {
    if (row.origin !== FILE || wanted.some((rule) => stands(rule, row))) continue
    await removeOrganizationRule(sql, row.id)
    sayOf(carrying, 'rule.remove', row.id, row, writtenOfOrganizationRule(row))
  }
  for (const rule of wanted) await put(carrying, present, rule)
  if (wanted.length === 0 && toolsets.every(({ settings }) => settings.rules === undefined)) return
  const known = await knownTo(sql, await listOrganizationRules(sql), platform)
  for (const { scope, words } of wanted) refuse(words, scope, known)
  for (const { settings } of toolsets) for (const words of settings.rules ?? []) refuse(words, 'toolset', known)
}

const stands = ({ scope, of, words }: DeclaredRule, row: OrganizationRuleRow): boolean =>
  row.scope === scope && row.of === of && row.name === words.name

const sayOf = (
  { say }: Carrying,
  action: AuditAction,
  id: string,
  { scope, of }: { readonly scope: RuleScope; readonly of: string | null },
  rule: WrittenRule,
): void => {
  const change = changeOf(action, id, scope, of ?? undefined, rule)
  say({ ...change, detail: { ...change.detail, origin: FILE } })
}

async function put(carrying: Carrying, present: readonly OrganizationRuleRow[], item: DeclaredRule): Promise<void> {
  const { sql, organizationId } = carrying
  const rule = writtenOf(item.words)
  const held = present.find((row) => stands(item, row))
  if (held !== undefined && held.origin !== FILE) throw conflict(rule.name, held.origin)
  if (held !== undefined) {
    if (same(writtenOfOrganizationRule(held), rule)) return
    await changeOrganizationRule(sql, held.id, rule)
    return sayOf(carrying, 'rule.change', held.id, item, rule)
  }
  const place = await findPlace(sql, item.scope, item.of ?? '')
  if (place === undefined) throw new Error(`the connection ${item.of} does not exist`)
  const id = await addOrganizationRule(sql, { organizationId, place, rule, origin: FILE, createdBy: BY })
  sayOf(carrying, 'rule.add', id ?? rule.name, item, rule)
}
