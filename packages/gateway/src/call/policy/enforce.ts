/**
 * Enforcement of a verdict: a refusal comes before anything is opened, changes are told to the caller, and all of it is on record. A
 * refused caller learns the reason that the rule gives and nothing else of it.
 */
import type { Change, Facts, Rule, ToolPolicy, Verdict } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import type { Enforcing } from '../../policy/actions/action.ts'
import { behaviourOf } from '../../policy/actions/actions.ts'
import { keepValues, keptPaths, type NamedValues } from '../../policy/named-values.ts'
import type { CallParts } from '../call-parts.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'

/** The policy part of a record: small, and with only those argument values that may be stored. */
export interface PolicyTrace extends NamedValues {
  /** The rule that decided, or the first that warned. */
  readonly rule?: string
  readonly action: Verdict['action']
  readonly warned: boolean
  /** JSON Pointers of what was changed. */
  readonly changed?: readonly string[]
  /** The outcomes that shadow rules would have had, by their ids. */
  readonly shadows?: Readonly<Record<string, string>>
}

export function traceOf(
  { action, rule, warnings, changes, shadows }: Verdict,
  policy?: ToolPolicy,
  { arguments: args }: Partial<Facts> = {},
): PolicyTrace {
  const named = rule ?? warnings[0]
  return {
    action,
    warned: warnings.length > 0,
    ...(named === undefined ? {} : { rule: named.id }),
    ...(changes.length === 0 ? {} : { changed: changes.map(({ place }) => place) }),
    ...(shadows.length === 0
      ? {}
      : { shadows: Object.fromEntries(shadows.map((shadow) => [shadow.rule.id, shadow.would])) }),
    ...(policy === undefined || args === undefined ? {} : keepValues(pathsOf(policy), args)),
  }
}

const known = new WeakMap<ToolPolicy, ReturnType<typeof keptPaths>>()

/** Worked out once for each policy of a tool. */
function pathsOf(policy: ToolPolicy): ReturnType<typeof keptPaths> {
  const held = known.get(policy)
  if (held !== undefined) return held
  const paths = keptPaths(policy.rules)
  known.set(policy, paths)
  return paths
}

/** Throws what the caller is told; rejects where a budget that is shared says so. Approvals are asked for afterwards. */
export function enforce(
  verdict: Verdict,
  tool: string,
  limits: CallParts['limits'],
  { principal, organizationId }: Pick<RequestContext, 'principal' | 'organizationId'>,
  session: string | undefined,
): Promise<void> | undefined {
  const refused = behaviourOf(verdict.action).refusal?.(verdict, tool)
  if (refused !== undefined) throw refused
  if (verdict.obligations.length === 0) return undefined
  return enforceRules(verdict.obligations, {
    ...{ tool, arguments: verdict.arguments, organizationId, caller: principal.id, session },
    spend: (budgets) => limits.rules(budgets),
  })
}

async function enforceRules(rules: readonly Rule[], call: Enforcing): Promise<void> {
  for (const action of new Set(rules.map((rule) => rule.action)))
    await behaviourOf(action).enforce?.(
      rules.filter((rule) => rule.action === action),
      call,
    )
}

/** Tells the client that arguments were changed. The value of a fixed argument is not told, only that it is fixed. */
export function withChanges(result: JsonObject, changes: readonly Change[]): JsonObject {
  if (changes.length === 0) return result
  const told = changes.map(({ place, how, from, to }) =>
    how === 'fixed' ? { place, how } : { place, how, to, ...(from === undefined ? {} : { from }) },
  )
  const meta = result['_meta']
  const own = typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? meta : {}
  return { ...result, _meta: { ...own, 'dev.toolway/policy': { changes: told } } }
}
