/** The size of results (ledger U-16): a result that is larger than the gateway or a rule allows is cut, and its rest is kept. */
import { bytesBeyond } from '../result-processing/cut-result.ts'
import { shapeResult } from '../result-processing/shape-result.ts'
import type { Step } from './step.ts'

export const resultSize: Step = {
  name: 'resultSize',
  applies: () => true,
  after({ requestContext, mcpRequest, decided }, result, parts) {
    const sizes = decided?.verdict.sizes ?? []
    if (sizes.length === 0 && bytesBeyond(result, parts.resultLimit) === undefined) return result
    return shapeResult(parts, requestContext, result, sizes, mcpRequest.caller)
  },
}
