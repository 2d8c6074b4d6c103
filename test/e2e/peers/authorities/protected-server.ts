/**
 * An MCP server (SDK v2) that is asked nothing without a token of its authorization server made for it: RFC 9728 metadata, a 401 with a
 * challenge, tools that say who called. It notes every token that it was shown.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server'
import { SCOPE, type RunningAuthority } from './authority.ts'

export interface ProtectedServer extends AsyncDisposable {
  readonly url: string
  /** Tools that ran, with who called, in order. */
  readonly called: readonly { tool: string; person: string }[]
  /** The token of each of them. */
  readonly used: readonly string[]
  /** Every value of an Authorization header that came. */
  readonly shown: ReadonlySet<string>
  /** How many requests were turned away. */
  readonly refused: number
  /** `initialize` and `server/discover` that came with a good token. */
  readonly greetings: number
}

export interface ProtectedOptions {
  /** `both` unless it says otherwise: what the server speaks. */
  readonly era?: 'modern' | 'both'
  /** Whether it says where its metadata is; true unless it says otherwise. */
  readonly challenges?: boolean
  /** The name in its metadata; none unless it is given. */
  readonly name?: string
}

const inputSchema = { type: 'object', properties: { note: { type: 'string' } } } as const
const TOOLS: Tool[] = [
  { name: 'who_am_i', description: 'Says who calls', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'write_note', description: 'Writes a note', inputSchema, annotations: { destructiveHint: false } },
]

export async function startProtected(
  authority: Pick<RunningAuthority, 'issuer' | 'tokenOf'>,
  { era = 'both', challenges = true, name }: ProtectedOptions = {},
): Promise<ProtectedServer> {
  const called: { tool: string; person: string }[] = []
  const used: string[] = []
  const shown = new Set<string>()
  const counts = { refused: 0, greetings: 0 }
  const handler = createMcpHandler(
    (ctx) => {
      const server = new Server({ name: 'protected', version: '1.0.0' }, { capabilities: { tools: {} } })
      const person = ctx.authInfo?.clientId ?? 'nobody'
      server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
      server.setRequestHandler('tools/call', ({ params }) => {
        called.push({ tool: params.name, person })
        used.push(ctx.authInfo?.token ?? '')
        return { content: [{ type: 'text', text: `${params.name} for ${person}` }] }
      })
      return server
    },
    era === 'modern' ? { legacy: 'reject' } : {},
  )
  const http = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const url = `${origin}/mcp`
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`

  async function answer(...[request, response]: Parameters<Parameters<typeof createServer>[1] & object>) {
    if (request.url === new URL(metadata).pathname) {
      response.writeHead(200, { 'content-type': 'application/json' })
      const named = name === undefined ? {} : { resource_name: name }
      const document = {
        ...{ resource: url, authorization_servers: [authority.issuer], scopes_supported: [SCOPE] },
        ...named,
      }
      return void response.end(JSON.stringify(document))
    }
    if (request.url !== '/mcp') return void response.writeHead(404).end()
    const { authorization = '' } = request.headers
    if (authorization !== '') shown.add(authorization)
    const value = /^Bearer (\S+)$/.exec(authorization)?.[1]
    const token = value === undefined ? undefined : await authority.tokenOf(value)
    if (token === undefined || token.audience !== url) {
      counts.refused++
      const error = value === undefined ? '' : ', error="invalid_token"'
      const challenge = challenges ? { 'www-authenticate': `Bearer resource_metadata="${metadata}"${error}` } : {}
      return void response.writeHead(401, challenge).end()
    }
    const authInfo = { token: value ?? '', clientId: token.person, scopes: token.scope.split(' ') }
    const serve = toNodeHandler({
      async fetch(given: Request) {
        const text = await given.clone().text()
        if (/"method":"(initialize|server\/discover)"/.test(text)) counts.greetings++
        return handler.fetch(given, { authInfo })
      },
    })
    await serve(request as NodeIncomingMessageLike, response)
  }

  return {
    url,
    called,
    used,
    shown,
    get refused() {
      return counts.refused
    },
    get greetings() {
      return counts.greetings
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await handler.close()
      http.closeAllConnections()
      await closed
    },
  }
}
