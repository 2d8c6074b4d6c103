/** The objections of a connection's server to a call that its schema allows, before anything is opened for it (ledger U-06). */
import { kindOf } from '@toolway/contract'
import { argumentsOf, type Step } from './step.ts'

export const remoteReview: Step = {
  name: 'remoteReview',
  applies: ({ connector }) => kindOf(connector)?.reviews === true,
  before(call) {
    const { target, requestContext, audit } = call
    const { connectionId, name } = target
    return requestContext.upstream(connectionId).review?.({
      tool: audit.facts.target ?? name,
      name,
      arguments: argumentsOf(call) ?? {},
      correlationId: audit.correlationId,
      onBehalf: requestContext.principal.behalf,
    })
  },
}
