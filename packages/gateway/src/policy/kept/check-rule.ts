/**
 * What is wrong with a rule, beyond its shape: conditions and patterns that cannot be read, bounds that contradict each other, names
 * that would silently match nothing, exceptions from what the writer may not lift. Pure; it is asked when a rule is written, and
 * again when it is read back, because a newer gateway may have written it.
 */
import {
  CONNECTORS,
  RuleWords,
  type ContextFacts,
  type PrincipalFacts,
  type RuleScope,
  type ToolFacts,
} from '@toolway/contract'
import { RE2JS } from 're2js'
import { nearestNames } from '../../lib/nearest.ts'
import { readsOf } from '../condition-reads.ts'
import { checkCondition } from '../condition.ts'

/** Where in the rule (JSON Pointer), and what. */
export interface RuleProblem {
  readonly place: string
  readonly problem: string
}

/** Signs of other languages of patterns stand for themselves here, and such a rule would silently hold for nothing. */
const PATTERN = /^[^?[\]{}!\s]+$/
const patternProblem =
  'is a name in which * stands for any run of characters; ?, [], {}, ! and spaces mean nothing here'

/** Reads what somebody wrote. The first problem is the one to mend first. */
export function readWords(given: unknown): { words: RuleWords } | { problems: readonly RuleProblem[] } {
  const parsed = RuleWords.safeParse(given)
  if (parsed.success) return { words: parsed.data }
  return {
    problems: parsed.error.issues.map(({ path, message, code, ...rest }) => ({
      place: path.map((part) => `/${String(part)}`).join(''),
      problem:
        code === 'unrecognized_keys' && 'keys' in rest
          ? `has members that are not known here: ${rest.keys.join(', ')}`
          : message,
    })),
  }
}

/** Whether it can be carried out at all: everything that is compiled is compiled once. */
export function compileProblems(words: RuleWords): RuleProblem[] {
  const problems: RuleProblem[] = []
  const say = (place: string, problem: string | undefined) => {
    if (problem !== undefined) problems.push({ place, problem })
  }
  const { match } = words
  if (match.when !== undefined) {
    const problem = checkCondition(match.when)
    say('/match/when', problem === undefined ? undefined : `is no condition in CEL: ${problem}`)
  }
  if (words.action === 'reject' && words.parameters.pattern !== undefined)
    say('/parameters/pattern', regexProblem(words.parameters.pattern))
  return problems
}

function regexProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern)
    return undefined
  } catch (thrown) {
    return `is no regular expression of RE2: ${(thrown as Error).message.split('\n')[0] ?? ''}`
  }
}

/** What of a rule contradicts itself, or says nothing. */
export function senseProblems(words: RuleWords, scope: RuleScope): RuleProblem[] {
  const problems: RuleProblem[] = []
  const say = (place: string, problem: string) => void problems.push({ place, problem })
  const { match } = words
  if (match.when !== undefined) checkMembers(match.when, say)
  match.connectors?.forEach((kind, at) => {
    if ((CONNECTORS as readonly string[]).includes(kind)) return
    const [near] = nearestNames(kind, CONNECTORS)
    const guess = near === undefined ? '' : `; did you mean "${near}"?`
    say(`/match/connectors/${at}`, `must be one of ${CONNECTORS.join(', ')}${guess}`)
  })
  match.tools.forEach((glob, at) => PATTERN.test(glob) || say(`/match/tools/${at}`, patternProblem))
  if (match.organizations !== undefined && scope !== 'platform')
    say('/match/organizations', 'is for rules of the platform: this rule holds in its own organization only')
  if (words.action === 'allow') {
    if (scope === 'member' || scope === 'key')
      say('/action', `cannot be allow for a ${scope}: write it for the organization, with a condition on the principal`)
    if (words.parameters.lifts.includes(words.name)) say('/parameters/lifts', 'names the rule itself')
  }
  if (words.action === 'clamp') checkClamp(words.parameters, say)
  if (words.action === 'reject') checkReject(words.parameters, say)
  if (words.action === 'size' && words.parameters.arguments === undefined && words.parameters.result === undefined)
    say('/parameters', 'says no size: name arguments, result, or both')
  if (words.action === 'approve') {
    const { roles, members, groups, webhooks, self } = words.parameters.by
    if (!self && [roles, members, groups, webhooks].every((some) => some === undefined))
      say('/parameters/by', 'names nobody: say roles, members, groups or webhooks')
  }
  return problems
}

