/**
 * The official clients with their own OAuth, from nothing but an address: what they keep, and where they send their person.
 *
 * Discovery, registration, PKCE, exchange and renewal are theirs; only the browser is played.
 */
import { Client as ClientTwo, StreamableHTTPClientTransport as TransportTwo } from '@modelcontextprotocol/client'
import type { OAuthClientProvider as ProviderTwo } from '@modelcontextprotocol/client'
import type { OAuthClientProvider as ProviderOne } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as ClientOne } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOne } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Person } from '../people/oauth-person.ts'

export const OAUTH_KINDS = ['SDK 1', 'SDK 2'] as const
export type OAuthKind = (typeof OAUTH_KINDS)[number]

interface Tokens {
  access_token: string
  refresh_token?: string
  scope?: string
  token_type: string
}

export interface Store {
  client?: { client_id: string }
  tokens?: Tokens
  verifier?: string
  discovered?: unknown
  /** Each address that its person was sent to. */
  readonly sent: URL[]
}

export interface OAuthClientOptions {
  readonly name?: string
  /** Address of the document that it is, instead of registering. */
  readonly document?: string
  readonly redirect?: string
  readonly grants?: string[]
  readonly store?: Store
}

export interface Connected extends AsyncDisposable {
  readonly store: Store
  tools(): Promise<string[]>
  call(name: string): Promise<string>
}

export const createStore = (): Store => ({ sent: [] })

const REDIRECT = 'http://127.0.0.1:39999/callback'

function providerOf(store: Store, options: OAuthClientOptions) {
  const {
    name = 'Test client',
    redirect = REDIRECT,
    document,
    grants = ['authorization_code', 'refresh_token'],
  } = options
  return {
    redirectUrl: redirect,
    ...(document === undefined ? {} : { clientMetadataUrl: document }),
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirect],
      token_endpoint_auth_method: 'none',
      grant_types: grants,
    },
    state: () => 'a state of its own',
    clientInformation: () => store.client,
    saveClientInformation: (client: { client_id: string }) => void (store.client = client),
    tokens: () => store.tokens,
    saveTokens: (tokens: Tokens) => void (store.tokens = tokens),
    redirectToAuthorization: (url: URL) => void store.sent.push(url),
    saveCodeVerifier: (verifier: string) => void (store.verifier = verifier),
    codeVerifier: () => store.verifier ?? '',
    saveDiscoveryState: (state: unknown) => void (store.discovered = state),
    discoveryState: () => store.discovered,
    invalidateCredentials(scope: string) {
      if (scope !== 'verifier') delete store.tokens
      if (scope === 'all' || scope === 'client') delete store.client
      if (scope === 'all' || scope === 'discovery') delete store.discovered
    },
  }
}

/** Connects, and lets the person answer as often as the client asks for it. */
export async function connectWithOAuth(
  kind: OAuthKind,
  url: string,
  person: Person,
  options: OAuthClientOptions = {},
): Promise<Connected> {
  const store = options.store ?? createStore()
  const provider = providerOf(store, options)
  const make = () => {
    if (kind === 'SDK 1') {
      const transport = new TransportOne(new URL(url), { authProvider: provider as unknown as ProviderOne })
      return { transport, client: new ClientOne({ name: 'test', version: '1' }) }
    }
    const transport = new TransportTwo(new URL(url), { authProvider: provider as unknown as ProviderTwo })
    return { transport, client: new ClientTwo({ name: 'test', version: '1' }) }
  }

  /** Does something; where the client sent its person away first, once more after they came back. */
  async function withPerson<T>(act: () => Promise<T>, transport: () => TransportOne | TransportTwo): Promise<T> {
    const before = store.sent.length
    try {
      return await act()
    } catch (thrown) {
      const to = store.sent.at(-1)
      if (store.sent.length === before || to === undefined) throw thrown
      const { back } = await person.open(to)
      if (back === undefined) throw new Error('the person did not come back', { cause: thrown })
      const error = back.searchParams.get('error')
      if (error !== null) throw new Error(`refused: ${error}`, { cause: thrown })
      const used = transport()
      await (used instanceof TransportTwo
        ? used.finishAuth(back.searchParams)
        : used.finishAuth(back.searchParams.get('code') ?? ''))
      return act()
    }
  }

  let held = make()
  const first = held.transport
  await withPerson(
    async () => {
      held = make()
      await (held.client as ClientOne).connect(held.transport)
    },
    () => (held.transport === first ? first : held.transport),
  )
  return {
    store,
    tools: async () => (await held.client.listTools()).tools.map(({ name }) => name),
    call: (name) =>
      withPerson(
        async () => {
          const result = await (held.client as ClientOne).callTool({ name, arguments: {} })
          const [content] = result.content as { text?: string }[]
          return content?.text ?? ''
        },
        () => held.transport,
      ),
    [Symbol.asyncDispose]: () => held.client.close(),
  }
}
