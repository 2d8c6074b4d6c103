/** Runs a tool of a native connector: each request that it yields is sent, and its answer given back, until there is an output. */
import { createHash } from 'node:crypto'
import {
  ToolFailure,
  type FileRequest,
  type Json,
  type ManyRequest,
  type VendorAnswer,
  type VendorRequest,
} from '@toolway/connectors'
import { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { bothMasks, createHeaderMask, createReachMask, createResultMask } from '../http/reach-mask.ts'
import type { Ask, NativeTarget, ReachOf } from '../upstream.ts'
import type { Exchange, ExchangeUse } from './exchange.ts'
import { faultOf } from './failure.ts'
import type { LoadedTool, LoadedVendor, Steps } from './loaded-vendor.ts'

export interface ToolUse {
  readonly vendor: Pick<LoadedVendor, 'auth'>
  readonly name: string
  readonly tool: LoadedTool
  readonly given: JsonObject
}

/** Returns the MCP result. Throws faults only. */
export type ToolRunner = (
  use: ToolUse,
  request: Pick<Ask, 'credential' | 'signal' | 'callId' | 'files'>,
) => Promise<JsonObject>

export function createToolRunner({ alias, wire }: ReachOf<NativeTarget>, exchange: Exchange): ToolRunner {
  const maskReach = createReachMask(new URL(wire.url), wire.headers)
  const hideReach = createResultMask(wire.headers, new URL(wire.url))

  async function run({ name, tool, mask }: Running, steps: Steps, use: ExchangeUse): Promise<Json> {
    /** A write was answered; the tool accepted the answer. */
    let answered = false
    let acted = false
    try {
      let step = await steps.next()
      while (step.done !== true) {
        const request = step.value
        const unfit = request.kind === 'many' && !readsOnly(request)
        if (unfit) throw new Fault('connector.failed', { tool: name, vendor: wire.title, problem: NOT_TOGETHER })
        const answer = await answerTo(request, use)
        answered ||= tool.effect !== 'read' && !readsOnly(request)
        step = await steps.next(answer)
        acted = answered
      }
      return step.value
    } catch (thrown) {
      // A tool that breaks over the answer of a write did not say that the vendor refused it.
      const failing = { acted: acted || (answered && !(thrown instanceof ToolFailure)), mask }
      throw faultOf(thrown, { alias, tool: name, vendor: wire.title, scopes: tool.scopes, ...failing })
    } finally {
      // A run that a failed request left half-way ends, and its process forgets it.
      await steps.return({})
    }
  }

  function answerTo(request: VendorRequest, use: ExchangeUse): Promise<VendorAnswer> {
    if (request.kind === 'file') return factsOf(request, use)
    return request.kind === 'many' ? answersTo(request, use) : exchange.send(request, use)
  }

  /** What the network does to one of the requests is its answer; what ends the call, or would be the same for all, ends all. */
  async function answersTo({ requests }: ManyRequest, use: ExchangeUse): Promise<VendorAnswer> {
    const answers = await exchange.sendTogether(requests, use, (answer) => answer.catch(answerOfFailure))
    return { status: 200, headers: {}, body: undefined, at: Date.now(), answers }
  }

  return async ({ vendor, name, tool, given }, { credential, signal, callId, files }) => {
    const ofCredential = createHeaderMask(credential?.headers ?? {})
    const mask = (text: string) => maskReach(ofCredential(text))
    const key = 'key' in vendor.auth ? vendor.auth.key : undefined
    const steps = tool.run(given, tool.effect === 'read' ? '' : keyOf(callId, name))
    const output = await run({ name, tool, mask }, steps, { credential, key, signal, files })
    return resultOf(output, bothMasks(createResultMask(credential?.headers ?? {}), hideReach))
  }
}

interface Running extends Pick<ToolUse, 'name' | 'tool'> {
  mask(text: string): string
}

/** Faults of one request. */
const ALONE: ReadonlySet<string> = new Set([
  'upstream.lost',
  'upstream.timeout',
  'upstream.unreachable',
  'result.too-large',
])
/** Its values make no request below the address of the vendor, so nothing was sent. */
const UNSENT: ReadonlySet<string> = new Set(['params.shape', 'openapi.outside'])

const NOT_TOGETHER = 'the connector sent requests together that do not only read, so none of them was sent'

function answerOfFailure(thrown: unknown): VendorAnswer {
  if (!(thrown instanceof Fault && (ALONE.has(thrown.code) || UNSENT.has(thrown.code)))) throw thrown
  const message = thrown.code === 'upstream.lost' ? 'The answer was interrupted.' : thrown.message
  const answer = { status: 0, headers: {}, body: { message }, at: Date.now() }
  return UNSENT.has(thrown.code) ? { ...answer, unsent: true } : answer
}

function readsOnly(request: VendorRequest): boolean {
  if (request.kind === 'file') return true
  if (request.kind === 'many') return request.requests.every(readsOnly)
  return request.kind === 'api' ? request.repeat === 'read' : request.method === 'GET'
}

/** The facts of a file of the caller. A connector is told no more than where the content goes. */
async function factsOf({ file }: FileRequest, { files }: ExchangeUse): Promise<VendorAnswer> {
  if (files === undefined) throw new Fault('file.off')
  const { name, mediaType, size } = await files.find(file)
  return { status: 200, headers: {}, body: { name, media_type: mediaType, size }, at: Date.now() }
}

/** The same for all attempts of one call, and no other's: nothing that a caller chooses is in it but the tool. */
const keyOf = (callId: string | undefined, name: string): string =>
  createHash('sha256')
    .update(`${callId ?? crypto.randomUUID()} ${name}`)
    .digest('hex')
    .slice(0, 32)

/** A vendor may repeat what it was sent. */
function resultOf(output: Json, hide: ((text: string) => string) | undefined): JsonObject {
  const whole = JSON.stringify(output)
  const text = hide?.(whole) ?? whole
  const structuredContent = (text === whole ? output : JSON.parse(text)) as JsonObject
  return { content: [{ type: 'text', text }], structuredContent }
}
