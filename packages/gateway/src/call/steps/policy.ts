/**
 * The rules of the organization. They are asked once for each call: a refusal ends it, changed arguments are sent in place of the
 * caller's, and the client is told of the changes on the way back.
 */
import { Fault } from '@toolway/contract'
import { findRounded } from '@toolway/protocol'
import { pointerOf } from '../../lib/parameter-path.ts'
import { factsOf } from '../policy/facts.ts'
import { enforce, traceOf, withChanges } from '../policy/enforce.ts'
import { argumentsOf, type Call, type Step } from './step.ts'

/** Rules compare doubles, and the server gets the digits: where the two are different numbers, a rule would judge another call. */
function refuseRounded({ mcpRequest }: Pick<Call, 'mcpRequest'>): void {
  const rounded = findRounded(mcpRequest.params['arguments'] ?? null)
  if (rounded === undefined) return
  throw new Fault('arguments.ambiguous', { place: pointerOf(rounded.keys), name: String(rounded.double) })
}

export const policy: Step = {
  name: 'policy',
  applies: ({ policy: rules }) => rules !== undefined,
  async before(call, { limits }) {
    const { target, requestContext, audit, channel, name, params } = call
    if (target.policy === undefined) return
    if (target.policy.namesArguments) refuseRounded(call)
    const facts = factsOf(
      requestContext,
      { client: audit.facts.client, from: audit.from },
      argumentsOf(call) ?? {},
      call.files,
    )
    const verdict = target.policy.decide(facts)
    call.decided = { verdict, facts }
    const trace = traceOf(verdict, target.policy, facts)
    audit.note({ policy: trace })
    audit.trace?.decide(trace)
    if (verdict.changes.length > 0) params['arguments'] = verdict.arguments ?? {}
    await enforce(verdict, name, limits, requestContext, channel.session?.id)
  },
  after: ({ decided }, result) => (decided === undefined ? result : withChanges(result, decided.verdict.changes)),
}
