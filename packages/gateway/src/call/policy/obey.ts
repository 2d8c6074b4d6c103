/**
 * Carrying out a verdict: what is refused is refused before anything is opened, what was changed is told, and all of it is on
 * record. Whoever is refused learns the reason that the rule gives and nothing else of it.
 */
import { Fault, type Change, type Facts, type RuleRef, type ToolPolicy, type Verdict } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { keepValues, keptPaths, type NamedValues } from '../../policy/named-values.ts'
import type { CallParts, RequestContext } from '../ports.ts'

/** What a record says of the rules: small, and of the values that they saw only what may be kept. */
export interface PolicyTrace extends NamedValues {
  /** The rule that decided, or the first that warned. */
  readonly rule?: string
  readonly action: Verdict['action']
  readonly warned: boolean
  /** JSON Pointers of what was changed. */
  readonly changed?: readonly string[]
  /** What rules that only watch would have done, by their ids. */
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
    ...(shadows.length === 0 ? {} : { shadows: Object.fromEntries(shadows.map((one) => [one.rule.id, one.would])) }),
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
export function obey(
  verdict: Verdict,
  tool: string,
  limits: CallParts['limits'],
  requestContext: Pick<RequestContext, 'principal' | 'organizationId'>,
  session: string | undefined,
): Promise<void> | undefined {
  const { action, rule, rejected, sizes, rates } = verdict
  // What may not be seen answers like what does not exist.
  if (action === 'hide') throw new Fault('tool.unknown', { tool })
  if (action === 'block') throw new Fault('policy.blocked', { tool, reason: reasonOf(rule) })
  if (action === 'reject' && rejected?.readAs !== undefined)
    throw new Fault('arguments.ambiguous', { place: rejected.place, name: rejected.readAs })
  if (action === 'reject')
    throw new Fault('policy.rejected', {
      place: rejected?.place ?? '/',
      problem: rejected?.problem ?? 'it is not allowed',
      reason: reasonOf(rule),
    })
  if (sizes.length > 0) checkSize(verdict)
  return rates.length === 0 ? undefined : spend(verdict, limits, requestContext, session)
}

const reasonOf = (rule: RuleRef | undefined): string => (rule?.reason ?? 'no reason is given').replace(/\.$/, '')

function checkSize({ sizes, arguments: args }: Verdict): void {
  for (const { parameters, reason } of sizes) {
    const { arguments: limit } = parameters
    if (limit === undefined) continue
    const bytes = Buffer.byteLength(JSON.stringify(args ?? {}))
    if (bytes > limit) throw new Fault('arguments.too-large', { bytes, limit, reason: reason.replace(/\.$/, '') })
  }
}

function spend(
  { rates }: Verdict,
  limits: CallParts['limits'],
  { principal, organizationId }: Pick<RequestContext, 'principal' | 'organizationId'>,
  session: string | undefined,
): Promise<void> | undefined {
  // A client without a session has one budget for all that it calls.
  const sharers = { caller: principal.id, organization: 'all', session: session ?? principal.id }
  return limits.rules(
    rates.map(({ id, reason, parameters: { calls, per, of } }) => ({
      name: `${organizationId} ${id} ${sharers[of]}`,
      calls,
      seconds: per,
      reason: reason.replace(/\.$/, ''),
    })),
  )
}

/** What the client is told of its arguments: what is fixed is nobody's business, but that it is is. */
export function withChanges(result: JsonObject, changes: readonly Change[]): JsonObject {
  if (changes.length === 0) return result
  const told = changes.map(({ place, how, from, to }) =>
    how === 'fixed' ? { place, how } : { place, how, to, ...(from === undefined ? {} : { from }) },
  )
  const meta = result['_meta']
  const own = typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? meta : {}
  return { ...result, _meta: { ...own, 'dev.toolway/policy': { changes: told } } }
}
