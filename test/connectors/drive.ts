/** Runs a tool against given answers, and writes its requests as the gateway's executor sends them. */
import { requestOf } from '../../packages/gateway/src/upstreams/openapi/run/request.ts'
import type { JsonObject } from '@toolway/protocol'
import { isJson } from '../../packages/connectors/src/kit/shape.ts'
import type { Sent } from '../../packages/connectors/src/kit/rows.ts'
import {
  ToolFailure,
  type ApiRequest,
  type Failure,
  type Json,
  type SignedRequest,
  type Tool,
  type VendorAnswer,
  type VendorRequest,
} from '../../packages/connectors/src/index.ts'

export const NOW = Date.parse('2026-11-23T12:00:00Z')

/** A request as it goes out. */
export interface Wire {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export const answer = (body: unknown, facts: Partial<VendorAnswer> = {}): VendorAnswer => ({
  status: 200,
  headers: {},
  body,
  at: NOW,
  ...facts,
})

/** The facts of each file that a tool asks about. */
const FILE = { name: 'report.pdf', media_type: 'application/pdf', size: 3 }

export interface Driven {
  readonly requests: readonly ApiRequest[]
  readonly output: Json | undefined
  readonly failure: Failure | undefined
}

/** Answers of a run: `index` counts its requests, those to signed addresses too. */
export interface Answering {
  (request: ApiRequest, index: number): VendorAnswer
  readonly signed?: (request: SignedRequest, index: number) => VendorAnswer
}

/** Rethrows everything that is no ToolFailure. */
export function drive(tool: Tool, input: Json, answerOf: Answering): Driven {
  const requests: ApiRequest[] = []
  const run = tool.run(input, 'key-1')
  let asked = 0
  const answered = (request: VendorRequest): VendorAnswer => {
    if (request.kind === 'many') return answer(undefined, { answers: request.requests.map(answered) })
    const index = asked++
    if (request.kind === 'file') return answer(FILE)
    if (request.kind === 'api') {
      requests.push(request)
      return answerOf(request, index)
    }
    if (answerOf.signed === undefined) throw new Error('A signed request needs an answer by hand')
    return answerOf.signed(request, index)
  }
  try {
    let step = run.next()
    while (step.done !== true) step = run.next(answered(step.value))
    return { requests, output: step.value, failure: undefined }
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
    return { requests, output: undefined, failure: thrown.failure }
  }
}

/** A base with settings in braces gets a value for each. */
export function wireOf({ base: template, operation, arguments: given, headers }: ApiRequest): Wire {
  const base = new URL(template.replaceAll(/\{[^{}]+\}/g, 'c1'))
  const request = requestOf(operation, given as JsonObject, { alias: 'test', base, key: undefined })
  return {
    method: request.method,
    url: new URL(request.path, base.origin),
    headers: { ...headers, ...request.headers },
    body: readable(request.body),
  }
}

/** Bytes are not told apart in rows. */
function readable(body: string | Buffer | undefined): unknown {
  if (body === undefined) return undefined
  if (typeof body !== 'string') return body.toString('base64')
  return /^[[{]/.test(body) ? (JSON.parse(body) as unknown) : Object.fromEntries(new URLSearchParams(body))
}

/** As a row says it: below the base, without the origin. */
export function sentOf(request: ApiRequest): Sent {
  const { method, url, body } = wireOf(request)
  const prefix = new URL(request.base.replaceAll(/\{[^{}]+\}/g, 'c1')).pathname.replace(/\/$/, '')
  const line = `${method} ${decodeURI(url.pathname.slice(prefix.length) + url.search)}`
  if (!isJson(body)) return line
  const [, kind, field] = /^(query|mutation)\b[^{]*\{ (\w+)/.exec(String(body['query'])) ?? []
  return kind === undefined ? [line, body] : [`${kind} ${field}`, (body['variables'] ?? {}) as Json]
}
