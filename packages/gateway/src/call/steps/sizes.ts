/**
 * Sizes (ledger U-16). Arguments that nest too deep or have too many members are refused before anything walks them; the object of all
 * arguments is level 1.
 * A result that is larger than the gateway or a rule allows is cut, and its rest is kept.
 */
import { Fault } from '@toolway/contract'
import { isShallow, type Json } from '@toolway/protocol'
import { bytesBeyond, hasLargeContent } from '../result-processing/cut-result.ts'
import { shapeResult } from '../result-processing/shape-result.ts'
import type { Reading } from '../result-processing/shaping.ts'
import type { CallParts } from '../call-parts.ts'
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
  before({ params }, { argumentDepth: limit, argumentMembers }) {
    if (!isShallow(params['arguments'], limit))
      throw new Fault('request.too-deep', { limit, place: 'params.arguments' })
    // `_meta` and what no method knows are read and sent on like arguments.
    const { arguments: args, ...others } = params
    if ([args, others].some((part) => hasMoreMembers(part, argumentMembers)))
      throw new Fault('arguments.too-many', { limit: argumentMembers })
  },
}

/** Ends as soon as there is one more. Names cost far more than elements of lists: each is folded, looked up and written in order. */
function hasMoreMembers(value: Json | undefined, limit: number): boolean {
  const open: (Json | undefined)[] = [value]
  let members = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) {
      for (const element of next) if (typeof element === 'object' && element !== null) open.push(element)
      continue
    }
    for (const name in next) {
      if (++members > limit) return true
      const inner = next[name]
      if (typeof inner === 'object' && inner !== null) open.push(inner)
    }
  }
  return false
}
