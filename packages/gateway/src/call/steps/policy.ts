/**
 * The rules of the organization. They are asked once for each call: a refusal ends it, changed arguments are sent in place of the
 * caller's, and the client is told of the changes on the way back.
 */
import { factsOf } from '../policy/facts.ts'
import { enforce, traceOf, withChanges } from '../policy/enforce.ts'
import { argumentsOf, type Step } from './step.ts'

export const policy: Step = {
  name: 'policy',
  applies: ({ policy: rules }) => rules !== undefined,
  async before(call, { limits }) {
    const { target, requestContext, audit, channel, name, params } = call
    if (target.policy === undefined) return
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
