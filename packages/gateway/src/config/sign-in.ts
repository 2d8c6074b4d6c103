/** The settings of tokens, sign-in and callers, the identity provider among them. */
import { LIMITS } from '@toolway/contract'
import { z } from 'zod'
import { ConfigFault } from './fault.ts'
import { isLoopback } from './loopback.ts'
import { defineKnownSetting, onOff, defineSetting, wholeNumber, type Setting, type ValuesOf } from './setting.ts'

export const SIGN_IN_SETTINGS = {
  TOOLWAY_TOKEN_PRESET: defineSetting(
    z.enum(['default', 'uru'], 'it must be default or uru').default('default'),
    'Token lifetimes (access, refresh). default: 30 minutes and 7 days. uru: 1 hour and 30 days, bound to an organization.',
  ),
  TOOLWAY_ACCESS_TOKEN_MINUTES: defineKnownSetting(
    ['ACCESS_TOKEN_EXPIRE_MINUTES'],
    defineSetting(wholeNumber(1, 1440).optional(), 'Access token lifetime in minutes. Overrides the preset.'),
  ),
  TOOLWAY_REFRESH_TOKEN_DAYS: defineKnownSetting(
    ['REFRESH_TOKEN_EXPIRE_DAYS'],
    defineSetting(wholeNumber(1, 365).optional(), 'Refresh token lifetime in days. Overrides the preset.'),
  ),
  TOOLWAY_LOOPBACK_CLIENTS: defineSetting(
    onOff('off'),
    'on: OAuth client metadata documents may be at http:// URLs on this machine. For testing clients.',
  ),
  TOOLWAY_PASSWORD_LENGTH: defineSetting(wholeNumber(8, 128).default(12), 'Minimum length of new passwords.'),
  TOOLWAY_SECOND_FACTOR: defineSetting(
    z.enum(['optional', 'required'], 'it must be optional or required').default('optional'),
    'required: users who sign in with a password need a passkey or an authenticator app. Organizations can require it for their own members.',
  ),
  TOOLWAY_PROOF_MINUTES: defineSetting(
    wholeNumber(1, 1440).default(10),
    'Minutes for which a sign-in counts as recent. Exports, deletions and other risky actions need a recent sign-in or confirmation.',
  ),
  TOOLWAY_OIDC_ISSUER: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with https://' }).optional(),
    'Issuer URL of the OpenID Connect provider for sign-in. Plain http is allowed only on loopback addresses.',
  ),
  TOOLWAY_OIDC_CLIENT_ID: defineSetting(
    z.string().min(1).optional(),
    'Client ID of this gateway at the OpenID Connect provider.',
  ),
  TOOLWAY_OIDC_CLIENT_SECRET: defineSetting(
    z.string().min(1).optional(),
    'Client secret of this gateway at the OpenID Connect provider.',
    true,
  ),
  TOOLWAY_OIDC_PRESET: defineSetting(
    z.enum(['supabase'], 'it must be supabase').optional(),
    'supabase: the provider is the project at SUPABASE_URL, and its access tokens are accepted.',
  ),
  TOOLWAY_OIDC_NAME: defineSetting(z.string().min(1).max(40).optional(), 'Name of the provider on the sign-in page.'),
  TOOLWAY_OIDC_NEW: defineSetting(
    z.enum(['refuse', 'viewer', 'member'], 'it must be refuse, viewer or member').default('refuse'),
    'Provider users who have no account in Toolway. refuse: no access. viewer, member: they join the default organization with that role.',
  ),
  SUPABASE_URL: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with https://' }).optional(),
    'URL of the Supabase project, for TOOLWAY_OIDC_PRESET=supabase.',
  ),
  TOOLWAY_ASSERTION: defineSetting(
    z.enum(['off', 'cloudflare', 'iap', 'alb', 'jwt'], 'it must be off, cloudflare, iap, alb or jwt').default('off'),
    'A gateway in front signs people in with a signed assertion in a header. cloudflare: Cloudflare Access. iap: Google Identity-Aware Proxy. alb: AWS Application Load Balancer. jwt: a JWT of TOOLWAY_ASSERTION_ISSUER, such as the ID token from oauth2-proxy.',
  ),
  TOOLWAY_ASSERTION_ISSUER: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with https://' }).optional(),
    'Issuer of the assertion (iss). cloudflare: https://TEAM.cloudflareaccess.com. iap: known. alb: the identity provider of the load balancer.',
  ),
  TOOLWAY_ASSERTION_AUDIENCE: defineSetting(
    z.string().min(1).optional(),
    'Required audience of the assertion (aud). cloudflare: the AUD tag of the application. iap: /projects/NUMBER/…. alb: the ARN of the load balancer.',
  ),
  TOOLWAY_ASSERTION_KEYS_URL: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with https://' }).optional(),
    'URL of the public keys of the gateway in front. Default: the one of the preset, or in the discovery document of the issuer.',
  ),
  TOOLWAY_ASSERTION_HEADER: defineSetting(
    z
      .string()
      .regex(/^[\w-]+$/, 'it must be the name of a header')
      .default('Authorization'),
    'TOOLWAY_ASSERTION=jwt: header that contains the assertion.',
  ),
  MCP_API_KEY: defineKnownSetting(
    ['SERVICE_API_KEY'],
    defineSetting(
      z.string().optional(),
      'API key with the member role in the organization DEFAULT_ORG_ID: any text of at least 16 characters. Preset curatore: a shorter key is accepted with a warning.',
      true,
    ),
  ),
  MCP_API_KEY_LIMIT: defineSetting(
    z.enum(LIMITS, `it must be one of ${LIMITS.join(', ')}`).default('read'),
    'Access granted by MCP_API_KEY. read: only read-only tools. write: all tools except destructive ones.',
  ),
  MCP_API_KEY_TRUSTED: defineSetting(
    onOff('off'),
    'on: requests with MCP_API_KEY may act on behalf of a user (X-OpenWebUI-User-Email, X-On-Behalf-Of).',
  ),
  MCP_ADMIN_API_KEY: defineSetting(
    z.string().min(16, 'it must have at least 16 characters').optional(),
    'Preset curatore: API key of the toolset admin, which ADMIN_POLICY_FILE describes. If unset, that toolset has no key.',
    true,
  ),
  DEFAULT_ORG_ID: defineSetting(
    z.string().min(1).optional(),
    'ID or slug of the organization that MCP_API_KEY belongs to. Default: default.',
  ),
  CURATORE_BACKEND_URL: defineKnownSetting(
    ['BACKEND_URL'],
    defineSetting(
      z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
      'Preset curatore: URL of the backend whose contracts become tools.',
    ),
  ),
  BACKEND_API_KEY: defineSetting(
    z.string().min(1).optional(),
    'Preset curatore: API key sent to the backend as X-API-Key.',
    true,
  ),
  BACKEND_TIMEOUT: defineSetting(wholeNumber(1, 3600).default(30), 'Preset curatore: backend timeout in seconds.'),
  POLICY_FILE: defineSetting(
    z.string().min(1).optional(),
    'Preset curatore: path of policy.yaml, reloaded when it changes. Default: the bundled file.',
  ),
  ADMIN_POLICY_FILE: defineSetting(
    z.string().min(1).optional(),
    'Preset curatore: policy file of the toolset admin. Default: the bundled policy.admin.yaml.',
  ),
  TOOLWAY_OPENAPI: defineSetting(
    z.enum(['key', 'public'], 'it must be key or public').default('key'),
    'public: the OpenAPI document of the default toolset, and so its list of tools, is readable without a key.',
  ),
  TOOLWAY_JWT_ISSUER: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'External token issuer that is accepted in addition to this gateway (iss).',
  ),
  TOOLWAY_JWT_AUDIENCE: defineSetting(z.string().min(1).optional(), 'Required audience of external tokens (aud).'),
  TOOLWAY_JWT_JWKS_URL: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'URL of that issuer’s keys (JWKS). Default: the one in its discovery document.',
  ),
  TOOLWAY_JWT_ORGANIZATION_CLAIM: defineSetting(
    z.string().min(1).default('org_id'),
    'Claim of external tokens that contains the organization’s ID or slug.',
  ),
  TOOLWAY_JWT_EMAIL_PROOF: defineSetting(
    z.enum(['claim', 'issuer'], 'it must be claim or issuer').default('claim'),
    'When the email address in an external token identifies a Toolway user. claim: only if the token contains email_verified: true. issuer: also if it does not contain that claim, because the issuer verifies every address (such as your own Entra tenant).',
  ),
  TOOLWAY_IDENTITY_URL: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'Backend that identifies the owner of an external token: called with GET and the caller’s token.',
  ),
} as const satisfies Record<string, Setting>

