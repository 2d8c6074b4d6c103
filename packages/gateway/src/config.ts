/**
 * The configuration from the environment: one schema, one frozen result, and the origin of each value.
 *
 * The one reader of `process.env`. Every setting may also be given as `NAME_FILE`, a path whose content is the value. An unknown
 * name that resembles a setting is refused, because a misspelt setting would otherwise be a silent default.
 */
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { isPlaceholder, LIMITS } from '@toolway/contract'
import { z } from 'zod'
import { ConfigFault } from './config-fault.ts'
import { settingReferences, withSecrets, type ReadSecrets, type SettingReferences } from './config-references.ts'
import { withoutServiceLinks } from './config-service-links.ts'
import { KEY_SETTINGS, keySettingsProblem } from './config-keys.ts'
import { TELEMETRY_SETTINGS, telemetryProblem } from './config-telemetry.ts'
import { nearest } from './lib/nearest.ts'
import { LOG_FORMATS } from './telemetry/log-format.ts'
import { METRIC_NAMES } from './telemetry/metric-names.ts'
import { PROCESS_ROLES, type ProcessRole } from './lib/process-roles.ts'
import { PRESET_NAMES, presetsInWords, presetValue, type PresetName } from './presets.ts'

export { ConfigFault }

/** Digits only: what a looser reading makes of an empty text or of `0x50` is a port that nobody meant. */
const port = z
  .string()
  .regex(/^\d{1,5}$/, 'it must be a whole number from 0 to 65535')
  .transform(Number)
  .refine((number) => number <= 65_535, 'it must be a whole number from 0 to 65535')
const SESSIONS_PROBLEM = 'it must be a whole number from 1 to 10000'
const MEMORY_PROBLEM = 'it must be a whole number of MiB, at least 64'
const KEY_PROBLEM = 'it must be 64 hexadecimal digits (`openssl rand -hex 32` makes them)'
const vaultKey = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, KEY_PROBLEM)
  .transform((text) => text.toLowerCase())
const SECRET_LENGTH = 32
const onOff = (unsaid: 'on' | 'off') => z.enum(['on', 'off'], 'it must be on or off').default(unsaid)
/** The values of a seed's switches; each maps to one value here. */
const SEED_SWITCH = /^SAGEMCP_ENABLE_/
const SEED_WORDS: Readonly<Record<string, string>> = { true: 'on', false: 'off', '1': 'on', '0': 'off' }
const RATE_PROBLEM = 'it must be a whole number from 1 to 1000000, or off'
/** Requests per minute; `off` is 0, which is no limit. */
const perMinute = (unsaid: string) =>
  z
    .string()
    .default(unsaid)
    .refine((text) => text === 'off' || (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= 1_000_000), RATE_PROBLEM)
    .transform((text) => (text === 'off' ? 0 : Number(text)))
const bytes = (unsaid: number, least: number, most: number) => {
  const problem = `it must be a whole number of bytes from ${least} to ${most}`
  return z
    .string()
    .default(String(unsaid))
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most, problem)
    .transform(Number)
}
/** A value that is neither an address nor a range is refused: it would be a proxy that is silently not trusted. */
const networks = z
  .string()
  .default('')
  .transform(splitList)
  .superRefine((all, context) => {
    const wrong = all.find((one) => !isNetwork(one))
    if (wrong !== undefined) context.addIssue(`${wrong} is neither an address nor a range such as 10.0.0.0/8`)
  })
const ROOT_FORM = /^\/(?:[^{}]|\{organization\})*$/
const roots = z
  .string()
  .default('')
  .transform(splitList)
  .superRefine((all, context) => {
    const wrong = all.find((one) => !ROOT_FORM.test(one) || one.split('/').includes('..'))
    if (wrong !== undefined) context.addIssue(`${wrong} is no absolute folder such as /srv/toolway/{organization}`)
  })
const ROLES_PROBLEM = `it must be ${PROCESS_ROLES.join(', ')}, or several of them, separated by commas`
const roles = z
  .string()
  .default(PROCESS_ROLES.join(','))
  .transform((text, context): readonly ProcessRole[] => {
    const said = new Set(splitList(text))
    const known = PROCESS_ROLES.filter((role) => said.has(role))
    if (known.length === 0 || known.length < said.size) context.addIssue(ROLES_PROBLEM)
    return known
  })
