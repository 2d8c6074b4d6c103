/**
 * An authorization server and a protected MCP server in one whose secrets can all be recognised, and which say back whatever they were
 * sent, in every place where a careless client would log, keep or show it. No real one does that, so this one is made by hand.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The next failure, until another one is set. */
export type Mood =
  | 'well'
  /** Of the token endpoint. */
  | 'refuses'
  | 'breaks'
  | 'page'
  | 'no json'
  /** Of the MCP server. */
  | 'unauthorized'
  | 'forbidden'
  | 'crashes'
  | 'error'
  | 'tool error'

export interface Planted {
  readonly name: string
  readonly value: string
}

export interface CanaryAuthority extends AsyncDisposable {
  readonly address: string
  /** Of the MCP server behind it, for accounts and for keys. */
  readonly url: string
  /** The secrets that were issued or received. */
  readonly planted: readonly Planted[]
  /** Values of `Authorization` and of other headers that MCP requests came with. */
  readonly heard: readonly string[]
  token(mood: Mood): void
  server(mood: Mood): void
  /** Seconds that access tokens live from here on. */
  lives(seconds: number): void
  readonly refreshed: number
}

export const CLIENT = { id: 'canary-client', secret: canary('client-secret') }

export function canary(name: string): string {
  return `canary-${name}-${randomBytes(12).toString('hex')}`
}

const META = { 'io.modelcontextprotocol/serverInfo': { name: 'canary', version: '1' } }
const TOOLS = [{ name: 'sing', inputSchema: { type: 'object' } }]

export async function startCanaryAuthority(): Promise<CanaryAuthority> {
  const planted: Planted[] = [{ name: 'client secret', value: CLIENT.secret }]
  const heard: string[] = []
  const good = new Set<string>()
  let [tokens, server]: [Mood, Mood] = ['well', 'well']
  let [lifetime, refreshed] = [3_600, 0]
  let address = ''
  const plant = (name: string, value = canary(name.replaceAll(' ', '-'))): string => {
    planted.push({ name, value })
    return value
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
    const url = new URL(request.url ?? '/', address)
    const echo = `${JSON.stringify(request.headers)} ${body} ${url.search}`
    const said: Said = { url, body, echo, authorization: request.headers.authorization ?? '' }
    if (url.pathname === '/mcp') return mcp(said, request, response)
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, {
        resource: `${address}/mcp`,
        authorization_servers: [address],
        scopes_supported: ['sing'],
      })
    if (url.pathname === '/.well-known/oauth-authorization-server') return json(response, metadata(address))
    if (url.pathname === '/authorize') return authorize(said, response)
    if (url.pathname === '/token') return token(said, response)
    // It says no, and what it was asked to forget.
    if (url.pathname === '/revoke') return json(response, { error: 'server_error', error_description: echo }, 500)
    response.writeHead(404).end(echo)
  }

  function authorize({ url }: Said, response: ServerResponse): void {
    const back = new URL(url.searchParams.get('redirect_uri') ?? '')
    plant('state', url.searchParams.get('state') ?? '')
    back.searchParams.set('state', url.searchParams.get('state') ?? '')
    back.searchParams.set('code', plant('code'))
    back.searchParams.set('iss', address)
    response.writeHead(302, { location: back.href }).end()
  }

  function token({ body, echo }: Said, response: ServerResponse): void {
    const given = new URLSearchParams(body)
    const verifier = given.get('code_verifier')
    if (verifier !== null) plant('verifier', verifier)
    if (tokens === 'breaks') return void response.writeHead(500, { 'content-type': 'text/plain' }).end(echo)
    if (tokens === 'page') return void response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${echo}</p>`)
    if (tokens === 'no json')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(`{"${echo}`)
    if (tokens === 'refuses')
      return json(response, { error: 'invalid_grant', error_description: echo, error_uri: `${address}/?${body}` }, 400)
    if (given.get('grant_type') === 'refresh_token') refreshed++
    const access = plant('access token')
    good.add(`Bearer ${access}`)
    json(response, {
      access_token: access,
      refresh_token: plant('refresh token'),
      token_type: 'Bearer',
      expires_in: lifetime,
    })
  }

  function mcp({ body, echo, authorization }: Said, request: IncomingMessage, response: ServerResponse): void {
    const presented = [authorization, String(request.headers['x-key'] ?? '')]
    heard.push(...presented.filter((one) => one !== ''))
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: unknown; method?: string }
    const challenge = `Bearer resource_metadata="${address}/.well-known/oauth-protected-resource/mcp"`
    const knows = good.has(authorization) || presented.some((one) => /brought|api-key/.test(one))
    if (!knows || server === 'unauthorized') {
      const more = knows ? `, error="invalid_token", error_description="${authorization}"` : ''
      return void response.writeHead(401, { 'www-authenticate': challenge + more }).end(echo)
    }
    const result = (value: object) =>
      json(response, { jsonrpc: '2.0', id, result: { resultType: 'complete', ...value, _meta: META } })
    if (method === 'server/discover') return result({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
    if (method === 'tools/list') return result({ tools: TOOLS, ttlMs: 0, cacheScope: 'private' })
    if (server === 'forbidden') return void response.writeHead(403, { 'content-type': 'text/plain' }).end(echo)
    if (server === 'crashes') return void response.writeHead(500, { 'content-type': 'text/plain' }).end(echo)
    if (server === 'error')
      return json(response, { jsonrpc: '2.0', id, error: { code: -32000, message: echo, data: { echo } } })
    const text = server === 'tool error' ? echo : 'la la la'
    result({ content: [{ type: 'text', text }], isError: server === 'tool error' })
  }

  const http = createServer((request, response) => {
    response.on('error', () => {})
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return {
    address,
    url: `${address}/mcp`,
    planted,
    heard,
    token: (mood) => void (tokens = mood),
    server: (mood) => void (server = mood),
    lives: (seconds) => void (lifetime = seconds),
    get refreshed() {
      return refreshed
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => void (http.closeAllConnections(), http.close(() => resolve()))),
  }
}

interface Said {
  readonly url: URL
  readonly body: string
  /** Everything that came with it, as text. */
  readonly echo: string
  readonly authorization: string
}

const json = (response: ServerResponse, value: object, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  revocation_endpoint: `${issuer}/revoke`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_post'],
  authorization_response_iss_parameter_supported: true,
  scopes_supported: ['sing'],
})