/** What conditions can ask for, of `args` anything. Another member is never there, so that its condition never has an answer. */
const MEMBERS: {
  readonly principal: Readonly<Record<keyof PrincipalFacts, true>>
  readonly tool: Readonly<Record<keyof ToolFacts, true>>
  readonly context: Readonly<Record<keyof ContextFacts, true>>
} = {
  principal: {
    ...{ id: true, kind: true, role: true, email: true, groups: true, key: true, keyId: true },
    ...{ client: true, clientRegistered: true },
  },
  tool: { name: true, joined: true, connection: true, connector: true, effect: true, effectFrom: true, category: true },
  context: { organization: true, toolset: true, time: true, address: true },
}

function checkMembers(when: string, say: (place: string, problem: string) => void): void {
  for (const { root, path } of readsOf(when).reads) {
    const [member] = path
    if (root === 'args' || member === undefined || Object.hasOwn(MEMBERS[root], member)) continue
    const [near] = nearestNames(member, Object.keys(MEMBERS[root]))
    const guess = near === undefined ? `it has ${Object.keys(MEMBERS[root]).join(', ')}` : `did you mean "${near}"?`
    say('/match/when', `asks for ${root}.${member}, which is never there (${guess})`)
  }
}

interface Bounds {
  readonly min?: number | undefined
  readonly max?: number | undefined
}
type Say = (place: string, problem: string) => void

const isUpsideDown = ({ min, max }: Bounds) => min !== undefined && max !== undefined && min > max

function checkClamp(parameters: Bounds & { readonly default?: unknown }, say: Say): void {
  const { min, max, default: otherwise } = parameters
  if (min === undefined && max === undefined && otherwise === undefined)
    say('/parameters', 'bounds nothing: name min, max or default')
  if (isUpsideDown(parameters)) say('/parameters/min', 'is larger than max')
  if (typeof otherwise === 'number' && (otherwise < (min ?? -Infinity) || otherwise > (max ?? Infinity)))
    say('/parameters/default', 'lies outside min and max')
}

function checkReject(
  parameters: Bounds & { parameter?: string | undefined; in?: unknown; pattern?: unknown },
  say: Say,
) {
  const { min, max, in: values, pattern, parameter } = parameters
  const bounds = [min, max, values, pattern].some((one) => one !== undefined)
  if (bounds && parameter === undefined) say('/parameters/parameter', 'must say which argument is meant')
  if (isUpsideDown(parameters)) say('/parameters/min', 'is larger than max')
}

/** What an exception can name. */
export interface Known {
  readonly name: string
  readonly scope: RuleScope
}

/** Only the platform lifts what the platform says; within an organization all rules are its administrators' own. */
export function liftProblems(words: RuleWords, scope: RuleScope, known: readonly Known[]): RuleProblem[] {
  if (words.action !== 'allow') return []
  const may = known.filter((rule) => scope === 'platform' || rule.scope !== 'platform')
  return words.parameters.lifts.flatMap((name, at) => {
    if (may.some((rule) => rule.name === name)) return []
    const place = `/parameters/lifts/${at}`
    if (scope !== 'platform' && known.some((rule) => rule.name === name))
      return { place, problem: `names "${name}", a rule of the platform, which only the platform lifts` }
    const [near] = nearestNames(
      name,
      may.map((rule) => rule.name),
    )
    const guess = near === undefined ? '' : ` (did you mean "${near}"?)`
    return { place, problem: `names "${name}", and there is no such rule here${guess}` }
  })
}

/** Everything, in the order in which it is to be mended. */
export const problemsOf = (words: RuleWords, scope: RuleScope, known: readonly Known[]): RuleProblem[] => [
  ...senseProblems(words, scope),
  ...compileProblems(words),
  ...liftProblems(words, scope, known),
]
