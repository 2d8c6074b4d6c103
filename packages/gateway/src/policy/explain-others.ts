/**
 * What would make a call pass: other roles, groups, callers and values are tried one at a time, by the same decision, and those
 * that let it through are told. An exception is tried as well: the decision without the rule.
 */
import { ROLES, type Facts, type Rule, type ToolFacts } from '@toolway/contract'
import { pathOf, spotsOf, withValue, type Path } from '../lib/parameter-path.ts'
import { readsOf } from './condition-reads.ts'
import { decide } from './decide.ts'
import { argumentsOf, textOf } from './named-values.ts'
import type { PlacedRule } from './verdict.ts'

type Json = NonNullable<Facts['arguments']>[string]

export interface Others {
  readonly rules: readonly PlacedRule[]
  readonly tool: ToolFacts
  readonly facts: Facts
  readonly groups: readonly string[]
}

interface Try {
  readonly kind: 'value' | 'role' | 'group' | 'caller'
  readonly says: string
  readonly facts: Facts
}

const NOBODY = 'somebody-else@invalid.invalid'
/** Of each kind. */
const MOST_TOLD = 4
const MOST_TRIED = 400

export function tryOthers({ rules, tool, facts, groups }: Others): string[] {
  const told: string[] = []
  const counts = new Map<Try['kind'], number>()
  for (const one of [...valuesTried(rules, facts), ...callersTried(rules, facts, groups)].slice(0, MOST_TRIED)) {
    const count = counts.get(one.kind) ?? 0
    if (count >= MOST_TOLD || !lets(rules, tool, one.facts)) continue
    counts.set(one.kind, count + 1)
    told.push(one.says)
  }
  for (const { rule } of rules) {
    if (rule.action === 'allow' || rule.state !== 'on') continue
    const without = rules.filter((one) => one.rule !== rule)
    if (!lets(without, tool, facts)) continue
    const whose = rule.scope === 'platform' ? 'of the platform' : `of the ${rule.scope} or further out`
    told.push(`an exception (action allow, lifts: [${rule.name}]) ${whose}`)
  }
  return told
}

const lets = (rules: readonly PlacedRule[], tool: ToolFacts, facts: Facts): boolean => {
  const { action } = decide(rules, tool, facts)
  return action === 'allow' || action === 'warn'
}

const literalsOf = (rules: readonly PlacedRule[]) =>
  rules.flatMap(({ rule }) => (rule.match.when === undefined ? [] : readsOf(rule.match.when).literals))

function callersTried(rules: readonly PlacedRule[], facts: Facts, groups: readonly string[]): Try[] {
  const { principal } = facts
  const as = (more: Partial<Facts['principal']>): Facts => ({ ...facts, principal: { ...principal, ...more } })
  const texts = literalsOf(rules).filter((one): one is string => typeof one === 'string')
  const named = [...new Set([...groups, ...texts.filter((text) => /^[a-z][a-z0-9-]{0,38}$/.test(text))])]
  return [
    ...ROLES.filter((role) => role !== principal.role).map((role): Try => ({
      kind: 'role',
      says: `the role ${role}`,
      facts: as({ role }),
    })),
    ...named
      .filter((group) => !principal.groups.includes(group) && !ROLES.some((role) => role === group))
      .map((group): Try => ({
        kind: 'group',
        says: `membership of the group ${group}`,
        facts: as({ groups: [...principal.groups, group] }),
      })),
    ...principal.groups.map((group): Try => ({
      kind: 'group',
      says: `not being in the group ${group}`,
      facts: as({ groups: principal.groups.filter((one) => one !== group) }),
    })),
    ...texts
      .filter((text) => text.includes('@') && text !== principal.email)
      .map((email): Try => ({ kind: 'caller', says: `the member ${email}`, facts: as({ email }) })),
    { kind: 'caller', says: 'another member', facts: as({ email: NOBODY }) },
    { kind: 'caller', says: 'another key, or none', facts: as({ key: '', keyId: '' }) },
  ]
}

/** Values at the bounds of the rules, those that conditions compare with and their neighbours, and none at all. */
function valuesTried(rules: readonly PlacedRule[], facts: Facts): Try[] {
  const { arguments: args } = facts
  if (args === undefined) return []
  const paths = new Map<string, Path>()
  for (const { rule } of rules) for (const path of argumentsOf(rule)) if (path.length > 0) paths.set(textOf(path), path)
  return [...paths].flatMap(([text, path]) => {
    const spots = spotsOf(args, path)
    if (spots.length === 0) return []
    const wanted = candidates(rules, text)
    const tried = wanted.map((value): Try => ({
      kind: 'value',
      says: `${text} = ${JSON.stringify(value)}`,
      facts: { ...facts, arguments: spots.reduce((next, { keys }) => withValue(next, keys, value), args) },
    }))
    const absent = spots.some(({ value }) => value !== undefined)
    return absent
      ? [...tried, { kind: 'value' as const, says: `no ${text}`, facts: { ...facts, arguments: without(args, path) } }]
      : tried
  })
}

function candidates(rules: readonly PlacedRule[], text: string): Json[] {
  const found = new Set<Json>()
  for (const { rule } of rules) {
    for (const value of boundsOf(rule, text)) found.add(value)
    if (rule.match.when === undefined || !argumentsOf(rule).some((path) => textOf(path) === text)) continue
    for (const literal of readsOf(rule.match.when).literals) {
      found.add(literal)
      if (typeof literal === 'number') found.add(literal - 1).add(literal + 1)
      if (typeof literal === 'boolean') found.add(!literal)
    }
  }
  return [...found]
}

function boundsOf({ action, parameters }: Rule, text: string): Json[] {
  if (action !== 'reject') return []
  const { parameter, min, max, in: allowed } = parameters as Rule<'reject'>['parameters']
  if (parameter === undefined || textOf(pathOf(parameter)) !== text) return []
  return [...(max === undefined ? [] : [max]), ...(min === undefined ? [] : [min]), ...(allowed ?? [])]
}

/** The same arguments without what stands there. */
function without(args: NonNullable<Facts['arguments']>, path: Path): NonNullable<Facts['arguments']> {
  const [name, ...rest] = path
  if (name === undefined) return args
  const remove = (holder: Json, [key, ...more]: readonly string[]): Json => {
    if (key === undefined || holder === null || typeof holder !== 'object') return holder
    if (Array.isArray(holder)) return key === '*' ? holder.map((one) => remove(one, more)) : holder
    if (!Object.hasOwn(holder, key)) return holder
    if (more.length > 0) return { ...holder, [key]: remove(holder[key] as Json, more) }
    return Object.fromEntries(Object.entries(holder).filter(([own]) => own !== key))
  }
  return remove(args, [name, ...rest]) as NonNullable<Facts['arguments']>
}
