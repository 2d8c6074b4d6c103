/**
 * Problems of a rule beyond its schema: conditions and patterns that cannot be parsed, bounds that contradict each other, names
 * that would silently match nothing, exceptions from rules that the author may not lift. Pure; it runs when a rule is written,
 * and again when it is read back, because a newer gateway may have written it.
 */
import {
  CONNECTORS,
  RuleWords,
  type ContextFacts,
  type PrincipalFacts,
  type RuleScope,
  type ToolFacts,
} from '@toolway/contract'
import { nearestNames } from '../../lib/nearest-names.ts'
import { behaviourOf } from '../actions/actions.ts'
import type { RuleProblem, Say } from '../actions/action.ts'
import { conditionReadsOf } from '../condition-reads.ts'
import { checkCondition } from '../condition.ts'

/** Signs of other languages of patterns stand for themselves here, and such a rule would silently hold for nothing. */
const PATTERN = /^[^?[\]{}!\s]+$/
const patternProblem = 'must be a name, in which * matches any characters; ?, [], {}, ! and spaces are not supported'

/** Reads what somebody wrote. The first problem is the one to mend first. */
export function readWords(input: unknown): { words: RuleWords } | { problems: readonly RuleProblem[] } {
  const parsed = RuleWords.safeParse(input)
  if (parsed.success) return { words: parsed.data }
  return {
    problems: parsed.error.issues.map(({ path, message, code, ...rest }) => ({
      place: path.map((part) => `/${String(part)}`).join(''),
      problem:
        code === 'unrecognized_keys' && 'keys' in rest ? `has unknown members: ${rest.keys.join(', ')}` : message,
    })),
  }
}

/** Whether it can be carried out at all: everything that is compiled is compiled once. */
export function compileProblems(words: RuleWords): RuleProblem[] {
  const problems: RuleProblem[] = []
  const addProblem = (pointer: string, problem: string | undefined) => {
    if (problem !== undefined) problems.push({ place: pointer, problem })
  }
  const { match } = words
  if (match.when !== undefined) {
    const problem = checkCondition(match.when)
    addProblem('/match/when', problem === undefined ? undefined : `is not a valid CEL condition: ${problem}`)
  }
  const unreadable = behaviourOf(words.action).unreadable?.(words.parameters)
  if (unreadable !== undefined) problems.push(unreadable)
  return problems
}

/** Contradictions in a rule, and parts without any effect. */
export function senseProblems(words: RuleWords, scope: RuleScope): RuleProblem[] {
  const problems: RuleProblem[] = []
  const addProblem = (pointer: string, problem: string) => void problems.push({ place: pointer, problem })
  const { match } = words
  if (match.when !== undefined) checkMembers(match.when, addProblem)
  match.connectors?.forEach((kind, at) => {
    if ((CONNECTORS as readonly string[]).includes(kind)) return
    const [near] = nearestNames(kind, CONNECTORS)
    const guess = near === undefined ? '' : `; did you mean "${near}"?`
    addProblem(`/match/connectors/${at}`, `must be one of ${CONNECTORS.join(', ')}${guess}`)
  })
  match.tools.forEach((glob, at) => PATTERN.test(glob) || addProblem(`/match/tools/${at}`, patternProblem))
  if (match.organizations !== undefined && scope !== 'platform')
    addProblem('/match/organizations', 'is only for platform rules: this rule applies in its own organization only')
  behaviourOf(words.action).check?.(words, scope, addProblem)
  return problems
}

/**
 * The members that conditions can read; of `args` any. Another member is never present, so that its condition never has an
 * answer.
 */
const MEMBERS: {
  readonly principal: Readonly<Record<keyof PrincipalFacts, true>>
  readonly tool: Readonly<Record<Exclude<keyof ToolFacts, 'others'>, true>>
  readonly context: Readonly<Record<keyof ContextFacts, true>>
} = {
  principal: {
    ...{ id: true, kind: true, role: true, email: true, groups: true, key: true, keyId: true },
    ...{ client: true, clientRegistered: true },
  },
  tool: { name: true, joined: true, connection: true, connector: true, effect: true, effectFrom: true, category: true },
  context: { organization: true, toolset: true, time: true, address: true, files: true },
}

function checkMembers(when: string, say: Say): void {
  for (const { root, path } of conditionReadsOf(when).reads) {
    const [member] = path
    if (root === 'args' || member === undefined || Object.hasOwn(MEMBERS[root], member)) continue
    const [near] = nearestNames(member, Object.keys(MEMBERS[root]))
    const guess = near === undefined ? `it has ${Object.keys(MEMBERS[root]).join(', ')}` : `did you mean "${near}"?`
    say('/match/when', `uses ${root}.${member}, which does not exist (${guess})`)
  }
}

/** The rules that an exception can name. */
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
    const pointer = `/parameters/lifts/${at}`
    if (scope !== 'platform' && known.some((rule) => rule.name === name))
      return { place: pointer, problem: `refers to "${name}", a platform rule, which only platform rules can lift` }
    const [near] = nearestNames(
      name,
      may.map((rule) => rule.name),
    )
    const guess = near === undefined ? '' : ` (did you mean "${near}"?)`
    return { place: pointer, problem: `refers to "${name}", which is not a rule here${guess}` }
  })
}

/** Everything, in the order in which it is to be mended. */
export const problemsOf = (words: RuleWords, scope: RuleScope, known: readonly Known[]): RuleProblem[] => [
  ...senseProblems(words, scope),
  ...compileProblems(words),
  ...liftProblems(words, scope, known),
]
