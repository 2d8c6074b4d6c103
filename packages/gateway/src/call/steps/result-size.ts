/** The size of results (ledger U-16): a result that is larger than the gateway or a rule allows is cut, and its rest is kept. */
import { bytesBeyond, hasLargeContent } from '../result-processing/cut-result.ts'
import { shapeResult } from '../result-processing/shape-result.ts'
import type { Reading } from '../result-processing/shaping.ts'
import type { CallParts } from '../ports.ts'
import type { Call, Step } from './step.ts'

function readingOf({ requestContext, mcpRequest, target, audit, name }: Call, { fileFrom }: CallParts): Reading {
  return {
    revision: mcpRequest.caller.revision,
    tool: name,
    direct: requestContext.upstream(target.connectionId).direct === true ? fileFrom : undefined,
    onStored: (file) => audit.note({ madeFiles: [...(audit.facts.madeFiles ?? []), file] }),
  }
}

export const resultSize: Step = {
  name: 'resultSize',
  applies: () => true,
  after(call, result, parts) {
    const sizes = call.decided?.verdict.sizes ?? []
    if (sizes.length === 0 && bytesBeyond(result, parts.resultLimit) === undefined && !hasLargeContent(result))
      return result
    return shapeResult(parts, call.requestContext, result, sizes, readingOf(call, parts))
  },
}
