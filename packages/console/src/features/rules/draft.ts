/** A rule while it is being written: the words of the contract, finished or not. The gateway alone evaluates it. */
import {
  recordIn,
  ruleActionOf,
  type DraftParameters as Parameters,
  type RuleAction,
  type RuleScope,
  type RuleState,
} from '@toolway/contract'
import type { KeptRule } from '@toolway/contract/admin'

export interface Match {
  readonly tools?: readonly string[] | undefined
  readonly connectors?: readonly string[] | undefined
  readonly effects?: readonly string[] | undefined
  readonly categories?: readonly string[] | undefined
  readonly organizations?: readonly string[] | undefined
  readonly parameter?: string | undefined
  readonly when?: string | undefined
}

export interface Draft {
  readonly scope: RuleScope
  /** The subject of the scope; empty for the outer two scopes, and until it is set. */
  readonly of: string
  readonly name: string
  readonly reason: string
  readonly action: RuleAction
  readonly match: Match
  readonly parameters: Parameters
}

/** The value of a parameter, which may be nested: `result.text`. */
export const parameterAt = (parameters: Parameters, name: string): unknown => {
  const [own = '', ...rest] = name.split('.')
  return rest.length === 0 ? parameters[own] : parameterAt(recordIn(parameters, own), rest.join('.'))
}

export function withParameter(parameters: Parameters, name: string, value: unknown): Parameters {
  const [own = '', ...rest] = name.split('.')
  const next = rest.length === 0 ? value : withParameter(recordIn(parameters, own), rest.join('.'), value)
  return { ...parameters, [own]: next }
}

export interface Prefill {
  readonly tools: string
  readonly action: RuleAction | undefined
  readonly argument: string
  readonly scope: RuleScope | undefined
  readonly of: string
}

export function newDraft({ tools, action = 'block', argument, scope = 'organization', of }: Prefill): Draft {
  const named = tools.split(',').flatMap((tool) => (tool.trim() === '' ? [] : [tool.trim()]))
  return {
    ...{ scope, of, name: '', reason: '', action },
    match: { tools: named.length === 0 ? ['*'] : named },
    parameters: withArgument(ruleActionOf(action).beginning, argument),
  }
}

export const draftOf = ({ scope, of, name, reason, action, match, parameters }: KeptRule): Draft => ({
  ...{ scope, of: of ?? '', name, reason, action: action as RuleAction, match: match, parameters },
})

/** Another action has other parameters; the argument that both are about stays. */
export const withAction = (draft: Draft, action: RuleAction): Draft => ({
  ...draft,
  action,
  parameters: withArgument(ruleActionOf(action).beginning, String(draft.parameters['parameter'] ?? '')),
})

const withArgument = (parameters: Parameters, argument: string): Parameters =>
  'parameter' in parameters && argument !== '' ? { ...parameters, parameter: argument } : parameters

/** As the interface takes it: what is empty is not said. */
export function wordsOf({ name, reason, action, match, parameters }: Draft) {
  const words = tidy({ name, reason, action, match, parameters })
  return { match: {}, parameters: {}, ...words } as ReturnType<typeof tidy> & { name?: string; reason?: string }
}

export const placeOf = ({ scope, of }: Pick<Draft, 'scope' | 'of'>) => ({ scope, ...(of === '' ? {} : { of }) })

export const inState = (draft: Draft, state: RuleState) => ({ ...wordsOf(draft), ...placeOf(draft), state })

/** Without texts, lists and members in which nothing is; `false`, `0` and `null` are something. */
export function tidy(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, stored]) => {
      // An argument may be fixed to an empty text.
      if (stored === undefined || (stored === '' && name !== 'value')) return []
      if (Array.isArray(stored)) return stored.length === 0 ? [] : [[name, stored]]
      if (typeof stored !== 'object' || stored === null || name === 'value') return [[name, stored]]
      const inner = tidy(stored as Record<string, unknown>)
      return Object.keys(inner).length === 0 ? [] : [[name, inner]]
    }),
  )
}

/** A name that nobody thought of: of the action and the first tool. */
export function nameFor({ action, match }: Draft): string {
  const tool = match.tools?.[0] ?? ''
  const words = `${action}-${tool === '*' ? (match.effects?.join('-') ?? 'everything') : tool}`
  return words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
    .replaceAll(/-+$/g, '')
}
