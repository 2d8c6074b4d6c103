/**
 * Changes that would let a call pass: other roles, groups, callers and values are tried one at a time, by the same decision, and
 * those that let it through are reported. An exception is tried as well: the decision without the rule.
 */
import { outcomeOf, ROLES, type Facts, type ToolFacts } from '@toolway/contract'
import { spotsOf, textOf, withValue, type Path } from '../lib/parameter-path.ts'
import { behaviourOf } from './actions/actions.ts'
import { conditionReadsOf } from './condition-reads.ts'
import { decide } from './decide.ts'
import { argumentPathsOf } from './named-values.ts'
import type { PlacedRule } from './verdict.ts'

type Json = NonNullable<Facts['arguments']>[string]

export interface Others {
  readonly rules: readonly PlacedRule[]
  readonly tool: ToolFacts
  readonly facts: Facts
  readonly groups: readonly string[]
}

interface Attempt {
  readonly kind: 'value' | 'role' | 'group' | 'caller'
  readonly description: string
  readonly facts: Facts
  /** Of neighbours one is enough. */
  readonly boundary?: string
}

const NOBODY = 'somebody-else@invalid.invalid'
/** Of each kind. */
const MOST_TOLD = 4
const MOST_TRIED = 400

export function suggestChanges({ rules, tool, facts, groups }: Others): string[] {
  const suggestions: string[] = []
  const counts = new Map<Attempt['kind'], number>()
  const shownBoundaries = new Set<string>()
  for (const item of [...valuesTried(rules, facts), ...callersTried(rules, facts, groups)].slice(0, MOST_TRIED)) {
    const count = counts.get(item.kind) ?? 0
    if (count >= MOST_TOLD || (item.boundary !== undefined && shownBoundaries.has(item.boundary))) continue
    if (!letsPass(rules, tool, item.facts)) continue
    if (item.boundary !== undefined) shownBoundaries.add(item.boundary)
    counts.set(item.kind, count + 1)
    suggestions.push(item.description)
  }
  for (const { rule } of rules) {
    if (rule.action === 'allow' || rule.state !== 'on') continue
    const without = rules.filter((item) => item.rule !== rule)
    if (!letsPass(without, tool, facts)) continue
    // Of whatever scope it is, within an organization its exceptions lift it.
    const whose = rule.scope === 'platform' ? 'platform' : 'organization'
    suggestions.push(`an exception of the ${whose} (action allow, lifts: [${rule.name}])`)
  }
  return suggestions
}

const letsPass = (rules: readonly PlacedRule[], tool: ToolFacts, facts: Facts): boolean =>
  outcomeOf(decide(rules, tool, facts).action) === 'passes'

const literalsOf = (rules: readonly PlacedRule[]) =>
  rules.flatMap(({ rule }) => (rule.match.when === undefined ? [] : conditionReadsOf(rule.match.when).literals))

function callersTried(rules: readonly PlacedRule[], facts: Facts, groups: readonly string[]): Attempt[] {
  const { principal } = facts
  const as = (more: Partial<Facts['principal']>): Facts => ({ ...facts, principal: { ...principal, ...more } })
  const texts = literalsOf(rules).filter((item): item is string => typeof item === 'string')
  const named = [...new Set([...groups, ...texts.filter((text) => /^[a-z][a-z0-9-]{0,38}$/.test(text))])]
  return [
    ...ROLES.filter((role) => role !== principal.role).map((role): Attempt => ({
      kind: 'role',
      description: `the role ${role}`,
      facts: as({ role }),
    })),
    ...named
      .filter((group) => !principal.groups.includes(group) && !ROLES.some((role) => role === group))
      .map((group): Attempt => ({
        kind: 'group',
        description: `membership of the group ${group}`,
        facts: as({ groups: [...principal.groups, group] }),
      })),
    ...principal.groups.map((group): Attempt => ({
      kind: 'group',
      description: `not being in the group ${group}`,
      facts: as({ groups: principal.groups.filter((value) => value !== group) }),
    })),
    ...texts
      .filter((text) => text.includes('@') && text !== principal.email)
      .map((email): Attempt => ({ kind: 'caller', description: `the member ${email}`, facts: as({ email }) })),
    { kind: 'caller', description: 'another member', facts: as({ email: NOBODY }) },
    { kind: 'caller', description: 'another key, or none', facts: as({ key: '', keyId: '' }) },
  ]
}

/** Values at the bounds of the rules, those that conditions compare with and their neighbours, and none at all. */
function valuesTried(rules: readonly PlacedRule[], facts: Facts): Attempt[] {
  const { arguments: args } = facts
  if (args === undefined) return []
  const paths = new Map<string, Path>()
  for (const { rule } of rules)
    for (const path of argumentPathsOf(rule)) if (path.length > 0) paths.set(textOf(path), path)
  return [...paths].flatMap(([text, path]) => {
    const spots = spotsOf(args, path)
    if (spots.length === 0) return []
    const all = candidates(rules, text)
    const attempts = all.map(({ value, boundary }): Attempt => ({
      kind: 'value',
      ...(boundary === undefined ? {} : { boundary: `${text} ${boundary}` }),
      description: `${text} = ${JSON.stringify(value)}`,
      facts: { ...facts, arguments: spots.reduce((next, { keys }) => withValue(next, keys, value), args) },
    }))
    const isPresent = spots.some(({ value }) => value !== undefined)
    return isPresent
      ? [
          ...attempts,
          {
            kind: 'value' as const,
            description: `no ${text}`,
            facts: { ...facts, arguments: withoutArgument(args, path) },
          },
        ]
      : attempts
  })
}

interface Candidate {
  readonly value: Json
  /** The number that it is, or stands beside. */
  readonly boundary?: number
}

function candidates(rules: readonly PlacedRule[], text: string): Candidate[] {
  const found = new Map<Json, Candidate>()
  const add = (value: Json, boundary?: number) => {
    if (!found.has(value)) found.set(value, boundary === undefined ? { value } : { value, boundary })
  }
  for (const { rule } of rules) {
    for (const value of behaviourOf(rule.action).exampleValues?.(rule.parameters, text) ?? []) add(value)
    if (rule.match.when === undefined || !argumentPathsOf(rule).some((path) => textOf(path) === text)) continue
    for (const literal of conditionReadsOf(rule.match.when).literals) {
      if (typeof literal === 'number') for (const value of [literal, literal - 1, literal + 1]) add(value, literal)
      else add(literal)
      if (typeof literal === 'boolean') add(!literal)
    }
  }
  return [...found.values()]
}

/** The same arguments without what stands there. */
function withoutArgument(args: NonNullable<Facts['arguments']>, path: Path): NonNullable<Facts['arguments']> {
  const [name, ...rest] = path
  if (name === undefined) return args
  const remove = (holder: Json, [key, ...more]: readonly string[]): Json => {
    if (key === undefined || holder === null || typeof holder !== 'object') return holder
    if (Array.isArray(holder)) return key === '*' ? holder.map((value) => remove(value, more)) : holder
    if (!Object.hasOwn(holder, key)) return holder
    if (more.length > 0) return { ...holder, [key]: remove(holder[key] as Json, more) }
    return Object.fromEntries(Object.entries(holder).filter(([own]) => own !== key))
  }
  return remove(args, [name, ...rest]) as NonNullable<Facts['arguments']>
}
