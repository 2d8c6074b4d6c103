/**
 * One call on record, evaluated by two sets of rules from the same facts: what they say of it, or why it cannot be told.
 *
 * Of arguments a record has what the rules in force named at the time. A rule that asks for others cannot be evaluated: where
 * that could change the outcome, the call counts as unjudged, and is never guessed. A rule that stands on both sides alike and cannot
 * be evaluated is taken as silent on both. Pure.
 */
import {
  ANYBODY,
  outcomeOf,
  VERDICT_ACTIONS,
  type Facts,
  type Rule,
  type ToolFacts,
  type Verdict,
} from '@toolway/contract'
import type { Path } from '../lib/parameter-path.ts'
import { behaviourOf } from './actions/actions.ts'
import { decide } from './decide.ts'
import { argumentsFrom, argumentPathsOf, isKnown, type NamedValues } from './named-values.ts'
import type { PlacedRule } from './verdict.ts'

export interface Side {
  readonly action: Verdict['action']
  readonly rule: string | undefined
  /** In words that count together: `allow`, or `allow, /limit = 50`. */
  readonly outcome: string
}

export type Judged = { readonly now: Side; readonly draft: Side } | { readonly unjudged: string }

export interface ReplayedCall {
  readonly tool: ToolFacts
  /** Without arguments: they come from `kept`. Undefined where the caller no longer exists. */
  readonly facts: Omit<Facts, 'arguments'> | undefined
  readonly kept: NamedValues
}

const strengthOf = (action: Rule['action']): number =>
  VERDICT_ACTIONS.findIndex((verdictAction) => verdictAction === action)

export function evaluateAgain(
  now: readonly PlacedRule[],
  draft: readonly PlacedRule[],
  { tool, facts, kept }: ReplayedCall,
): Judged {
  if (facts === undefined && [...now, ...draft].some(asksCaller)) return { unjudged: 'the caller no longer exists' }
  const known: Facts = { ...ANYBODY, ...facts, arguments: argumentsFrom(kept) }
  const open = (rules: readonly PlacedRule[]) => rules.filter((rule) => !isEvaluable(rule, tool, known, kept))
  const [openNow, openDraft] = [open(now), open(draft)]
  const alike = (item: PlacedRule, others: readonly PlacedRule[]) =>
    others.some(({ rule }) => rule === item.rule || sameWords(rule, item.rule))
  const left = evaluateSide(
    now,
    openNow,
    openNow.filter((rule) => !alike(rule, openDraft)),
    tool,
    known,
  )
  const right = evaluateSide(
    draft,
    openDraft,
    openDraft.filter((rule) => !alike(rule, openNow)),
    tool,
    known,
  )
  if (typeof left === 'string') return { unjudged: left }
  return typeof right === 'string' ? { unjudged: right } : { now: left, draft: right }
}

const asksCaller = ({ varies }: PlacedRule): boolean => varies

const pathsByRule = new WeakMap<Rule, Path[]>()
function pathsOf(rule: Rule): Path[] {
  const before = pathsByRule.get(rule)
  if (before !== undefined) return before
  const paths = argumentPathsOf(rule)
  pathsByRule.set(rule, paths)
  return paths
}

/** Budgets of calls and sizes are left out: they depend on what else was called, and on what is not on record. */
function isEvaluable(item: PlacedRule, tool: ToolFacts, facts: Facts, stored: NamedValues): boolean {
  const { rule } = item
  if (behaviourOf(rule.action).notReplayed === true) return true
  if (pathsOf(rule).every((path) => isKnown(stored, path))) return true
  const speaking = item.speaking(facts, tool)
  return speaking.speaks === 'no' && (speaking.because === 'member' || speaking.because === 'key')
}

/** Rules that are undecided on one side alone must not be able to change the outcome. */
function evaluateSide(
  rules: readonly PlacedRule[],
  open: readonly PlacedRule[],
  own: readonly PlacedRule[],
  tool: ToolFacts,
  facts: Facts,
): Side | string {
  const verdict = decide(
    rules.filter((rule) => !open.includes(rule)),
    tool,
    facts,
  )
  const undecided = own.find(({ rule }) => rule.state === 'on' && couldChange(rule, verdict))
  if (undecided !== undefined) return `the arguments that "${undecided.rule.name}" needs are not in the audit log`
  return sideOf(verdict)
}

const couldChange = ({ action }: Rule, verdict: Verdict): boolean =>
  behaviourOf(action).couldChange?.(verdict) ?? strengthOf(action) > strengthOf(verdict.action)

function sideOf(verdict: Verdict): Side {
  const { action, rule, changes } = verdict
  const sent = outcomeOf(action) === 'refuses' ? [] : changes
  const sentWords = sent.map(({ place, to }) => `${place} = ${JSON.stringify(to).slice(0, 40)}`)
  return { action, rule: rule?.name ?? sent[0]?.rule.name, outcome: [action, ...sentWords].join(', ') }
}

const words = new WeakMap<Rule, string>()
function wordsOf(rule: Rule): string {
  const word = words.get(rule)
  if (word !== undefined) return word
  const { id: _, reason: __, ...relevant } = rule
  const text = JSON.stringify(relevant, (__, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([item], [other]) => (item < other ? -1 : 1)))
      : value,
  )
  words.set(rule, text)
  return text
}
const sameWords = (rule: Rule, other: Rule): boolean => wordsOf(rule) === wordsOf(other)
