/**
 * The least that an honest server of the revisions with `initialize` can be: the tool `echo`, over HTTP or over stdio.
 *
 * Over HTTP it refuses a request without the session or the version it handed out, so that a proxy which mixes them up fails
 * instead of looking fast, and keeps the names of its sessions and nothing else. Over stdio it answers line by line. Exits when
 * its parent goes.
 *
 * Usage: node legacy-stub.ts [stdio]
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { STDIO_STUB } from './processes/process-cpu.ts'

/** Newest first. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
const ECHO = {
  name: 'echo',
  description: 'Say the same text again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
}
/** The revision of each session. */
const sessions = new Map<string, string>()

interface Asked {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { name?: string; arguments?: { text?: unknown }; protocolVersion?: string }
}
interface Reply {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: object
}

const resultOf = (result: object): Reply => ({ status: 200, body: { result } })
const refuse = (status: number, code: number, message: string): Reply => ({
  status,
  body: { error: { code, message } },
})

/** The client's own revision where it is known, otherwise the newest. */
const revisionFor = (wanted: string | undefined) => REVISIONS.find((known) => known === wanted) ?? REVISIONS[0]

const initialized = (protocolVersion: string): Reply =>
  resultOf({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'stub', version: '1.0.0' } })

/** Answers what needs no session; a notification has no answer. */
function answer({ id, method, params }: Asked): Reply {
  if (id === undefined) return { status: 202 }
  if (method === 'initialize') return initialized(revisionFor(params?.protocolVersion))
  if (method === 'ping') return resultOf({})
  if (method === 'tools/list') return resultOf({ tools: [ECHO] })
  if (method !== 'tools/call' || params?.name !== 'echo') return refuse(200, -32601, `unknown: ${method}`)
  return resultOf({ content: [{ type: 'text', text: String(params.arguments?.text) }] })
}

/** The same in a session. The revision 2025-03-26 has no header for itself. */
function answerInSession(asked: Asked, headers: IncomingMessage['headers']): Reply {
  if (asked.method === 'initialize') {
    const session = randomUUID()
    sessions.set(session, revisionFor(asked.params?.protocolVersion))
    return { ...answer(asked), headers: { 'mcp-session-id': session } }
  }
  const revision = sessions.get(String(headers['mcp-session-id']))
  if (revision === undefined) return refuse(404, -32001, 'no such session')
  const { 'mcp-protocol-version': said = '2025-03-26' } = headers
  return said === revision ? answer(asked) : refuse(400, -32600, `the session has ${revision}`)
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'DELETE') {
    sessions.delete(String(request.headers['mcp-session-id']))
    return void response.writeHead(204).end()
  }
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST', 'content-length': 0 }).end()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked
    const { status, headers = {}, body } = answerInSession(asked, request.headers)
    if (body === undefined) return void response.writeHead(status, { ...headers, 'content-length': 0 }).end()
    const text = JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...body })
    const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    response.writeHead(status, { ...headers, ...length }).end(text)
  })
}

function serveHttp(): void {
  const server = createServer({ keepAliveTimeout: 120_000 }, receive)
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
  process.on('disconnect', () => process.exit(0))
}

function serveStdio(): void {
  process.title = STDIO_STUB
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const asked = JSON.parse(line) as Asked
      const { body } = answer(asked)
      if (body !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...body })}\n`)
    })
    .on('close', () => process.exit(0))
}

if (process.argv[2] === 'stdio') serveStdio()
else serveHttp()
