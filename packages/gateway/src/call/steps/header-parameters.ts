/** Arguments that travel in a header too have to be the same in both (specification 2026-07-28, custom headers). */
import { checkParameterHeaders } from '@toolway/protocol'
import type { Step } from './step.ts'

export const headerParameters: Step = {
  name: 'headerParameters',
  admits: true,
  applies: ({ headerParameters: parameters }) => parameters.length > 0,
  before({ channel, target, mcpRequest }) {
    if (channel.header !== undefined)
      checkParameterHeaders(channel.header, target.headerParameters, mcpRequest.params['arguments'])
  },
}
