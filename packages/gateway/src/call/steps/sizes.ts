/**
 * Sizes (ledger U-16). Arguments that nest too deep are refused before anything walks them; the object of all arguments is level 1.
 * A result that is larger than the gateway or a rule allows is cut, and its rest is kept.
 */
import { Fault } from '@toolway/contract'
import { isShallow } from '@toolway/protocol'
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

export const argumentDepth: Step = {
  name: 'argumentDepth',
  admits: true,
  applies: () => true,
  before({ params }, { argumentDepth: limit }) {
    if (!isShallow(params['arguments'], limit))
      throw new Fault('request.too-deep', { limit, place: 'params.arguments' })
  },
}
