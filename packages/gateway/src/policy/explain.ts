/**
 * Why rules say what they say of one call: rule by rule, which fact decided, what follows, and what would make it pass.
 *
 * Nothing is judged here a second time: each answer comes from the parts that decide, asked for one rule alone, and what would make
 * a call pass was tried by deciding again with that one fact changed.
 */
import { outcomeOf, type Facts, type Rule, type RuleRef, type ToolFacts, type Verdict } from '@toolway/contract'
import { decide, liftsIt } from './decide.ts'
import { suggestChanges, type Others } from './suggest-changes.ts'
import { argumentPathsOf } from './named-values.ts'
import { conditionReadsOf, type Read } from './condition-reads.ts'
import { spotsOf, textOf, type Path } from '../lib/parameter-path.ts'
import { readRule } from './matching.ts'
import { behaviourOf } from './actions/actions.ts'
import { wordMismatch, wordSilence } from './explain-words.ts'
import { refOf, type Endpoint, type PlacedRule, type Policy } from './verdict.ts'

type Json = NonNullable<Facts['arguments']>[string]

export interface RuleExplained {
  readonly rule: RuleRef
  readonly of: string | undefined
  readonly state: Rule['state']
  readonly speaks: 'yes' | 'no' | 'lifted' | 'unknown'
  /** The part that says no. */
  readonly because: string | undefined
  readonly why: string
  readonly reads: readonly { readonly what: string; readonly value: Json | undefined }[]
  readonly follows: string | undefined
  readonly passes: readonly string[]
}

export interface Explained {
  readonly rules: readonly RuleExplained[]
  readonly verdict: Verdict
  /** Single changes that would let the whole call pass. */
  readonly passes: readonly string[]
}

export interface Explaining {
  readonly policy: Policy
  readonly tool: ToolFacts
  readonly endpoint: Endpoint
  /** The tool's own input schema. */
  readonly schema: unknown
  readonly facts: Facts
  /** The groups of the organization, which somebody could be in. */
  readonly groups: readonly string[]
}

export function explain({ policy, tool, endpoint, schema, facts, groups }: Explaining): Explained {
  const own = policy.of(tool, endpoint, schema)
  const placed = own?.placed ?? []
  const verdict = decide(placed, tool, facts, own?.ambiguous)
  const lifts = exceptionsOf(placed, tool, facts)
  const explainRule = (rule: Rule): RuleExplained => {
    const own = placed.find((candidate) => candidate.rule === rule)
    return own === undefined
      ? explainMismatch(rule, tool, endpoint)
      : explainOne(own, { tool, facts, lifts, groups, endpoint })
  }
  return {
    rules: policy.rules.map(explainRule),
    verdict,
    passes: passesOf(verdict, { rules: placed, tool, facts, groups }),
  }
}

function passesOf(verdict: Verdict, others: Others): string[] {
  const readAs = verdict.rejected?.readAs
  if (readAs !== undefined) return [`the name ${readAs} exactly as it is written here`]
  return isRefusal(verdict) ? suggestChanges(others) : []
}

/** Whether a verdict ends a call, or has it wait for an approval. */
export const isRefusal = ({ action }: Verdict): boolean => outcomeOf(action) !== 'passes'

const exceptionsOf = (placed: readonly PlacedRule[], tool: ToolFacts, facts: Facts): Rule<'allow'>[] =>
  placed.flatMap((rule) =>
    rule.rule.action === 'allow' && rule.rule.state === 'on' && rule.speaking(facts, tool).speaks !== 'no'
      ? [rule.rule as Rule<'allow'>]
      : [],
  )

function explainMismatch(rule: Rule, tool: ToolFacts, endpoint: Endpoint): RuleExplained {
  const mismatch = readRule(rule).mismatch(tool, endpoint)
  return {
    ...headOf(rule),
    speaks: 'no',
    because: mismatch,
    why: mismatch === undefined ? 'It does not match this tool.' : wordMismatch(rule, mismatch, tool, endpoint),
    reads: [],
    follows: undefined,
    passes: [],
  }
}

const headOf = (rule: Rule) => ({ rule: refOf(rule), of: rule.of, state: rule.state })

interface Surrounding {
  readonly tool: ToolFacts
  readonly facts: Facts
  readonly lifts: readonly Rule<'allow'>[]
  readonly groups: readonly string[]
  readonly endpoint: Endpoint
}

function explainOne(item: PlacedRule, { tool, facts, lifts, groups }: Surrounding): RuleExplained {
  const { rule } = item
  const speaking = item.speaking(facts, tool)
  const reads = readBy(rule, tool, facts)
  const head = { ...headOf(rule), reads }
  if (speaking.speaks === 'no')
    return {
      ...head,
      speaks: 'no',
      because: speaking.because,
      why: wordSilence(rule, speaking.because, facts, speaking.failed),
      follows: undefined,
      passes: [],
    }
  if (speaking.speaks === 'unknown')
    return {
      ...head,
      speaks: 'unknown',
      because: 'arguments',
      why: 'Whether it applies depends on the arguments: provide them.',
      follows: undefined,
      passes: [],
    }
  const lifting = rule.action === 'allow' ? undefined : lifts.find((exception) => liftsIt(exception, rule))
  const alone = asIfOn(item)
  const verdict = decide([alone], tool, facts)
  const follows = behaviourOf(rule.action).follows(rule, verdict, facts)
  const failed =
    speaking.failed === undefined ? '' : ` Its condition could not be evaluated (${speaking.failed}), so it applies.`
  return {
    ...head,
    speaks: lifting === undefined ? 'yes' : 'lifted',
    because: lifting?.name,
    why:
      lifting === undefined
        ? `All of its conditions are met.${failed}`
        : `It applies, but the exception "${lifting.name}" lifts it: ${lifting.reason}`,
    follows: rule.state === 'shadow' ? `Nothing, because the rule is in shadow mode. Turned on: ${follows}` : follows,
    passes: isRefusal(verdict) ? suggestChanges({ rules: [alone], tool, facts, groups }) : [],
  }
}

/** A shadow rule as if it were on. */
const asIfOn = (rule: PlacedRule): PlacedRule =>
  rule.rule.state === 'shadow' ? { ...rule, rule: { ...rule.rule, state: 'on' } } : rule

function readBy(rule: Rule, tool: ToolFacts, facts: Facts): RuleExplained['reads'] {
  const { when } = rule.match
  const values = new Map<string, Json | undefined>()
  const seen = when === undefined ? [] : conditionReadsOf(when).reads
  for (const read of seen)
    values.set([read.root, textOf(read.path)].filter((part) => part !== '').join('.'), valueOf(read, tool, facts))
  for (const path of argumentPathsOf(rule)) {
    const what = ['args', textOf(path)].filter((part) => part !== '').join('.')
    if (!values.has(what)) values.set(what, argumentAt(facts, path))
  }
  return Array.from(values, ([what, value]) => ({ what, value }))
}

const argumentAt = ({ arguments: args }: Facts, path: Path): Json | undefined => {
  if (args === undefined) return undefined
  if (path.length === 0) return args
  const spots = spotsOf(args, path)
  return path.includes('*') ? spots.flatMap(({ value }) => (value === undefined ? [] : [value])) : spots[0]?.value
}

function valueOf({ root, path }: Read, tool: ToolFacts, facts: Facts): Json | undefined {
  if (root === 'args') return argumentAt(facts, path)
  const holder = { principal: facts.principal, tool, context: facts.context }[root] as unknown as Json
  if (path.length === 0) return undefined
  return spotsOf(holder as NonNullable<Facts['arguments']>, path)[0]?.value
}