type SignIn = ValuesOf<typeof SIGN_IN_SETTINGS>

export interface ProviderSettings {
  readonly issuer: string
  readonly title: string
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  readonly supabase: boolean
}

/** The identity provider; undefined where none is set. Throws ConfigFault where half of one is. */
export function providerOf(config: SignIn): ProviderSettings | undefined {
  const { TOOLWAY_OIDC_CLIENT_ID: clientId, TOOLWAY_OIDC_CLIENT_SECRET: clientSecret, SUPABASE_URL: project } = config
  const supabase = config.TOOLWAY_OIDC_PRESET === 'supabase'
  if (supabase && project === undefined)
    throw new ConfigFault('TOOLWAY_OIDC_PRESET=supabase needs SUPABASE_URL: set it to the URL of the project.')
  const issuer = supabase ? `${project?.replace(/\/$/, '')}/auth/v1` : config.TOOLWAY_OIDC_ISSUER
  if (issuer === undefined) {
    if (clientId === undefined) return undefined
    throw new ConfigFault(
      'TOOLWAY_OIDC_CLIENT_ID is set without TOOLWAY_OIDC_ISSUER: set the issuer URL of the provider.',
    )
  }
  const { protocol, hostname, host } = new URL(issuer)
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, '')))
    throw new ConfigFault(`The identity provider ${issuer} is reached over plain http: use https.`)
  if (!supabase && clientId === undefined)
    throw new ConfigFault('TOOLWAY_OIDC_ISSUER needs TOOLWAY_OIDC_CLIENT_ID: register this gateway at the provider.')
  return { issuer, title: config.TOOLWAY_OIDC_NAME ?? (supabase ? 'Supabase' : host), clientId, clientSecret, supabase }
}