const FILES_FORM = /^(?:off|folder:\/.+|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w!.*'()/-]{0,200})?)$/
const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
const list = z.string().default('').transform(splitList)

const wholeNumber = (least: number, most: number) => {
  const problem = `it must be a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,7}$/, problem)
    .transform(Number)
    .refine((number) => number >= least && number <= most, problem)
}

interface Setting {
  readonly shape: z.ZodType
  readonly about: string
  readonly secret?: boolean
  /** Other names for it, under which other programs know it (ledger U-25). */
  readonly also?: readonly string[]
}
const setting = <Shape extends z.ZodType>(shape: Shape, about: string, secret = false) => ({ shape, about, secret })
const known = <Shape extends z.ZodType>(also: readonly string[], plain: ReturnType<typeof setting<Shape>>) => ({
  ...plain,
  also,
})

/** A placeholder that was not replaced counts as not set. */
const notPlaceholder = z
  .string()
  .optional()
  .transform((text) => (text === undefined || isPlaceholder(text) ? undefined : text.trim()))
const clientId = (vendor: string, serves: string) =>
  setting(
    notPlaceholder,
    `Client id of this gateway at ${vendor} (${serves}), for organizations that have no OAuth app of their own.`,
  )
const clientSecret = (prefix: string) => setting(notPlaceholder, `Client secret to ${prefix}_CLIENT_ID.`, true)

export const SETTINGS = {
  TOOLWAY_PRESET: setting(
    z.enum(PRESET_NAMES, `it must be one of ${PRESET_NAMES.join(', ')}`).optional(),
    `A configuration by name, whose values hold where nothing else is said: ${presetsInWords()}.`,
  ),
  TOOLWAY_STORE: setting(
    z.enum(['database', 'none'], 'it must be database or none').default('database'),
    'none: everything is declared in files and kept in memory, nothing is stored, and no database is started. One instance.',
  ),
  TOOLWAY_ROLES: setting(
    roles,
    'The roles of this process, separated by commas: web is the console and the pages of sign-in, api is administration, OAuth and approvals, mcp is the MCP endpoints and the addresses of tools. Several processes with different roles share one database.',
  ),
  TOOLWAY_PORT: known(['PORT'], setting(port.default(8787), 'Port to listen on; 0 takes any free one.')),
  TOOLWAY_HOST: known(
    ['HOST'],
    setting(
      z.string().min(1).default('127.0.0.1'),
      'Address to listen on. HOST is read only where it is an address: shells keep the name of the machine there.',
    ),
  ),
  TOOLWAY_DATA: setting(
    z.string().min(1).default(defaultDirectory()),
    'Data directory (mode 0700): database, vault key, children.',
  ),
  TOOLWAY_CONFIG: setting(
    z.string().min(1).optional(),
    'YAML file that declares organizations, connections, toolsets and keys.',
  ),
  TOOLWAY_BOOTSTRAP_KEY: known(
    ['SAGEMCP_BOOTSTRAP_ADMIN_KEY'],
    setting(
      z
        .string()
        .regex(/^uru_[0-9a-f]{64}$/, 'it must be uru_ and 64 hexadecimal digits')
        .optional(),
      'First key of the default organization, given instead of made.',
      true,
    ),
  ),
  TOOLWAY_PUBLIC_URL: known(
    ['PUBLIC_URL', 'BASE_URL'],
    setting(
      z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
      'Address under which clients reach the gateway.',
    ),
  ),
  TOOLWAY_ALLOWED_HOSTS: setting(list, 'Further names that the Host header may have, separated by commas.'),
  TOOLWAY_ALLOWED_ORIGINS: known(
    ['MCP_ALLOWED_ORIGINS', 'CORS_ALLOWED_ORIGINS'],
    setting(list, 'Further web origins that may call, separated by commas.'),
  ),
  TOOLWAY_TRUSTED_PROXIES: setting(
    networks,
    'Proxies that are believed when they say where a request comes from: addresses and ranges, separated by commas.',
  ),
  TOOLWAY_AUTH: known(
    ['SAGEMCP_ENABLE_AUTH'],
    setting(onOff('on'), 'off: no key is needed. Only on a loopback address.'),
  ),
  TOOLWAY_DEMO: setting(onOff('on'), 'off: a first run makes no demo connection.'),
  TOOLWAY_APPROVALS: setting(
    z.enum(['off', 'ask-destructive', 'ask-writes']).default('ask-destructive'),
    'What new organizations ask about before a tool runs: ask-destructive (tools that may destroy, and tools of servers that are not trusted to say what they do), ask-writes (whatever is not known to read only) or off. Organizations that are there keep their own setting.',
  ),
  TOOLWAY_TOOLKIT_ROOT: setting(
    z.string().min(1).optional(),
    'Folder in which the preset agent starts the local toolkit; without it the gateway starts none.',
  ),
  TOOLWAY_CHILD_MEMORY: setting(
    z
      .string()
      .default('2048')
      .refine((text) => /^\d{1,7}$/.test(text) && Number(text) >= 64, MEMORY_PROBLEM)
      .transform(Number),
    'MiB that a server which is started here may hold, with all that it starts; one that holds more is ended.',
  ),
  TOOLWAY_CHILD_PROCESSES: setting(
    wholeNumber(16, 100_000).default(1024),
    'Processes and threads that a server which is started here may have together; a browser has some hundreds.',
  ),
  TOOLWAY_CHILD_DISK: setting(
    wholeNumber(16, 9_999_999).default(4096),
    'MiB that the folders of a server which is started here may hold, its package cache among them; one that holds more is ended.',
  ),
  TOOLWAY_SANDBOX: setting(
    z.enum(['required', 'preferred', 'off'], 'it must be required, preferred or off').default('preferred'),
    'How servers that are started here are confined: required starts none that cannot be confined, preferred takes the best driver that works here and says what it does not guarantee (`toolway doctor`), off confines none.',
  ),
  TOOLWAY_SANDBOX_DRIVER: setting(
    z
      .enum(
        ['auto', 'bubblewrap', 'process', 'docker', 'podman', 'kubernetes', 'disabled'],
        'it must be auto, bubblewrap, process, docker, podman, kubernetes or disabled',
      )
      .default('auto'),
    'What confines them: auto is bubblewrap where it works, otherwise process, which is what the kernel gives without it; disabled starts no server here.',
  ),
  TOOLWAY_SANDBOX_ROOTS: setting(
    roots,
    'Folders below which connections may allow paths, separated by commas; {organization} stands for the slug of the organization: /srv/toolway/{organization},/srv/shared. Unset: platform administrators allow any path, administrators of an organization none.',
  ),
  TOOLWAY_SANDBOX_IMAGE: setting(
    z
      .string()
      .regex(/^[\w][\w.:/@-]{0,250}$/, 'it must be the name of an image')
      .optional(),
    'Image of the containers that the drivers docker, podman and kubernetes start. It is on the machine already: docker and podman download none.',
  ),
  TOOLWAY_SANDBOX_RUNTIME: setting(
    z
      .string()
      .regex(/^[\w][\w./-]{0,100}$/, 'it must be the name of a runtime')
      .optional(),
    'Runtime of those containers, such as runsc or kata; for kubernetes the runtime class.',
  ),
  TOOLWAY_SANDBOX_NAMESPACE: setting(
    z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'it must be the name of a namespace')
      .optional(),
    'Namespace in which the driver kubernetes makes Pods; that of the gateway if unsaid.',
  ),
  TOOLWAY_SESSIONS: known(
    ['SAGEMCP_ENABLE_SESSION_MANAGEMENT'],
    setting(
      z.enum(['on', 'off', 'questions'], 'it must be on, off or questions').default('on'),
      'off: no session outlives a request; clients that open one get none, and HTTP+SSE is not served. questions: the same, but a client that can be asked gets a session at an endpoint whose policy file asks for confirmations (preset curatore).',
    ),
  ),
  TOOLWAY_SESSIONS_PER_PRINCIPAL: setting(
    z
      .string()
      .default('10')
      .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 10_000, SESSIONS_PROBLEM)
      .transform(Number),
    'Sessions that one key may have at one endpoint; one more ends the one used longest ago.',
  ),
  TOOLWAY_POOL: known(
    ['SAGEMCP_ENABLE_SERVER_POOL'],
    setting(
      onOff('on'),
      'off: a session with a remote server serves one request, unless it belongs to a session of a client.',
    ),
  ),
  TOOLWAY_METRICS: known(['SAGEMCP_ENABLE_METRICS'], setting(onOff('on'), 'off: there is no /metrics.')),
  TOOLWAY_METRICS_NAMES: setting(
    z.enum(METRIC_NAMES, `it must be one of ${METRIC_NAMES.join(', ')}`).default('toolway'),
    'Names of the metrics: toolway, sagemcp (those that the source system SageMCP had, under its names) or both. SAGEMCP_ENABLE_METRICS=true means both where nothing else is said.',
  ),
  TOOLWAY_METRICS_TOOLS: setting(
    z.enum(['published', 'all'], 'it must be published or all').default('published'),
    'Tools that metrics name: published (those of native connectors, whose names are the product’s own) or all. Whoever may call may read the metrics, so with all the names of tools of one organization are shown to others.',
  ),
  TOOLWAY_LIMIT_ADDRESS: setting(
    perMinute('600'),
    'Requests per minute of one client address, whoever asks; off is no limit.',
  ),
  TOOLWAY_LIMIT_ORGANIZATION: known(
    ['RATE_LIMIT_RPM'],
    setting(
      perMinute('100'),
      'Requests per minute of one organization that has not settled requests_per_minute for itself; off is no limit.',
    ),
  ),
  TOOLWAY_LIMIT_ADMINISTRATION: setting(
    perMinute('1000'),
    'Requests per minute to the admin interface of one organization, the console’s too; off is no limit.',
  ),
  TOOLWAY_LIMIT_KEY: setting(perMinute('off'), 'Requests per minute of one key or account; off is no limit.'),
  TOOLWAY_LIMIT_CONNECTION: setting(
    perMinute('off'),
    'Requests per minute that go to one connection; off is no limit.',
  ),
  TOOLWAY_BODY_LIMIT: setting(bytes(1_048_576, 1_024, 67_108_864), 'Bytes that a request may have.'),
  TOOLWAY_RESULT_LIMIT: setting(
    bytes(262_144, 1_024, 67_108_864),
    'Bytes of text that the result of a tool may have; what is longer is cut, and says so.',
  ),
  TOOLWAY_ARGUMENT_DEPTH: setting(
    wholeNumber(1, 64).default(64),
    'Levels of nesting that the arguments of a call may have.',
  ),
  TOOLWAY_RESULT_FILE_FROM: setting(
    bytes(5_000_000, 1_024, 67_108_864),
    'Bytes of text from which on the whole of a cut result is kept as a file, where files are kept; answers of Composio are passed on whole up to it.',
  ),
  TOOLWAY_STDIO_LINE_LIMIT: setting(
    bytes(8_388_608, 1_024, 50_331_648),
    'Bytes that one line of a stdio server may have; a longer one ends its program.',
  ),
  TOOLWAY_RESULTS_SECONDS: setting(
    wholeNumber(0, 604_800).default(3600),
    'Seconds for which what was cut of a result is kept for its caller; 0 keeps nothing.',
  ),
  TOOLWAY_PAYLOAD_DAYS: setting(
    wholeNumber(0, 365).default(7),
    'Days for which arguments and results of calls are kept with their records, for connections whose administrator wants that; 0 keeps nothing.',
  ),
  TOOLWAY_FILES: setting(
    z.string().regex(FILES_FORM, 'it must be folder:/a/path, s3://bucket, s3://bucket/prefix or off').optional(),
    'Where files that travel by reference are kept: folder:/a/path, s3://bucket/prefix or off; if unsaid, files in the data directory. Their content is encrypted everywhere.',
  ),
  TOOLWAY_FILES_LIMIT: setting(bytes(5_000_000_000, 1_024, 51_539_607_552), 'Bytes that one file may have.'),
  TOOLWAY_FILES_QUOTA: setting(
    bytes(10_000_000_000, 1_024, 1_125_899_906_842_624),
    'Bytes that the files of one organization may have together, where files_quota_bytes is not set for it.',
  ),
  TOOLWAY_FILES_DAYS: setting(
    wholeNumber(1, 30).default(7),
    'Days after which an uploaded file expires where its upload says nothing; files made of results live as long as TOOLWAY_RESULTS_SECONDS says.',
  ),
  TOOLWAY_FILES_S3_ENDPOINT: setting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'Address of the S3-compatible store of TOOLWAY_FILES; if unsaid, that of AWS in AWS_REGION. It may be a private one.',
  ),
  TOOLWAY_FILES_S3_PATH_STYLE: setting(
    onOff('on'),
    'off: the bucket is part of the host name, as AWS prefers it; on: of the path, as most other stores want it.',
  ),
  AWS_REGION: setting(z.string().min(1).default('us-east-1'), 'Region of the bucket of TOOLWAY_FILES.'),
  AWS_ACCESS_KEY_ID: setting(notPlaceholder, 'Access key of the bucket of TOOLWAY_FILES; read for nothing else.'),
  AWS_SECRET_ACCESS_KEY: setting(notPlaceholder, 'Secret to AWS_ACCESS_KEY_ID.', true),
  AWS_SESSION_TOKEN: setting(notPlaceholder, 'Session token to AWS_ACCESS_KEY_ID, where it is a temporary one.', true),
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
  GITHUB_CLIENT_ID: clientId('GitHub', 'github, copilot'),
  GITHUB_CLIENT_SECRET: clientSecret('GITHUB'),
  GITLAB_CLIENT_ID: clientId('GitLab', 'gitlab'),
  GITLAB_CLIENT_SECRET: clientSecret('GITLAB'),
  GOOGLE_CLIENT_ID: clientId('Google', 'gmail, google_docs, google_sheets, google_slides, google_calendar'),
  GOOGLE_CLIENT_SECRET: clientSecret('GOOGLE'),
  NOTION_CLIENT_ID: clientId('Notion', 'notion'),
  NOTION_CLIENT_SECRET: clientSecret('NOTION'),
  ZOOM_CLIENT_ID: clientId('Zoom', 'zoom'),
  ZOOM_CLIENT_SECRET: clientSecret('ZOOM'),
  MICROSOFT_CLIENT_ID: clientId('Microsoft', 'microsoft, teams, outlook, excel, powerpoint'),
  MICROSOFT_CLIENT_SECRET: clientSecret('MICROSOFT'),
  BITBUCKET_CLIENT_ID: clientId('Bitbucket', 'bitbucket'),
  BITBUCKET_CLIENT_SECRET: clientSecret('BITBUCKET'),
  JIRA_CLIENT_ID: clientId('Atlassian', 'jira, confluence'),
  JIRA_CLIENT_SECRET: clientSecret('JIRA'),
  LINEAR_CLIENT_ID: clientId('Linear', 'linear'),
  LINEAR_CLIENT_SECRET: clientSecret('LINEAR'),
  DISCORD_CLIENT_ID: clientId('Discord', 'discord'),
  DISCORD_CLIENT_SECRET: clientSecret('DISCORD'),
  SLACK_CLIENT_ID: clientId('Slack', 'slack'),
  SLACK_CLIENT_SECRET: clientSecret('SLACK'),
  TOOLWAY_CA: setting(
    z
      .string()
      .regex(/-----BEGIN CERTIFICATE-----/, 'it must be certificates as PEM: TOOLWAY_CA_FILE names their file')
      .optional(),
    'Certificate authorities that are trusted besides the usual ones, as PEM; for what the gateway reaches and for the programs that it starts. Usually TOOLWAY_CA_FILE.',
  ),
  TOOLWAY_PROGRAM_PROXY: setting(
    z.url({ protocol: /^https?$/, error: 'it must begin with http:// or https://' }).optional(),
    'HTTP proxy of the programs that the gateway starts (HTTPS_PROXY and HTTP_PROXY). The gateway itself connects directly.',
    true,
  ),
  TOOLWAY_PROGRAM_NO_PROXY: setting(
    z.string().default(''),
    'Names that programs reach without the proxy, separated by commas (NO_PROXY).',
  ),
  TOOLWAY_NPM_REGISTRY: setting(
    z.url({ protocol: /^https?$/, error: 'it must begin with http:// or https://' }).optional(),
    'Package registry of npx and npm in programs that the gateway starts.',
    true,
  ),
  TOOLWAY_PYTHON_INDEX: setting(
    z.url({ protocol: /^https?$/, error: 'it must begin with http:// or https://' }).optional(),
    'Package index of uvx and pip in programs that the gateway starts.',
    true,
  ),
  TOOLWAY_KEYCHAIN: setting(
    onOff('off'),
    'on: a start moves the vault key into the keychain of the operating system, and out of its file.',
  ),
  MCP_ENCRYPTION_KEY: setting(vaultKey.optional(), 'Vault key, 64 hexadecimal digits, given instead of made.', true),
  MCP_ENCRYPTION_KEY_PREVIOUS: setting(
    list.pipe(z.array(vaultKey)),
    'Vault keys that values may still be sealed with, separated by commas.',
    true,
  ),
  JWT_SECRET: known(
    ['SECRET_KEY'],
    setting(
      z
        .string()
        .refine(
          (text) => Buffer.byteLength(text) >= SECRET_LENGTH,
          `it has fewer than ${SECRET_LENGTH} bytes, which is too little to make a vault key of: give it at least ${SECRET_LENGTH} random bytes, or unset it for Toolway`,
        )
        .optional(),
      'At least 32 bytes of which a vault key is made where no MCP_ENCRYPTION_KEY is given; SECRET_KEY is another name for it.',
      true,
    ),
  ),
  ...KEY_SETTINGS,
  TOOLWAY_OUTBOX: setting(
    z.string().min(1).optional(),
    'Directory in which calls are written down until they are on record; if unsaid, outbox in the data directory. Gateways with one database may share one on a common volume: each stores what a killed one left.',
  ),
  TOOLWAY_RECORDS_DAYS: setting(
    wholeNumber(1, 99_999).optional(),
    'Days that records are kept; older ones are removed up to a signed checkpoint. Not set: they are kept for good.',
  ),
  TOOLWAY_CHECKPOINT_MINUTES: setting(
    wholeNumber(1, 1440).default(1),
    'Minutes between two signatures under the records that came meanwhile; a start and an end sign, too.',
  ),
  TOOLWAY_STOP_DELAY: setting(
    wholeNumber(0, 600).optional(),
    'Seconds that a gateway which is told to end still takes requests while /health/ready answers 503, so that balancers notice. If unsaid, 5 where TOOLWAY_TRUSTED_PROXIES or a public TOOLWAY_PUBLIC_URL is set, and 0 elsewhere and in a terminal.',
  ),
  TOOLWAY_DRAIN_SECONDS: setting(
    wholeNumber(0, 3600).default(70),
    'Seconds that calls which are under way may take once no new ones are let in; at least the longest timeout of a connection. Calls that are not answered by then are cut.',
  ),
  DATABASE_URL: setting(
    z
      .url({ protocol: /^postgres(ql)?$/, error: 'it must look like postgres://user:password@host/database' })
      .optional(),
    'PostgreSQL to use instead of the embedded one.',
    true,
  ),
  DATABASE_DIRECT_URL: setting(
    z
      .url({ protocol: /^postgres(ql)?$/, error: 'it must look like postgres://user:password@host/database' })
      .optional(),
    'The same database without the pooler, where DATABASE_URL leads to one in transaction mode (PgBouncer): for migrations, the listener and the look whether the database is there. All other work goes through DATABASE_URL.',
    true,
  ),
  TOOLWAY_DATABASE_CONNECTIONS: setting(
    wholeNumber(2, 500).default(10),
    'Connections to the database that one gateway opens for its work, of the embedded one at most 30; it has up to three more, which listen, look whether the database is there, and count limits where there is no Redis.',
  ),
  TOOLWAY_DATABASE_GRACE_SECONDS: setting(
    wholeNumber(0, 86_400).default(900),
    'Seconds for which keys, tokens and sessions that were good go on working while the database cannot be used; then everything is refused with 503, and /health/ready with it.',
  ),
  REDIS_URL: setting(
    z.url({ protocol: /^rediss?$/, error: 'it must start with redis:// or rediss://' }).optional(),
    'Redis with which several gateways count their limits together; without one they count in the database of DATABASE_URL.',
    true,
  ),
  TOOLWAY_CHANGES: setting(
    z.enum(['postgres', 'redis'], 'it must be postgres or redis').default('postgres'),
    'How gateways hear of changes by others: LISTEN/NOTIFY of PostgreSQL, or a stream in the Redis of REDIS_URL, which suits ten gateways and more.',
  ),
  LOG_LEVEL: setting(
    z.enum(LEVELS, `it must be one of ${LEVELS.join(', ')}`).default('info'),
    'Least severe level that is logged.',
  ),
  TOOLWAY_LOG_FORMAT: setting(
    z.enum(LOG_FORMATS, `it must be one of ${LOG_FORMATS.join(', ')}`).default('toolway'),
    'Fields of the lines of the log, which are JSON in either case: toolway, or sagemcp, which adds tenant_slug, connector_id, request_id and duration_ms to every line as the source system SageMCP names them.',
  ),
  ...TELEMETRY_SETTINGS,
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
export type Config = { readonly [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['shape']> }
export type Origin = 'default' | 'environment' | `file ${string}` | `preset ${PresetName}`

export interface LoadedConfig {
  readonly config: Config
  readonly origins: Readonly<Record<SettingName, Origin>>
  /** PATH and LANG for children: the only other things that are taken from the environment. */
  readonly path: string
  readonly lang: string | undefined
  /** Names that a declaration file may refer to. */
  readonly lookup: (name: string) => string | undefined
}

/** In a checkout beside the code, so that two checkouts do not share state; installed in the person's home. */
function defaultDirectory(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  const root = resolve(here, '../../..')
  const isCheckout = !here.includes('node_modules') && existsSync(join(root, 'package-lock.json'))
  return join(isCheckout ? root : homedir(), '.toolway')
}

const NAMES = Object.keys(SETTINGS) as SettingName[]
const isOurs = (name: string) => name.startsWith('TOOLWAY_')
/** Read by the command line alone, as the key to call with. */
const ELSEWHERE = new Set(['TOOLWAY_KEY', 'TOOLWAY_URL'])

export interface Surroundings {
  readonly surroundings?: NodeJS.ProcessEnv
  /** Whose `.env` counts. */
  readonly folder?: string
  /** On the command line, which counts for more than the environment. */
  readonly said?: NodeJS.ProcessEnv
}

function environmentOf({ surroundings = process.env, folder = process.cwd(), said = {} }: Surroundings) {
  const given = { ...withoutServiceLinks(surroundings), ...said }
  const environment: NodeJS.ProcessEnv = { ...readDotenv(folder), ...given }
  refuseUnknown(environment)
  return { given, environment, surroundings }
}

/** The secret settings that are references, and the settings that lead to the places where these are. */
export function findSettingReferences(where: Surroundings): SettingReferences {
  const { environment, surroundings } = environmentOf(where)
  const texts = NAMES.map((name) => ({ name, text: readSetting(environment, name)[0], secret: SETTINGS[name].secret }))
  return {
    references: texts.flatMap((one) =>
      [...settingReferences(one)].map(([words, reference]) => ({ name: one.name, words, reference })),
    ),
    texts: Object.fromEntries(texts.map(({ name, text }) => [name, text])),
    lookup: (name) => environment[name] ?? surroundings[name],
  }
}

/** The places of secrets, each checked, before the other settings can be. A setting whose reference is not read yet is left out. */
export function placesOf(texts: SettingReferences['texts'], read: ReadSecrets): PlaceSettings {
  const names = [...(Object.keys(KEY_SETTINGS) as (keyof typeof KEY_SETTINGS)[]), 'AWS_REGION' as const]
  const values = names.map((name) => {
    const said = { name, text: texts[name], secret: SETTINGS[name].secret }
    const isRead = [...settingReferences(said).keys()].every((words) => read.has(words))
    return [name, check(name, isRead ? withSecrets(said, read) : undefined, 'environment', name)]
  })
  return Object.fromEntries(values) as PlaceSettings
}

export type PlaceSettings = Pick<Config, keyof typeof KEY_SETTINGS | 'AWS_REGION'>

/** Throws ConfigFault. A reference that is not among `read` is refused: `openConfig` of the command line reads them first. */
export function loadConfig(
  surroundings: NodeJS.ProcessEnv = process.env,
  folder = process.cwd(),
  said: NodeJS.ProcessEnv = {},
  read: ReadSecrets = new Map(),
): LoadedConfig {
  const { given, environment } = environmentOf({ surroundings, folder, said })
  const origins = {} as Record<SettingName, Origin>
  const values: Partial<Record<SettingName, unknown>> = {}
  const preset = check('TOOLWAY_PRESET', ...readSetting(environment, 'TOOLWAY_PRESET')) as PresetName | undefined
  for (const name of NAMES) {
    const found = withPreset(readSetting(environment, name), {
      preset,
      name,
      roles: values['TOOLWAY_ROLES'] as Config['TOOLWAY_ROLES'],
    })
    const [asked, origin, source] = withSeedMetrics(found, name, environment)
    origins[name] = origin === 'environment' && given[source] === undefined ? `file ${DOTENV}` : origin
    const text = withSecrets({ name, text: asked, secret: SETTINGS[name].secret }, read)
    values[name] = check(name, text, origin, source)
  }
  const config = Object.freeze(values) as Config
  refuseOpenDoor(config)
  providerOf(config)
  refuseHalf(config)
  refuseShown(config)
  if (config.TOOLWAY_CHANGES === 'redis' && config.REDIS_URL === undefined)
    throw new ConfigFault('TOOLWAY_CHANGES is redis, which needs a Redis: set REDIS_URL, or leave TOOLWAY_CHANGES out.')
  const problem = telemetryProblem(config) ?? keySettingsProblem(config)
  if (problem !== undefined) throw new ConfigFault(problem)
  if (config.TOOLWAY_PRESET !== 'curatore' && isShortKey(config))
    throw new ConfigFault(`MCP_API_KEY is too short: it must have at least ${KEY_LENGTH} characters.`)
  appsOf(config)
  filePlaceOf(config)
  return {
    config,
    origins,
    path: environment['PATH'] ?? '',
    lang: environment['LANG'],
    lookup: (name) => environment[name] ?? surroundings[name],
  }
}

const KEY_LENGTH = 16

/** A key that can be guessed. The preset curatore accepts one, as its source system did, and warns (ADR 0049). */
export const isShortKey = ({ MCP_API_KEY: key }: Config): boolean => key !== undefined && key.length < KEY_LENGTH

const DOTENV = '.env'

/** A `.env` in the folder of the start says what the environment does not say. */
function readDotenv(folder: string): NodeJS.ProcessEnv {
  try {
    return parseEnv(readFileSync(join(folder, DOTENV), 'utf8'))
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return {}
    throw new ConfigFault(
      `${join(folder, DOTENV)} cannot be read (${codeOf(thrown)}): check its permissions, or remove it.`,
    )
  }
}

/** The value, its origin, and the name under which it was found. */
type Read = [text: string | undefined, origin: Origin, source: string]

interface PresetQuestion {
  readonly preset: PresetName | undefined
  readonly name: SettingName
  /** Undefined while they are not read. */
  readonly roles: readonly ProcessRole[] | undefined
}

function withPreset(read: Read, { preset, name, roles }: PresetQuestion): Read {
  const value = read[0] === undefined ? presetValue(preset, name, roles) : undefined
  return preset === undefined || value === undefined ? read : [value, `preset ${preset}`, name]
}

/** An operator who switches the metrics on by SageMCP's name has a scraper that knows its names. */
function withSeedMetrics(read: Read, name: SettingName, environment: NodeJS.ProcessEnv): Read {
  const isImplied = name === 'TOOLWAY_METRICS_NAMES' && read[0] === undefined
  const seed = isImplied ? readSetting(environment, 'TOOLWAY_METRICS') : undefined
  return seed?.[0] === 'on' && SEED_SWITCH.test(seed[2]) ? ['both', seed[1], seed[2]] : read
}

function readSetting(environment: NodeJS.ProcessEnv, name: SettingName): Read {
  const { also = [] }: Setting = SETTINGS[name]
  const sources = [name, ...also]
    .flatMap((known) => [
      { source: known, inFile: false },
      { source: `${known}_FILE`, inFile: true },
    ])
    .filter(({ source }) => (environment[source] ?? '') !== '' && isMeant(source, environment[source]))
  if (sources.length > 1)
    throw new ConfigFault(`${sources[0]?.source} and ${sources[1]?.source} are both set: keep one of them.`)
  const [{ source, inFile } = { source: name, inFile: false }] = sources
  const said = environment[source]
  if (said === undefined || said === '') return [undefined, 'default', source]
  const [text, origin] = inFile ? readSettingFile(source, said) : [said, 'environment' as const]
  return [SEED_SWITCH.test(source) ? (SEED_WORDS[text.toLowerCase()] ?? text) : text, origin, source]
}

/**
 * Generic names that others use for something else: a shell's HOST is the name of its machine, and build tools have a path in
 * BASE_URL. Such values are ignored.
 */
function isMeant(source: string, said = ''): boolean {
  if (source === 'HOST') return isIP(said) !== 0 || said === 'localhost'
  return source !== 'BASE_URL' || !said.startsWith('/')
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/', 2)
  const most = isIP(address) === 4 ? 32 : 128
  return isIP(address) !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
}

function readSettingFile(source: string, path: string): [string, Origin] {
  try {
    return [readFileSync(path, 'utf8').trim(), `file ${path}`]
  } catch (thrown) {
    throw new ConfigFault(
      `${source} names ${path}, which cannot be read (${codeOf(thrown)}): check the path and its permissions.`,
    )
  }
}

function check(name: SettingName, text: string | undefined, origin: Origin, source: string): unknown {
  const parsed = SETTINGS[name].shape.safeParse(text)
  if (parsed.success) return parsed.data
  const shown = SETTINGS[name].secret ? 'not what it should be' : `"${text}"`
  const problem = parsed.error.issues[0]?.message ?? 'it is not valid'
  const called = source.startsWith(name) ? name : `${source}, which is ${name},`
  throw new ConfigFault(
    `${called} is ${shown} (from ${origin === 'environment' ? 'the environment' : origin}): ${problem}.`,
  )
}

function refuseUnknown(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) {
    const known = NAMES.includes(name.replace(/_FILE$/, '') as SettingName) || ELSEWHERE.has(name)
    if (!isOurs(name) || known) continue
    const near = nearest(name, NAMES)
    const mend = near === undefined ? 'unset it; `toolway config` then lists those there are.' : `did you mean ${near}?`
    throw new ConfigFault(`${name} is not a setting of Toolway: ${mend}`)
  }
}

export interface ProviderSettings {
  readonly issuer: string
  readonly title: string
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  readonly supabase: boolean
}

/** The identity provider; undefined where none is set. Throws ConfigFault where half of one is. */
export function providerOf(config: Config): ProviderSettings | undefined {
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
export function tokenLives(config: Config): { readonly access: number; readonly refresh: number } {
  const [minutes, days] = config.TOOLWAY_TOKEN_PRESET === 'uru' ? [60, 30] : [30, 7]
  return {
    access: (config.TOOLWAY_ACCESS_TOKEN_MINUTES ?? minutes) * 60,
    refresh: (config.TOOLWAY_REFRESH_TOKEN_DAYS ?? days) * 24 * 60 * 60,
  }
}

/** A token that was made for another program of the same issuer is no token for this one. */
function refuseHalf({ TOOLWAY_JWT_ISSUER: issuer, TOOLWAY_JWT_AUDIENCE: audience, ...config }: Config): void {
  if ((issuer === undefined) !== (audience === undefined))
    throw new ConfigFault(
      'TOOLWAY_JWT_ISSUER and TOOLWAY_JWT_AUDIENCE belong together: set both, so that tokens made for other programs are refused.',
    )
  if (config.TOOLWAY_JWT_JWKS_URL !== undefined && issuer === undefined)
    throw new ConfigFault('TOOLWAY_JWT_JWKS_URL needs TOOLWAY_JWT_ISSUER, whose keys are there.')
  if (config.DATABASE_DIRECT_URL !== undefined && config.DATABASE_URL === undefined)
    throw new ConfigFault(
      'DATABASE_DIRECT_URL needs DATABASE_URL, which leads to the pooler in front of the same database.',
    )
}

/** A document that is shown to everybody shows what somebody sees. */
function refuseShown({ TOOLWAY_OPENAPI: shown, MCP_API_KEY: key }: Config): void {
  if (shown === 'public' && key === undefined)
    throw new ConfigFault(
      'TOOLWAY_OPENAPI=public shows the tools of MCP_API_KEY, which is not set: set it, or leave the document to keys.',
    )
}

/** Vendors whose OAuth apps the environment may name: the settings are `<VENDOR>_CLIENT_ID` and `<VENDOR>_CLIENT_SECRET`. */
const APP_VENDORS = [
  'GITHUB',
  'GITLAB',
  'GOOGLE',
  'NOTION',
  'ZOOM',
  'MICROSOFT',
  'BITBUCKET',
  'JIRA',
  'LINEAR',
  'DISCORD',
  'SLACK',
] as const

export interface AppSettings {
  readonly clientId: string
  readonly secret: string
}

/** The OAuth apps that are set, by vendor in small letters. Throws ConfigFault where half of one is. */
export function appsOf(config: Config): ReadonlyMap<string, AppSettings> {
  const apps = new Map<string, AppSettings>()
  for (const vendor of APP_VENDORS) {
    const [named, proof] = [`${vendor}_CLIENT_ID`, `${vendor}_CLIENT_SECRET`] as const
    const [clientId, secret] = [config[named], config[proof]]
    if (clientId !== undefined && secret !== undefined) apps.set(vendor.toLowerCase(), { clientId, secret })
    else if (clientId !== secret) {
      const [there, missing] = clientId === undefined ? [proof, named] : [named, proof]
      throw new ConfigFault(
        `${there} is set without ${missing}: set both, as the vendor gave them, or neither (a placeholder counts as not set).`,
      )
    }
  }
  return apps
}

export type FilePlace =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 's3'
      readonly bucket: string
      readonly prefix: string
      readonly endpoint: string | undefined
      readonly region: string
      readonly pathStyle: boolean
      readonly credentials: {
        readonly accessKeyId: string
        readonly secretAccessKey: string
        readonly sessionToken?: string
      }
    }

/** Where files are kept; undefined: nowhere. Throws ConfigFault where a store has no keys. */
export function filePlaceOf(config: Config): FilePlace | undefined {
  const { TOOLWAY_FILES: said = `folder:${join(resolve(config.TOOLWAY_DATA), 'files')}` } = config
  if (said === 'off' || config.TOOLWAY_STORE === 'none') return undefined
  if (said.startsWith('folder:')) return { kind: 'folder', folder: said.slice('folder:'.length) }
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = config
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new ConfigFault(
      `TOOLWAY_FILES is ${said}, which needs keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as the store gave them.`,
    )
  const { hostname: bucket, pathname } = new URL(said)
  const prefix = pathname.replace(/^\/+|\/+$/g, '')
  const { AWS_SESSION_TOKEN: sessionToken } = config
  return {
    kind: 's3',
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: config.TOOLWAY_FILES_S3_ENDPOINT,
    region: config.AWS_REGION,
    pathStyle: config.TOOLWAY_FILES_S3_PATH_STYLE === 'on',
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  }
}

/** Seconds between the word to end and the closing of the port. */
export function stopDelayOf(config: Config, terminal: boolean): number {
  const { TOOLWAY_STOP_DELAY: said, TOOLWAY_TRUSTED_PROXIES: proxies, TOOLWAY_PUBLIC_URL: url } = config
  if (said !== undefined) return said
  const balanced = proxies.length > 0 || (url !== undefined && !isLoopback(new URL(url).hostname))
  return balanced && !terminal ? BALANCERS_NOTICE : 0
}
/** Several health looks of a balancer. */
const BALANCERS_NOTICE = 5

const LOOPBACK = /^(127(\.\d+){3}|::1|localhost)$/
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

function refuseOpenDoor(config: Config): void {
  const { TOOLWAY_AUTH: auth, TOOLWAY_HOST: host, TOOLWAY_PUBLIC_URL: url, TOOLWAY_ALLOWED_HOSTS: names } = config
  if (auth === 'on') return
  if (!isLoopback(host)) {
    throw new ConfigFault(
      `TOOLWAY_AUTH=off is refused with TOOLWAY_HOST=${host}, because everybody on that network could call your tools: listen on 127.0.0.1 or keep keys on.`,
    )
  }
  // A public name means a proxy or a tunnel in front, and behind it everybody would be the operator.
  const open = [url === undefined ? undefined : new URL(url).hostname.replace(/^\[|\]$/g, ''), ...names].find(
    (name) => name !== undefined && !isLoopback(name.replace(/:\d+$/, '')),
  )
  if (open === undefined) return
  throw new ConfigFault(
    `TOOLWAY_AUTH=off is refused together with the name ${open}, because everybody who reaches that name could call your tools: keep keys on.`,
  )
}

const codeOf = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code ?? 'unknown cause'
