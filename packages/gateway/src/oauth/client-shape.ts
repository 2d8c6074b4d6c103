/**
 * Converts a client's own metadata to the stored form, for registrations (RFC 7591) and client metadata documents alike.
 *
 * Members that are not used here are ignored, as RFC 7591 section 2 allows, so that no client is refused for sending more than is
 * needed. Names are shown to users, and no client can make its name look like something else on the page.
 */
import { z } from 'zod'
import { ClientMetadata } from '../identity/oauth/oauth-clients.ts'

/** An error in a client's metadata, with an error code of RFC 7591, section 3.2.2. */
export class ClientProblem extends Error {
  readonly error: 'invalid_client_metadata' | 'invalid_redirect_uri'
  constructor(error: ClientProblem['error'], description: string) {
    super(description)
    this.error = error
  }
}

const MOST_REDIRECTS = 20
const LONGEST = 2_000
const LONGEST_NAME = 80

const Said = z.object({
  client_name: z.string().max(LONGEST).optional(),
  redirect_uris: z.array(z.string().max(LONGEST)).min(1).max(MOST_REDIRECTS),
  application_type: z.enum(['web', 'native']).optional(),
  grant_types: z.array(z.string()).max(20).default(['authorization_code']),
  response_types: z.array(z.string()).max(20).default(['code']),
  token_endpoint_auth_method: z.string().default('client_secret_basic'),
  client_uri: z.string().max(LONGEST).optional(),
})

export interface ShapedClient {
  readonly name: string | undefined
  readonly metadata: ClientMetadata
}

const GRANTS = ['authorization_code', 'refresh_token']
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Executed by a browser, or opened from the disk: refused even where an administrator adds the client. */
const HARMFUL = new Set([
  'javascript:',
  'vbscript:',
  'data:',
  'blob:',
  'file:',
  'about:',
  'view-source:',
  'filesystem:',
  'intent:',
  'mhtml:',
  'ms-appinstaller:',
  'ms-msdt:',
  'search-ms:',
  'search:',
  'shell:',
])
/**
 * A private-use scheme is the reverse of a domain name, such as `com.example.app:` (RFC 8252, section 7.1): it begins with a
 * top-level domain, which has letters only, or is internationalized. Schemes of the
 * operating system that start programs (`ms-word:`, `smb:`, `chrome:`) have no dot.
 */