const IAP = { issuer: 'https://cloud.google.com/iap', keysUrl: 'https://www.gstatic.com/iap/verify/public_key-jwk' }
const HEADERS = { cloudflare: 'cf-access-jwt-assertion', iap: 'x-goog-iap-jwt-assertion', alb: 'x-amzn-oidc-data' }
/** `arn:aws:elasticloadbalancing:REGION:ACCOUNT:loadbalancer/app/NAME/ID` */
const LOAD_BALANCER = /^arn:aws[\w-]*:elasticloadbalancing:([a-z0-9-]+):\d+:loadbalancer\/app\//

/** The gateway in front whose assertions sign people in; undefined where none is set. Throws ConfigFault where half of one is. */
export function assertionOf(config: SignIn) {
  const { TOOLWAY_ASSERTION: form, TOOLWAY_ASSERTION_AUDIENCE: audience, TOOLWAY_ASSERTION_KEYS_URL: keys } = config
  const issuer = config.TOOLWAY_ASSERTION_ISSUER?.replace(/\/$/, '') ?? (form === 'iap' ? IAP.issuer : undefined)
  if (form === 'off') {
    if (audience === undefined) return undefined
    throw new ConfigFault('TOOLWAY_ASSERTION_AUDIENCE is set without TOOLWAY_ASSERTION: set the kind of the assertion.')
  }
  if (issuer === undefined || audience === undefined)
    throw new ConfigFault(`TOOLWAY_ASSERTION=${form} needs TOOLWAY_ASSERTION_ISSUER and TOOLWAY_ASSERTION_AUDIENCE.`)
  for (const url of [issuer, keys])
    if (url?.startsWith('http:') === true && !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, '')))
      throw new ConfigFault(`The keys for assertions are read over plain http from ${url}: use https.`)
  const region = LOAD_BALANCER.exec(audience)?.[1]
  if (form === 'alb' && region === undefined)
    throw new ConfigFault('TOOLWAY_ASSERTION=alb needs the ARN of the load balancer as TOOLWAY_ASSERTION_AUDIENCE.')
  const own = {
    cloudflare: `${issuer}/cdn-cgi/access/certs`,
    iap: IAP.keysUrl,
    alb: `https://public-keys.auth.elb.${region ?? ''}.amazonaws.com`,
    jwt: undefined,
  }[form]
  const header = form === 'jwt' ? config.TOOLWAY_ASSERTION_HEADER.toLowerCase() : HEADERS[form]
  return { form, header, issuer, audience, keysUrl: keys?.replace(/\/$/, '') ?? own }
}

/** Seconds that tokens live: the preset, unless a setting says otherwise (ledger U-02). */
export function tokenLives(config: SignIn): { readonly access: number; readonly refresh: number } {
  const [minutes, days] = config.TOOLWAY_TOKEN_PRESET === 'uru' ? [60, 30] : [30, 7]
  return {
    access: (config.TOOLWAY_ACCESS_TOKEN_MINUTES ?? minutes) * 60,
    refresh: (config.TOOLWAY_REFRESH_TOKEN_DAYS ?? days) * 24 * 60 * 60,
  }
}
