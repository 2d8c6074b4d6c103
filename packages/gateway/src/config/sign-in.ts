/** The settings of tokens, sign-in and callers, the identity provider among them. */
import { LIMITS } from '@toolway/contract'
import { z } from 'zod'
import { ConfigFault } from './fault.ts'
import { isLoopback } from './loopback.ts'
import { known, onOff, setting, wholeNumber, type Setting, type ValuesOf } from './setting.ts'

export const SIGN_IN_SETTINGS = {
  TOOLWAY_TOKEN_PRESET: setting(
    z.enum(['default', 'uru'], 'it must be default or uru').default('default'),
    'Lives of tokens: default is 30 minutes and 7 days; uru is 1 hour and 30 days, bound to an organization.',
  ),
  TOOLWAY_ACCESS_TOKEN_MINUTES: known(
    ['ACCESS_TOKEN_EXPIRE_MINUTES'],
    setting(wholeNumber(1, 1440).optional(), 'Minutes that an access token lives, instead of the preset.'),
  ),
  TOOLWAY_REFRESH_TOKEN_DAYS: known(
    ['REFRESH_TOKEN_EXPIRE_DAYS'],
    setting(wholeNumber(1, 365).optional(), 'Days that a refresh token lives, instead of the preset.'),
  ),
  TOOLWAY_LOOPBACK_CLIENTS: setting(
    onOff('off'),
    'on: OAuth clients may be documents at http:// addresses of this machine. For tests of clients.',
  ),
  TOOLWAY_PASSWORD_LENGTH: setting(
    wholeNumber(8, 128).default(12),
    'Characters that a new password must have at least.',
  ),
  TOOLWAY_OIDC_ISSUER: setting(
    z.url({ protocol: /^https?$/, error: 'it must start with https://' }).optional(),
    'OpenID Connect provider that signs people in, by its issuer address; plain http only on a loopback address.',
  ),
  TOOLWAY_OIDC_CLIENT_ID: setting(z.string().min(1).optional(), 'Client id of this gateway at the provider.'),
  TOOLWAY_OIDC_CLIENT_SECRET: setting(z.string().min(1).optional(), 'Client secret of this gateway there.', true),
  TOOLWAY_OIDC_PRESET: setting(
    z.enum(['supabase'], 'it must be supabase').optional(),
    'supabase: the provider is the project of SUPABASE_URL, and its access tokens are taken as proof.',
  ),
  TOOLWAY_OIDC_NAME: setting(z.string().min(1).max(40).optional(), 'Name of the provider on the sign-in page.'),
  TOOLWAY_OIDC_NEW: setting(
    z.enum(['refuse', 'viewer', 'member'], 'it must be refuse, viewer or member').default('refuse'),
    'Whom the provider proves and nobody added here: refuse, or let in to the default organization as viewer or member.',
  ),
  SUPABASE_URL: setting(
    z.url({ protocol: /^https?$/, error: 'it must start with https://' }).optional(),
    'Address of the Supabase project, for TOOLWAY_OIDC_PRESET=supabase.',
  ),
  MCP_API_KEY: known(
    ['SERVICE_API_KEY'],
    setting(
      z.string().optional(),
      'One key for the organization DEFAULT_ORG_ID as a member: any text of at least 16 characters. Preset curatore: a shorter one is accepted with a warning.',
      true,
    ),
  ),
  MCP_API_KEY_LIMIT: setting(
    z.enum(LIMITS, `it must be one of ${LIMITS.join(', ')}`).default('read'),
    'How far MCP_API_KEY reaches: read leaves out tools that write, write those that destroy.',
  ),
  MCP_API_KEY_TRUSTED: setting(
    onOff('off'),
    'on: requests with MCP_API_KEY may name the person they are made for (X-OpenWebUI-User-Email, X-On-Behalf-Of).',
  ),
  MCP_ADMIN_API_KEY: setting(
    z.string().min(16, 'it must have at least 16 characters').optional(),
    'Preset curatore: the one key of its toolset admin, which ADMIN_POLICY_FILE describes. Without it there is none.',
    true,
  ),
  DEFAULT_ORG_ID: setting(
    z.string().min(1).optional(),
    'Id or slug of the organization of MCP_API_KEY; if unsaid, default.',
  ),
  CURATORE_BACKEND_URL: known(
    ['BACKEND_URL'],
    setting(
      z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
      'Preset curatore: address of the backend whose contracts become tools.',
    ),
  ),
  BACKEND_API_KEY: setting(
    z.string().min(1).optional(),
    'Preset curatore: what is sent to the backend as X-API-Key.',
    true,
  ),
  BACKEND_TIMEOUT: setting(wholeNumber(1, 3600).default(30), 'Preset curatore: seconds that the backend may take.'),
  POLICY_FILE: setting(
    z.string().min(1).optional(),
    'Preset curatore: the policy.yaml to obey, watched while the gateway runs; if unsaid, the one that is shipped.',
  ),
  ADMIN_POLICY_FILE: setting(
    z.string().min(1).optional(),
    'Preset curatore: the policy of the toolset admin; if unsaid, the policy.admin.yaml that is shipped.',
  ),
  TOOLWAY_OPENAPI: setting(
    z.enum(['key', 'public'], 'it must be key or public').default('key'),
    'public: the OpenAPI document of the default toolset is shown without a key, and with it which tools there are.',
  ),
  TOOLWAY_JWT_ISSUER: setting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'Issuer whose tokens are taken as well as our own (their iss).',
  ),
  TOOLWAY_JWT_AUDIENCE: setting(z.string().min(1).optional(), 'What those tokens must be made for (their aud).'),
  TOOLWAY_JWT_JWKS_URL: setting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'Where the keys of that issuer are; if unsaid, its discovery document tells.',
  ),
  TOOLWAY_JWT_ORGANIZATION_CLAIM: setting(
    z.string().min(1).default('org_id'),
    'Claim of those tokens that names the organization, by id or slug.',
  ),
  TOOLWAY_IDENTITY_URL: setting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'Backend that is asked, with a GET and the token of the caller, who a token belongs to that is not ours.',
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
    throw new ConfigFault('TOOLWAY_OIDC_PRESET=supabase needs SUPABASE_URL: set it to the address of the project.')
  const issuer = supabase ? `${project?.replace(/\/$/, '')}/auth/v1` : config.TOOLWAY_OIDC_ISSUER
  if (issuer === undefined) {
    if (clientId === undefined) return undefined
    throw new ConfigFault('TOOLWAY_OIDC_CLIENT_ID is set without TOOLWAY_OIDC_ISSUER: say which provider it is for.')
  }
  const { protocol, hostname, host } = new URL(issuer)
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, '')))
    throw new ConfigFault(`The identity provider ${issuer} is reached by plain http: use https.`)
  if (!supabase && clientId === undefined)
    throw new ConfigFault('TOOLWAY_OIDC_ISSUER needs TOOLWAY_OIDC_CLIENT_ID: register this gateway at the provider.')
  return { issuer, title: config.TOOLWAY_OIDC_NAME ?? (supabase ? 'Supabase' : host), clientId, clientSecret, supabase }
}

/** Seconds that tokens live: the preset, unless a setting says otherwise (ledger U-02). */
export function tokenLives(config: SignIn): { readonly access: number; readonly refresh: number } {
  const [minutes, days] = config.TOOLWAY_TOKEN_PRESET === 'uru' ? [60, 30] : [30, 7]
  return {
    access: (config.TOOLWAY_ACCESS_TOKEN_MINUTES ?? minutes) * 60,
    refresh: (config.TOOLWAY_REFRESH_TOKEN_DAYS ?? days) * 24 * 60 * 60,
  }
}
