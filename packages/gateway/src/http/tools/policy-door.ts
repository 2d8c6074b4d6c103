/** `GET /policy` and `POST /policy/reload`: what the policy file says now, for whoever has a key (source system, section 2.1). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault, permits } from '@toolway/contract'
import type { Admit } from '../../call/admit.ts'
import type { Policies } from '../../features/curatore/index.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { Limits } from '../../limits/limits.ts'
import { countUnknownEndpoint } from '../count-unknown-endpoint.ts'
import { correlationOf } from '../request-head.ts'
import { problemAnswer } from '../http-faults.ts'
import { cutUnread } from '../streams/unread-answers.ts'
import { roleForbidden } from '../../lib/role-forbidden.ts'

export interface PolicyDoorParts {
  readonly admit: Admit
  readonly limits: Pick<Limits, 'unknown' | 'request'>
  readonly policies: Policies
  newCorrelationId(): string
}

export interface PolicyDoor {
  takes(path: string): boolean
  answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>
}

const METHODS: Readonly<Record<string, string>> = { '/policy': 'GET', '/policy/reload': 'POST' }

export function createPolicyDoor({ admit, limits, policies, newCorrelationId }: PolicyDoorParts): PolicyDoor {
  async function serve({ method, headers }: IncomingMessage, path: string): Promise<object> {
    const allowed = METHODS[path] ?? ''
    if (method !== allowed) throw new Fault('request.method', { method: method ?? '?', allowed })
    const requestContext = await admit({ place: {}, authorization: headers.authorization })
    if (!permits(requestContext.role, 'tool_call')) throw roleForbidden(requestContext.role, 'tool_call')
    await limits.request(requestContext.principal.id, requestContext.organizationId, requestContext.requestsPerMinute)
    return path === '/policy' ? shownPolicy(requestContext) : reload(requestContext)
  }

  function shownPolicy({ principal }: RequestContext): object {
    const policy = policies.show(principal.toolset ?? '')
    if (policy === undefined) throw new Fault('address.unknown', { path: '/policy' })
    return policy
  }

  async function reload(requestContext: RequestContext): Promise<object> {
    const { problem } = await policies.reload()
    const policy = shownPolicy(requestContext)
    return problem === undefined ? { status: 'reloaded', ...policy } : { status: 'unchanged', problem, ...policy }
  }

  return {
    takes: (path) => Object.hasOwn(METHODS, path),
    async answer(request, response, path) {
      const correlationId = correlationOf(request) ?? newCorrelationId()
      const headers = { 'x-correlation-id': correlationId, 'cache-control': 'no-store' }
      try {
        writeAnswer(response, 200, 'application/json', await serve(request, path), headers)
      } catch (thrown) {
        const fault = await countUnknownEndpoint(thrown, limits)
        const allow = fault.code === 'request.method' ? { allow: String(fault.facts['allowed']) } : {}
        const answer = problemAnswer(fault, correlationId)
        writeAnswer(response, answer.status, answer.type, answer.problem, { ...headers, ...answer.headers, ...allow })
      }
    },
  }
}

function writeAnswer(
  response: ServerResponse,
  status: number,
  type: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): void {
  if (response.destroyed) return
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), ...headers }).end(text)
  cutUnread(response)
}
