/**
 * A server that plays rows of the zoo over HTTP, in an era: it lists what it is given as it is, malformed or not, and answers each call
 * with the result of that name. A row is raw JSON, so that nothing of ours tidies it up on the way.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json, JsonObject } from '../../packages/protocol/src/json.ts'

export interface ZooServer extends AsyncDisposable {
  readonly url: string
  /** Bodies of the calls, as they came. */
  readonly bodies: readonly string[]
}

export interface Shown {
  readonly era: 'legacy' | 'modern'
  readonly tools?: readonly Json[]
  readonly resources?: readonly Json[]
  readonly prompts?: readonly Json[]
  /** The result of a call, as JSON text or as a value; without it the call is told back as text. */
  result?(name: string, body: string): string | JsonObject | undefined
}

export async function startZooServer(shown: Shown): Promise<ZooServer> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    void textOf(request).then((body) => answer(request, response, shown, body, bodies))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk as string
  return body
}

interface Asked {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly protocolVersion?: string; readonly name?: string; readonly uri?: string }
}

function answer(
  { method: verb }: IncomingMessage,
  response: ServerResponse,
  shown: Shown,
  body: string,
  bodies: string[],
): void {
  if (verb !== 'POST') return void response.writeHead(405).end()
  const { id, method = '', params = {} } = JSON.parse(body) as Asked
  if (id === undefined) return void response.writeHead(202).end()
  if (method === 'tools/call') bodies.push(body)
  const result = resultOf(shown, method, params, body)
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  const answered = text === undefined ? '"error":{"code":-32601,"message":"no such method"}' : `"result":${text}`
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answered}}`)
}

function resultOf(
  { era, tools, resources, prompts, result }: Shown,
  method: string,
  { protocolVersion, name = '', uri = '' }: NonNullable<Asked['params']>,
  body: string,
): string | JsonObject | undefined {
  const capabilities: JsonObject = {
    ...(tools === undefined ? {} : { tools: {} }),
    ...(resources === undefined ? {} : { resources: {} }),
    ...(prompts === undefined ? {} : { prompts: {} }),
  }
  const serverInfo = { name: 'zoo', version: '1' }
  switch (method) {
    case 'server/discover':
      return era === 'modern'
        ? { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities, serverInfo }
        : undefined
    case 'initialize':
      return era === 'legacy'
        ? { protocolVersion: protocolVersion ?? '2025-11-25', capabilities, serverInfo }
        : undefined
    case 'tools/list':
      return tools && { tools: [...tools] }
    case 'resources/list':
      return resources && { resources: [...resources] }
    case 'resources/templates/list':
      return resources && { resourceTemplates: [] }
    case 'prompts/list':
      return prompts && { prompts: [...prompts] }
    case 'ping':
      return {}
    default:
      return result?.(name === '' ? uri : name, body) ?? { content: [{ type: 'text', text: body }] }
  }
}
