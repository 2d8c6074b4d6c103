/**
 * The servers of a town that answer: one process, in which each path is an MCP server (2025-06-18 and later, JSON answers, no
 * sessions) with the tools that the town's database lists for it, and one operation of a REST server at the same address.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { toolsOf } from './tools.ts'

const PLACE = /^\/[a-z]+\/(\d+)\/(\d+)\/mcp(\/things\/\d+)?$/
const PAGE = 500

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly cursor?: string; readonly name?: string; readonly protocolVersion?: string }
}

export interface Street extends AsyncDisposable {
  readonly port: number
}

export async function openStreet(port = 0): Promise<Street> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, number, count, thing] = PLACE.exec(new URL(request.url ?? '/', 'http://street').pathname) ?? []
  if (number === undefined || count === undefined) return void response.writeHead(404).end()
  if (thing !== undefined) return send(response, { thing: thing.split('/').at(-1) })
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
  const message = JSON.parse(await text(request)) as Message
  if (message.id === undefined) return void response.writeHead(202).end()
  send(response, { jsonrpc: '2.0', id: message.id, ...replyTo(message, Number(number), Number(count)) })
}

function replyTo({ method, params = {} }: Message, number: number, count: number): object {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: `server-${number}`, version: '1.0.0' }
      return {
        result: { protocolVersion: params.protocolVersion ?? '2025-06-18', capabilities: { tools: {} }, serverInfo },
      }
    }
    case 'ping':
      return { result: {} }
    case 'tools/list': {
      const from = Number(params.cursor ?? 0)
      const more = from + PAGE < count ? { nextCursor: String(from + PAGE) } : {}
      return { result: { tools: toolsOf(number, count).slice(from, from + PAGE), ...more } }
    }
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: `${params.name ?? ''} of server ${number} was called.` }] } }
    default:
      return { error: { code: -32601, message: 'There is no such method here' } }
  }
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