const PRIVATE_USE = /^(?:[a-z]{2,24}|xn--[a-z0-9-]{1,59})(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+:$/
/** Published MCP clients whose callback scheme has no dot. An administrator adds clients with other schemes by hand. */
const KNOWN_CLIENTS = new Set(
  [
    ['vscode', 'vscode-insiders', 'vscodium', 'code-oss', 'cursor', 'cursor-nightly', 'windsurf', 'windsurf-next'],
    ['devin', 'zed', 'trae', 'trae-cn', 'kiro', 'positron', 'antigravity', 'void', 'jetbrains', 'qoder', 'xcode'],
    [
      'claude',
      'chatgpt',
      'codex',
      'goose',
      'raycast',
      'warp',
      'warppreview',
      'warposs',
      'lmstudio',
      'mcpjam',
      'postman',
    ],
    ['insomnia', 'cherrystudio'],
  ].flatMap((names) => names.map((name) => `${name}:`)),
)

export const isLoopback = (address: URL): boolean => address.protocol === 'http:' && LOOPBACK.has(address.hostname)

/** Whether a client may register the address without a person who vouches for it. */
const isOpenToAll = (address: URL): boolean =>
  address.protocol === 'https:' ||
  isLoopback(address) ||
  PRIVATE_USE.test(address.protocol) ||
  KNOWN_CLIENTS.has(address.protocol)

/** Of the redirect addresses of a client that registered itself, those that it may still be sent back to. */
export const openRedirects = (addresses: readonly string[]): string[] =>
  addresses.filter((text) => {
    const address = URL.parse(text)
    return address !== null && isOpenToAll(address)
  })

/**
 * Throws `ClientProblem`. `vouched` is true where an administrator adds the client. Otherwise a redirect address whose scheme
 * is neither private-use nor of a known client is left out (RFC 7591, section 3.2.1, lets a server do so), as clients
 * register several of them at once; a client that has no other is refused.
 */
export function shapeClient(input: unknown, { vouched = false } = {}): ShapedClient {
  const parsed = Said.safeParse(input)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const path = issue?.path.join('.') ?? ''
    const error = path.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata'
    throw new ClientProblem(error, `${path === '' ? 'the client' : path}: ${issue?.message ?? 'is not valid'}`)
  }
  const { client_name: name, redirect_uris, grant_types, response_types, application_type, client_uri } = parsed.data
  const redirects = redirectsOf(redirect_uris, vouched)
  if (!response_types.includes('code') || !grant_types.includes('authorization_code'))
    throw new ClientProblem('invalid_client_metadata', 'only the authorization code grant is supported')
  const method = ClientMetadata.shape.token_endpoint_auth_method.safeParse(parsed.data.token_endpoint_auth_method)
  if (!method.success)
    throw new ClientProblem(
      'invalid_client_metadata',
      'token_endpoint_auth_method: one of none, client_secret_basic and client_secret_post',
    )
  return {
    name: nameOf(name),
    metadata: {
      redirect_uris: redirects.map(({ text }) => text),
      application_type: typeOf(
        application_type,
        redirects.map(({ address }) => address),
      ),
      grant_types: GRANTS.filter((grant) => grant_types.includes(grant)),
      token_endpoint_auth_method: method.data,
      ...(client_uri !== undefined && URL.parse(client_uri)?.protocol === 'https:' ? { client_uri } : {}),
    },
  }
}

interface Redirect {
  readonly text: string
  readonly address: URL
}

function redirectsOf(texts: readonly string[], vouched: boolean): Redirect[] {
  const all = texts.map((text) => ({ text, address: redirectOf(text) }))
  const taken = vouched ? all : all.filter(({ address }) => isOpenToAll(address))
  if (taken.length > 0) return taken
  const { protocol } = all[0]?.address ?? {}
  throw new ClientProblem(
    'invalid_redirect_uri',
    `redirect_uris: ${protocol} may not register itself; use https:, http: to this machine or a scheme with a dot ` +
      '(com.example.app:), or ask an administrator to add the client',
  )
}

/** Plain http only to this machine (RFC 8252, section 7.3). */
function redirectOf(text: string): URL {
  const address = URL.parse(text)
  const refuse = (problem: string) => new ClientProblem('invalid_redirect_uri', `redirect_uris: ${problem}`)
  if (address === null) throw refuse('each must be an absolute address')
  if (text.includes('#')) throw refuse('none may have a fragment')
  if (HARMFUL.has(address.protocol)) throw refuse(`${address.protocol} is not allowed`)
  if (address.protocol === 'http:' && !isLoopback(address)) throw refuse('http: is allowed for this machine only')
  if (address.host.includes('*')) throw refuse('none may contain a wildcard')
  if (address.username !== '' || address.password !== '') throw refuse('none may contain a user name')
  return address
}

/**
 * Many desktop clients omit the type, which means `web` and would restrict them to one port (RFC 8252, section 8.3, allows native
 * ones any port). A client that redirects to this machine or to a scheme of its own is native, whatever type it states.
 */
function typeOf(input: ClientMetadata['application_type'] | undefined, redirects: readonly URL[]) {
  const local = redirects.some((address) => isLoopback(address) || !/^https?:$/.test(address.protocol))
  return local ? 'native' : (input ?? 'web')
}

/** Letters that turn the direction of what follows, or that nobody sees, can make one name look like another. */
export function nameOf(input: string | undefined): string | undefined {
  const clean = input
    ?.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_NAME)
  return clean === '' ? undefined : clean
}
