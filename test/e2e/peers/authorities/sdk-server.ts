/**
 * An MCP server with its OAuth server of the TypeScript SDK (v1), set up as its example `simpleStreamableHttp` with `demoInMemoryOAuthProvider`
 * is: two Express apps, `mcpAuthRouter` for the one, `requireBearerAuth` for the other. Access tokens live for a few seconds.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OAuthRegisteredClientsStore } from '@modelcontextprotocol/sdk/server/auth/clients.js'
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import type { AuthorizationParams, OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
  mcpAuthRouter,
  createOAuthMetadata,
} from '@modelcontextprotocol/sdk/server/auth/router.js'
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'

type ExpressApp = ReturnType<typeof createMcpExpressApp>

const LIFE = 3
const SCOPE = 'user'

export interface OAuthCounts {
  readonly codes: number
  readonly refreshes: number
  readonly revocations: number
}

export interface OAuthPeer extends AsyncDisposable {
  /** Of the MCP server. */
  readonly url: string
  counts(): Promise<OAuthCounts>
}

const random = () => randomBytes(24).toString('base64url')

class People implements OAuthServerProvider {
  readonly counts = { codes: 0, refreshes: 0, revocations: 0 }
  readonly #clients = new Map<string, OAuthClientInformationFull>()
  readonly #codes = new Map<string, AuthorizationParams>()
  readonly #access = new Map<string, AuthInfo>()
  readonly #refresh = new Map<string, URL | undefined>()

  get clientsStore(): OAuthRegisteredClientsStore {
    return {
      getClient: (id) => this.#clients.get(id),
      registerClient: (client) => {
        const registered = client as OAuthClientInformationFull
        this.#clients.set(registered.client_id, registered)
        return registered
      },
    }
  }

  async authorize(
    _client: OAuthClientInformationFull,
    params: AuthorizationParams,
    res: Parameters<OAuthServerProvider['authorize']>[2],
  ): Promise<void> {
    const code = random()
    this.#codes.set(code, params)
    const url = new URL(params.redirectUri)
    url.searchParams.set('code', code)
    if (params.state !== undefined) url.searchParams.set('state', params.state)
    res.redirect(url.href)
  }

  async challengeForAuthorizationCode(_client: OAuthClientInformationFull, code: string): Promise<string> {
    return this.#codes.get(code)?.codeChallenge ?? ''
  }

  async exchangeAuthorizationCode(client: OAuthClientInformationFull, code: string): Promise<OAuthTokens> {
    const params = this.#codes.get(code)
    if (params === undefined || !this.#codes.delete(code)) throw new InvalidGrantError('this code is unknown')
    this.counts.codes++
    return this.#tokens(client, params.resource)
  }

  async exchangeRefreshToken(client: OAuthClientInformationFull, token: string): Promise<OAuthTokens> {
    if (!this.#refresh.has(token)) throw new InvalidGrantError('this refresh token is unknown')
    const resource = this.#refresh.get(token)
    this.#refresh.delete(token)
    this.counts.refreshes++
    return this.#tokens(client, resource)
  }

  async verifyAccessToken(token: string): Promise<AuthInfo> {
    const found = this.#access.get(token)
    if (found === undefined || (found.expiresAt ?? 0) * 1000 < Date.now())
      throw new InvalidTokenError('it is not valid')
    return found
  }

  async revokeToken(_client: OAuthClientInformationFull, { token }: { token: string }): Promise<void> {
    this.counts.revocations++
    this.#access.delete(token)
    this.#refresh.delete(token)
  }

  #tokens({ client_id: clientId }: OAuthClientInformationFull, resource: URL | undefined): OAuthTokens {
    const [access, refresh] = [random(), random()]
    const expiresAt = Math.floor(Date.now() / 1000) + LIFE + 1
    this.#access.set(access, {
      token: access,
      clientId,
      scopes: [SCOPE],
      expiresAt,
      ...(resource === undefined ? {} : { resource }),
    })
    this.#refresh.set(refresh, resource)
    return { access_token: access, token_type: 'bearer', expires_in: LIFE, refresh_token: refresh, scope: SCOPE }
  }
}

async function listen(app: ExpressApp): Promise<{ server: Server; origin: string }> {
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, origin: `http://localhost:${(server.address() as AddressInfo).port}` }
}

function answerMcp(app: ExpressApp, guard: ReturnType<typeof requireBearerAuth>): void {
  app.post('/mcp', guard, (request, response) => {
    const mcp = new McpServer({ name: 'protected', version: '1.0.0' })
    mcp.registerTool('get_time', { description: 'Says what time it is' }, () => ({
      content: [{ type: 'text', text: `It is ${Math.floor(Date.now() / 1000)}.` }],
    }))
    const transport = new StreamableHTTPServerTransport({})
    response.on('close', () => void transport.close().then(() => mcp.close()))
    void mcp.connect(transport as never).then(() => transport.handleRequest(request, response, request.body))
  })
}

export async function startSdkServer(): Promise<OAuthPeer> {
  const provider = new People()
  const [authorityApp, serverApp] = [createMcpExpressApp(), createMcpExpressApp()]
  const [authority, server] = [await listen(authorityApp), await listen(serverApp)]
  const [issuerUrl, resourceServerUrl] = [new URL(authority.origin), new URL(`${server.origin}/mcp`)]
  const scopesSupported = [SCOPE]
  authorityApp.use(mcpAuthRouter({ provider, issuerUrl, scopesSupported }))
  const oauthMetadata = createOAuthMetadata({ provider, issuerUrl, scopesSupported })
  serverApp.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl, scopesSupported }))
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceServerUrl)
  answerMcp(serverApp, requireBearerAuth({ verifier: provider, requiredScopes: [SCOPE], resourceMetadataUrl }))
  return {
    url: resourceServerUrl.href,
    counts: async () => provider.counts,
    async [Symbol.asyncDispose]() {
      for (const { server: http } of [authority, server]) {
        http.closeAllConnections()
        await new Promise((resolve) => http.close(resolve))
      }
    },
  }
}
