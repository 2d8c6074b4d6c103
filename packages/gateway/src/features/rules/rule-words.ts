/** Rules as they are written and shown: what both the platform's and an organization's share. */
import { Fault, type RuleScope, type RuleWords } from '@toolway/contract'
import type { AuditAction, FullRuleChange, KeptRule } from '@toolway/contract/admin'
import type { OrganizationRuleRow } from '../../policy/stored/organization-rules.ts'
import type { RuleProblem } from '../../policy/actions/action.ts'
import { problemsOf, readWords, type Known } from '../../policy/stored/check-rule.ts'
import { writtenOf, type PlatformRuleRow, type WrittenRule } from '../../policy/stored/platform-rules.ts'
import { readRule, type Kept } from '../../policy/stored/read-rule.ts'
import { storedOfOrganization, storedOfPlatform } from '../../policy/stored/rules-in-force.ts'
import type { Change } from '../../records/change.ts'

/** Rules that one organization, or the platform, may have. */
export const MOST_RULES = 1_000

const shapeFault = ({ place, problem }: RuleProblem): Fault =>
  new Fault('body.shape', { place: place === '' ? '/' : place, problem })

/** Several rules written one after the other. A rule that does not fit is named by its place in the list. */
export async function writeEach<Words, Row>(
  rules: readonly Words[],
  write: (words: Words) => Promise<Row>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const [at, words] of rules.entries())
    rows.push(
      await write(words).catch((thrown: unknown) => {
        if (!(thrown instanceof Fault) || thrown.code !== 'body.shape') throw thrown
        const { place, problem } = thrown.facts
        throw new Fault('body.shape', { place: `/rules/${at}${place}`, problem: String(problem) })
      }),
    )
  return rows
}

/** Throws `body.shape` with what is to be mended first. */
export function refuseProblems(words: RuleWords, scope: RuleScope, known: readonly Known[]): void {
  const [first] = problemsOf(words, scope, known)
  if (first !== undefined) throw shapeFault(first)
}

/** Rules that stand in a list of their own: checked as others are, and each name once. */
export function refuseListed(rules: readonly RuleWords[], scope: RuleScope, known: readonly Known[]): void {
  const all = [...known, ...rules.map(({ name }) => ({ name, scope }))]
  const seen = new Set<string>()
  rules.forEach((words, at) => {
    const [first] = problemsOf(words, scope, all)
    if (first !== undefined) throw shapeFault({ ...first, place: `/rules/${at}${first.place}` })
    if (seen.has(words.name))
      throw shapeFault({ place: `/rules/${at}/name`, problem: 'is the name of another rule here' })
    seen.add(words.name)
  })
}

/** The rule as it is to be from now on. To switch one off it need not be readable. Throws `body.shape`. */
export function withRuleChange(
  rule: WrittenRule,
  change: FullRuleChange,
  scope: RuleScope,
  known: readonly Known[],
): WrittenRule {
  const named = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const otherAction = change.action !== undefined && change.action !== rule.action
  const next = { ...rule, ...(otherAction ? { parameters: {} } : {}), ...named }
  if (next.state === 'off' && Object.keys(named).every((name) => name === 'state')) return { ...rule, state: 'off' }
  const read = readWords(next)
  if (!('words' in read)) throw shapeFault(read.problems[0] ?? { place: '/', problem: 'cannot be read' })
  refuseProblems(read.words, scope, known)
  return writtenOf(read.words)
}

const TOLD_TOOLS = 20

/** Returns the audit entry for a change of a rule: enough to identify the rule, without any fixed value. */
export function changeOf(
  action: AuditAction,
  id: string,
  scope: RuleScope,
  of: string | undefined,
  rule: WrittenRule,
): Change {
  const { name, match, action: does, parameters, reason, state } = rule
  const { tools, ...rest } = match as { tools?: unknown }
  const shownTools = Array.isArray(tools) ? (tools as unknown[]).slice(0, TOLD_TOOLS) : tools
  const { value: _, ...shown } = parameters as { value?: unknown }
  return {
    action,
    resource: 'rule',
    id,
    detail: {
      ...{ name, scope, action: does, state, reason, match: { ...rest, tools: shownTools }, parameters: shown },
      ...(of === undefined ? {} : { of }),
    },
  }
}

interface Times {
  readonly origin: string
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function shownRule(stored: Kept, times: Times | undefined, origin: string): KeptRule {
  const { id, scope, of, name, match, action, parameters, reason, state } = stored
  return {
    ...{ id, scope, of: of ?? null, name: textOf(name), match: record(match), action: textOf(action) },
    ...{ parameters: record(parameters), reason: textOf(reason), state, origin: times?.origin ?? origin },
    created_by: times?.created_by ?? null,
    created_at: times?.created_at.toISOString() ?? null,
    updated_at: times?.updated_at.toISOString() ?? null,
    problem: readRule(stored).problem ?? null,
  }
}

export const toPlatformRule = (row: PlatformRuleRow): KeptRule => shownRule(storedOfPlatform(row), row, row.origin)
export const toOrganizationRule = (row: OrganizationRuleRow): KeptRule =>
  shownRule(storedOfOrganization(row), row, row.origin)
/** One that stands in a toolset, or one of the platform as an organization sees it: where it came from, and no more. */
export const toPlacedRule = (stored: Kept, origin: string): KeptRule => shownRule(stored, undefined, origin)
