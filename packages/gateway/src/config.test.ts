import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigFault, isLoopback, loadConfig, SETTINGS, type SettingName, providerOf, tokenLives } from './config.ts'
import { PRESET_NAMES, presetOf, presetVariables, type PresetName } from './presets.ts'

const KEY = `uru_${'0123456789abcdef'.repeat(4)}`
/** A folder without a .env. */
const EMPTY = join(tmpdir(), 'toolway-no-such-folder')
const load = (environment: Record<string, string> = {}, folder = EMPTY) => loadConfig(environment, folder)

async function folder(files: Record<string, string>) {
  const path = await mkdtemp(join(tmpdir(), 'toolway-config-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

const complaint = (environment: Record<string, string>, from = EMPTY): string => {
  try {
    load(environment, from)
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigFault)
    return (thrown as Error).message
  }
  throw new Error('it was taken')
}

describe('without any setting', () => {
  test('the gateway listens on loopback with keys on, and everything says that it is a default', () => {
    const { config, origins } = load()
    expect(config).toMatchObject({
      TOOLWAY_PORT: 8787,
      TOOLWAY_HOST: '127.0.0.1',
      TOOLWAY_AUTH: 'on',
      TOOLWAY_DEMO: 'on',
      TOOLWAY_ALLOWED_HOSTS: [],
      TOOLWAY_ALLOWED_ORIGINS: [],
      LOG_LEVEL: 'info',
    })
    for (const name of [
      'TOOLWAY_CONFIG',
      'TOOLWAY_BOOTSTRAP_KEY',
      'TOOLWAY_PUBLIC_URL',
      'DATABASE_URL',
      'REDIS_URL',
    ] as const) {
      expect(config[name]).toBeUndefined()
    }
    expect(isAbsolute(config.TOOLWAY_DATA)).toBe(true)
    expect(new Set(Object.values(origins))).toEqual(new Set(['default']))
    expect(Object.keys(origins)).toEqual(Object.keys(SETTINGS))
  })

  test('an empty value is no value', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']))
    expect(load(empty)).toMatchObject({ config: load().config, origins: load().origins })
  })

  test('what is in force cannot be changed afterwards', () => {
    expect(Object.isFrozen(load().config)).toBe(true)
  })
})

describe('a setting', () => {
  const taken: [name: SettingName, text: string, value: unknown][] = [
    ['TOOLWAY_PORT', '0', 0],
    ['TOOLWAY_PORT', '65535', 65_535],
    ['TOOLWAY_HOST', '::1', '::1'],
    ['TOOLWAY_DATA', '/var/lib/toolway', '/var/lib/toolway'],
    ['TOOLWAY_CONFIG', 'toolway.yaml', 'toolway.yaml'],
    ['TOOLWAY_BOOTSTRAP_KEY', KEY, KEY],
    ['TOOLWAY_PUBLIC_URL', 'https://tools.example.com', 'https://tools.example.com'],
    ['TOOLWAY_ALLOWED_HOSTS', ' a.example.com,, b.example.com:8443 ,', ['a.example.com', 'b.example.com:8443']],
    ['TOOLWAY_ALLOWED_ORIGINS', 'https://a.example.com', ['https://a.example.com']],
    ['TOOLWAY_AUTH', 'off', 'off'],
    ['TOOLWAY_DEMO', 'off', 'off'],
    ['TOOLWAY_TRUSTED_PROXIES', '10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['TOOLWAY_LIMIT_ADDRESS', 'off', 0],
    ['TOOLWAY_LIMIT_ORGANIZATION', '1000000', 1_000_000],
    ['TOOLWAY_CALLS_IN_FLIGHT', '50', 50],
    ['TOOLWAY_CALLS_WAIT_MS', '500', 500],
    ['TOOLWAY_CALLS_BYTES', '4096', 4_096],
    ['TOOLWAY_BODY_LIMIT', '2048', 2_048],
    ['DATABASE_URL', 'postgresql://u:p@db:5432/x', 'postgresql://u:p@db:5432/x'],
    ['REDIS_URL', 'rediss://r:6379', 'rediss://r:6379'],
    ['LOG_LEVEL', 'silent', 'silent'],
  ]
  test.each(taken)('%s may be %s', (name, text, value) => {
    const { config, origins } = load({ [name]: text })
    expect(config[name]).toEqual(value)
    expect(origins[name]).toBe('environment')
  })

  const refused: [name: SettingName, text: string][] = [
    ['TOOLWAY_PORT', 'http'],
    ['TOOLWAY_PORT', '-1'],
    ['TOOLWAY_PORT', '65536'],
    ['TOOLWAY_PORT', '80.5'],
    ['TOOLWAY_PORT', '0x50'],
    ['TOOLWAY_PORT', '1e3'],
    ['TOOLWAY_PORT', ' '],
    ['TOOLWAY_PUBLIC_URL', 'tools.example.com'],
    ['TOOLWAY_PUBLIC_URL', 'ftp://tools.example.com'],
    ['TOOLWAY_AUTH', 'false'],
    ['TOOLWAY_AUTH', 'OFF'],
    ['TOOLWAY_DEMO', '0'],
    ['TOOLWAY_TRUSTED_PROXIES', 'proxy.example.com'],
    ['TOOLWAY_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TOOLWAY_LIMIT_ORGANIZATION', '0'],
    ['TOOLWAY_LIMIT_ORGANIZATION', '1000001'],
    ['TOOLWAY_LIMIT_KEY', 'no'],
    ['TOOLWAY_BODY_LIMIT', '1 MiB'],
    ['TOOLWAY_CHILD_MEMORY', '63'],
    ['TOOLWAY_CHILD_MEMORY', '2 GiB'],
    ['LOG_LEVEL', 'verbose'],
  ]
  test.each(refused)('%s may not be %j, and the complaint names both', (name, text) => {
    const said = complaint({ [name]: text })
    expect(said).toContain(name)
    expect(said).toContain(`"${text}"`)
    expect(said).toMatch(/^[^\n]+\.$/)
  })

  const secret: [name: SettingName, text: string][] = [
    ['TOOLWAY_BOOTSTRAP_KEY', 'uru_hunter2'],
    ['TOOLWAY_BOOTSTRAP_KEY', `${KEY.toUpperCase()}hunter2`],
    ['DATABASE_URL', 'mysql://root:hunter2@db/x'],
    ['DATABASE_URL', 'hunter2'],
    ['REDIS_URL', 'http://:hunter2@redis'],
  ]
  test.each(secret)('%s is never repeated where it does not fit', (name, text) => {
    const said = complaint({ [name]: text })
    expect(said).toContain(name)
    expect(said).not.toContain('hunter2')
  })
})

describe('a setting that has another name', () => {
  test('may be given under it, in the environment, a file of its own or a .env', async () => {
    const text = 'https://a.example.com,https://b.example.com'
    const value = ['https://a.example.com', 'https://b.example.com']
    await using at = await folder({ value: text, '.env': `MCP_ALLOWED_ORIGINS=${text}` })
    const origins = 'TOOLWAY_ALLOWED_ORIGINS'
    const path = join(at.path, 'value')
    for (const [loaded, origin] of [
      [load({ MCP_ALLOWED_ORIGINS: text }), 'environment'],
      [load({ MCP_ALLOWED_ORIGINS_FILE: path }), `file ${path}`],
      [load({}, at.path), 'file .env'],
    ] as const) {
      expect(loaded.config[origins]).toEqual(value)
      expect(loaded.origins[origins]).toBe(origin)
    }
  })

  test('is refused under both: nobody can know which was meant', () => {
    const said = complaint({ MCP_ALLOWED_ORIGINS: 'https://a.example', TOOLWAY_ALLOWED_ORIGINS: 'https://b.example' })
    expect(said).toBe('TOOLWAY_ALLOWED_ORIGINS and MCP_ALLOWED_ORIGINS are both set: keep one of them.')
    expect(load({ MCP_ALLOWED_ORIGINS: '', TOOLWAY_ALLOWED_ORIGINS: 'https://b.example' }).config).toMatchObject({
      TOOLWAY_ALLOWED_ORIGINS: ['https://b.example'],
    })
  })
})

describe('U-25: the names that the source systems have for a setting', () => {
  test.each([
    ['PORT', '9000', 'TOOLWAY_PORT', 9_000],
    ['HOST', '0.0.0.0', 'TOOLWAY_HOST', '0.0.0.0'],
    ['PUBLIC_URL', 'https://a.example', 'TOOLWAY_PUBLIC_URL', 'https://a.example'],
    ['BASE_URL', 'https://a.example', 'TOOLWAY_PUBLIC_URL', 'https://a.example'],
    ['CORS_ALLOWED_ORIGINS', 'https://a.example', 'TOOLWAY_ALLOWED_ORIGINS', ['https://a.example']],
    ['RATE_LIMIT_RPM', '250', 'TOOLWAY_LIMIT_ORGANIZATION', 250],
    ['SAGEMCP_BOOTSTRAP_ADMIN_KEY', KEY, 'TOOLWAY_BOOTSTRAP_KEY', KEY],
    ['SAGEMCP_ENABLE_AUTH', 'False', 'TOOLWAY_AUTH', 'off'],
    ['SAGEMCP_ENABLE_METRICS', '0', 'TOOLWAY_METRICS', 'off'],
    ['SAGEMCP_ENABLE_SERVER_POOL', 'true', 'TOOLWAY_POOL', 'on'],
    ['SAGEMCP_ENABLE_SESSION_MANAGEMENT', 'off', 'TOOLWAY_SESSIONS', 'off'],
  ] as const)('%s=%s is read', (also, text, name, value) => {
    expect(load({ [also]: text }).config[name]).toEqual(value)
  })

  test.each([
    ['HOST', 'my-laptop', 'TOOLWAY_HOST', '127.0.0.1'],
    ['BASE_URL', '/', 'TOOLWAY_PUBLIC_URL', undefined],
  ] as const)('%s=%s is of somebody else, and left alone', (also, text, name, value) => {
    expect(load({ [also]: text }).config[name]).toBe(value)
  })

  test('every setting that is given under two of its names ends the start, which names both', () => {
    let pairs = 0
    for (const [name, setting] of Object.entries(SETTINGS)) {
      const names = [name, ...('also' in setting ? setting.also : [])]
      for (const [at, one] of names.entries()) {
        for (const other of names.slice(at + 1)) {
          const said = complaint({ [one]: '127.0.0.1', [other]: '127.0.0.1' })
          expect(said).toBe(`${one} and ${other} are both set: keep one of them.`)
          pairs++
        }
      }
    }
    expect(pairs).toBeGreaterThanOrEqual(14)
  })

  /** Every variable that the texts of the source systems name, and where it is read. */
  const SETTING_OF: Readonly<Record<string, SettingName>> = {
    ...{ MCP_API_KEY: 'MCP_API_KEY', SERVICE_API_KEY: 'MCP_API_KEY', DEFAULT_ORG_ID: 'DEFAULT_ORG_ID' },
    ...{ CURATORE_BACKEND_URL: 'CURATORE_BACKEND_URL', BACKEND_URL: 'CURATORE_BACKEND_URL', REDIS_URL: 'REDIS_URL' },
    ...{ MCP_ENCRYPTION_KEY: 'MCP_ENCRYPTION_KEY', JWT_SECRET: 'JWT_SECRET', SECRET_KEY: 'JWT_SECRET' },
    ...{ SAGEMCP_ENABLE_AUTH: 'TOOLWAY_AUTH', SAGEMCP_ENABLE_METRICS: 'TOOLWAY_METRICS' },
    ...{ SAGEMCP_ENABLE_SERVER_POOL: 'TOOLWAY_POOL', SAGEMCP_ENABLE_SESSION_MANAGEMENT: 'TOOLWAY_SESSIONS' },
    ...{ SAGEMCP_BOOTSTRAP_ADMIN_KEY: 'TOOLWAY_BOOTSTRAP_KEY', MCP_ALLOWED_ORIGINS: 'TOOLWAY_ALLOWED_ORIGINS' },
    ...{ LOGFIRE_TOKEN: 'LOGFIRE_TOKEN' },
  }
  const OF_PRESETS: Readonly<Record<string, PresetName>> = {
    ...{ COMPOSIO_API_KEY: 'agent', DEFAULT_USER_ID: 'agent', Z_AI_API_KEY: 'agent', Z_AI_MODE: 'agent' },
    ...{ CURATORE_BACKEND_URL: 'curatore', BACKEND_URL: 'curatore', DEFAULT_ORG_ID: 'curatore' },
  }
  const OF_URU_MCP = ['URU_API_KEY', 'URU_PROXY_URL', 'URU_DEBUG', 'URU_TOOL_SYNC_POLL_MS', 'URU_MAX_TOOLS_PER_PAGE']
  const repository = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

  test('are all read, and documented', () => {
    const reference = repository('docs/reference/config.md')
    for (const [name, setting] of Object.entries(SETTING_OF)) {
      const { also = [] } = SETTINGS[setting] as { also?: readonly string[] }
      expect([setting, ...also], name).toContain(name)
      expect(reference, name).toContain(`\`${name}\``)
    }
    for (const [name, preset] of Object.entries(OF_PRESETS)) {
      const names = presetVariables(preset).flatMap((one) => [one.name, ...(one.also ?? [])])
      expect(names, name).toContain(name)
      expect(repository(`docs/guides/${preset}.md`), name).toContain(`\`${name}\``)
    }
    const settings = repository('packages/uru-mcp/src/settings.ts')
    const readme = repository('packages/uru-mcp/README.md')
    for (const name of OF_URU_MCP) for (const text of [settings, readme]) expect(text, name).toContain(name)
  })

  test('of a preset end the start where one is given under two names, which it names', () => {
    for (const preset of PRESET_NAMES)
      for (const { name, also = [] } of presetVariables(preset))
        for (const other of also) {
          const given = (asked: string) => (asked === name || asked === other ? 'http://127.0.0.1:1' : undefined)
          expect(() => presetOf(preset).organization(given)).toThrow(
            `${name} and ${other} are both set: keep one of them.`,
          )
        }
  })

  test('a value that does not fit is complained of under the name that was used', () => {
    expect(complaint({ PORT: 'http' })).toMatch(/^PORT, which is TOOLWAY_PORT, is "http" \(from the environment\)/)
    expect(complaint({ SAGEMCP_ENABLE_METRICS: 'perhaps' })).toContain('SAGEMCP_ENABLE_METRICS')
  })

  test('HOST is not read where a shell keeps the name of its machine', () => {
    expect(load({ HOST: 'my-laptop' }).config.TOOLWAY_HOST).toBe('127.0.0.1')
    expect(load({ HOST: 'my-laptop', TOOLWAY_HOST: '::1' }).config.TOOLWAY_HOST).toBe('::1')
  })

  test('their words for a switch are not words of ours', () => {
    expect(complaint({ TOOLWAY_METRICS: 'true' })).toContain('it must be on or off')
  })
})

describe('an identity provider', () => {
  test('is the one that is named, or the project of Supabase', () => {
    const named = load({ TOOLWAY_OIDC_ISSUER: 'https://id.example/', TOOLWAY_OIDC_CLIENT_ID: 'toolway' }).config
    expect(providerOf(named)).toMatchObject({ issuer: 'https://id.example/', title: 'id.example', supabase: false })
    const project = load({ TOOLWAY_OIDC_PRESET: 'supabase', SUPABASE_URL: 'https://x.supabase.co/' }).config
    expect(providerOf(project)).toMatchObject({ issuer: 'https://x.supabase.co/auth/v1', supabase: true })
    expect(providerOf(load({}).config)).toBeUndefined()
  })

  test.each([
    [{ TOOLWAY_OIDC_ISSUER: 'https://id.example' }, 'needs TOOLWAY_OIDC_CLIENT_ID'],
    [{ TOOLWAY_OIDC_CLIENT_ID: 'x' }, 'without TOOLWAY_OIDC_ISSUER'],
    [{ TOOLWAY_OIDC_PRESET: 'supabase' }, 'needs SUPABASE_URL'],
    [{ TOOLWAY_OIDC_ISSUER: 'http://id.example', TOOLWAY_OIDC_CLIENT_ID: 'x' }, 'plain http'],
    [{ TOOLWAY_ASSERTION: 'cloudflare' }, 'needs TOOLWAY_ASSERTION_ISSUER and TOOLWAY_ASSERTION_AUDIENCE'],
    [{ TOOLWAY_ASSERTION_AUDIENCE: 'x' }, 'without TOOLWAY_ASSERTION'],
    [
      { TOOLWAY_ASSERTION: 'jwt', TOOLWAY_ASSERTION_ISSUER: 'http://id.example', TOOLWAY_ASSERTION_AUDIENCE: 'x' },
      'plain http',
    ],
    [
      { TOOLWAY_ASSERTION: 'alb', TOOLWAY_ASSERTION_ISSUER: 'https://id.example', TOOLWAY_ASSERTION_AUDIENCE: 'x' },
      'ARN of the load balancer',
    ],
  ])('is refused where it is half, or unsafe: %j', (settings, problem) => {
    expect(complaint(settings)).toContain(problem)
  })
})

describe('tokens', () => {
  test.each([
    [{}, 1_800, 604_800],
    [{ TOOLWAY_TOKEN_PRESET: 'uru' }, 3_600, 2_592_000],
    [{ TOOLWAY_TOKEN_PRESET: 'uru', ACCESS_TOKEN_EXPIRE_MINUTES: '10' }, 600, 2_592_000],
    [{ REFRESH_TOKEN_EXPIRE_DAYS: '1' }, 1_800, 86_400],
  ])('live as long as %j says', (settings, access, refresh) => {
    expect(tokenLives(load(settings).config)).toEqual({ access, refresh })
  })
})

const ISSUER = {
  TOOLWAY_JWT_ISSUER: 'https://issuer.example',
  TOOLWAY_JWT_AUDIENCE: 'toolway',
}

describe('callers from elsewhere', () => {
  test('S1-ORG-02: MCP_API_KEY and DEFAULT_ORG_ID are read; a key that is short is refused, and none is no key at all', () => {
    const key = 'a text of sixteen'
    expect(load({ MCP_API_KEY: key, DEFAULT_ORG_ID: 'acme' }).config).toMatchObject({
      MCP_API_KEY: key,
      MCP_API_KEY_LIMIT: 'read',
      DEFAULT_ORG_ID: 'acme',
    })
    const said = complaint({ MCP_API_KEY: 'fifteen letters' })
    expect(said).toContain('at least 16 characters')
    expect(said).not.toContain('fifteen letters')
    // The preset takes the settings of its source system as they are, and warns.
    expect(load({ TOOLWAY_PRESET: 'curatore', MCP_API_KEY: 'abc123' }).config.MCP_API_KEY).toBe('abc123')
    for (const none of [{}, { MCP_API_KEY: '' }])
      expect(load(none).config).toMatchObject({ MCP_API_KEY: undefined, TOOLWAY_AUTH: 'on' })
    expect(load({ SERVICE_API_KEY: key }).config.MCP_API_KEY).toBe(key)
    expect(complaint({ SERVICE_API_KEY: key, MCP_API_KEY: key })).toContain('are both set')
  })

  test('are of an issuer only together with an audience: tokens for other programs are none for this one', () => {
    for (const name of Object.keys(ISSUER) as (keyof typeof ISSUER)[])
      expect(complaint({ [name]: ISSUER[name] })).toContain('belong together')
    expect(complaint({ TOOLWAY_JWT_JWKS_URL: 'https://issuer.example/keys' })).toContain('needs TOOLWAY_JWT_ISSUER')
    expect(load(ISSUER).config).toMatchObject({ ...ISSUER, TOOLWAY_JWT_ORGANIZATION_CLAIM: 'org_id' })
  })
})

/** A value of each setting of telemetry that a name alone is none of. */
const TELEMETRY: Record<string, string> = {
  OTEL_SDK_DISABLED: 'true',
  OTEL_RESOURCE_ATTRIBUTES: 'a=b',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector/traces',
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector/metrics',
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://collector/logs',
  OTEL_EXPORTER_OTLP_HEADERS: 'a=b',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=b',
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'a=b',
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'a=b',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
  OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  OTEL_TRACES_EXPORTER: 'none',
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
  OTEL_TRACES_SAMPLER: 'traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.25',
  OTEL_BSP_SCHEDULE_DELAY: '1000',
  OTEL_BSP_EXPORT_TIMEOUT: '1000',
  OTEL_BSP_MAX_QUEUE_SIZE: '100',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
  OTEL_BLRP_SCHEDULE_DELAY: '2000',
  OTEL_BLRP_EXPORT_TIMEOUT: '1000',
  OTEL_BLRP_MAX_QUEUE_SIZE: '100',
  OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: '10',
  OTEL_METRIC_EXPORT_INTERVAL: '1000',
  OTEL_METRIC_EXPORT_TIMEOUT: '1000',
  TOOLWAY_TRACE_CONTENT: 'on',
  LOGFIRE_TOKEN: 'pylf_v1_us_abcdefgh',
  LOGFIRE_BASE_URL: 'https://logfire.example',
  TOOLWAY_TRACE_URL: 'https://traces.example/{trace_id}',
  TOOLWAY_KEY_SERVICE: 'aws-kms:alias/toolway',
  TOOLWAY_KEY_SERVICE_ENDPOINT: 'https://kms.example',
  TOOLWAY_SECRET_FOLDER: '/run/secrets/{organization}',
  TOOLWAY_SECRET_VARIABLES: 'SECRET_{organization}__',
  TOOLWAY_SECRET_VAULT: 'https://bao.example:8200/secret/toolway/{organization}',
  TOOLWAY_SECRET_AWS: 'toolway/{organization}/',
  TOOLWAY_SECRET_GCP: 'projects/p/secrets/toolway-{organization}_',
  TOOLWAY_SECRET_ENDPOINT: 'https://secrets.example',
}

describe('a setting in a file of its own', () => {
  test.each(Object.keys(SETTINGS) as SettingName[])('%s_FILE names it', async (name) => {
    const values: Partial<Record<SettingName, string>> = {
      TOOLWAY_PRESET: 'curatore',
      TOOLWAY_STORE: 'none',
      MCP_API_KEY_TRUSTED: 'on',
      MCP_ADMIN_API_KEY: 'another sixteen characters',
      CURATORE_BACKEND_URL: 'http://backend:8000',
      BACKEND_TIMEOUT: '12',
      TOOLWAY_OPENAPI: 'public',
      TOOLWAY_PORT: '1',
      TOOLWAY_BOOTSTRAP_KEY: KEY,
      TOOLWAY_PUBLIC_URL: 'https://x.example',
      TOOLWAY_AUTH: 'off',
      TOOLWAY_DEMO: 'off',
      TOOLWAY_STOP_DELAY: '5',
      TOOLWAY_DRAIN_SECONDS: '60',
      TOOLWAY_DATABASE_CONNECTIONS: '12',
      TOOLWAY_DATABASE_GRACE_SECONDS: '900',
      TOOLWAY_CHILD_MEMORY: '512',
      TOOLWAY_CHILD_DISK: '512',
      TOOLWAY_CHILD_PROCESSES: '64',
      TOOLWAY_SANDBOX: 'off',
      TOOLWAY_SANDBOX_DRIVER: 'process',
      TOOLWAY_SANDBOX_ROOTS: '/srv/toolway/{organization},/srv/shared',
      TOOLWAY_CA: '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----',
      TOOLWAY_PROGRAM_PROXY: 'http://proxy.example:3128',
      TOOLWAY_NPM_REGISTRY: 'https://npm.example/',
      TOOLWAY_PYTHON_INDEX: 'https://python.example/simple',
      TOOLWAY_SESSIONS: 'off',
      TOOLWAY_SESSIONS_PER_PRINCIPAL: '3',
      TOOLWAY_SESSIONS_PER_ORGANIZATION: '30',
      TOOLWAY_SESSIONS_PER_GATEWAY: '300',
      TOOLWAY_TRUSTED_PROXIES: '10.0.0.0/8',
      TOOLWAY_POOL: 'off',
      TOOLWAY_METRICS: 'off',
      TOOLWAY_METRICS_NAMES: 'both',
      TOOLWAY_METRICS_TOOLS: 'all',
      TOOLWAY_LIMIT_ADDRESS: '1',
      TOOLWAY_LIMIT_ORGANIZATION: 'off',
      TOOLWAY_LIMIT_ADMINISTRATION: '500',
      TOOLWAY_LIMIT_KEY: '3',
      TOOLWAY_LIMIT_CONNECTION: '4',
      TOOLWAY_CALLS_PER_CONNECTION: '16',
      TOOLWAY_CALLS_IN_FLIGHT: '7',
      TOOLWAY_CALLS_WAITING: '7',
      TOOLWAY_CALLS_WAIT_MS: '70',
      TOOLWAY_CALLS_BYTES: '4096',
      TOOLWAY_AGENT_RUNS: '2',
      TOOLWAY_AGENT_RUNS_PER_ORGANIZATION: '1',
      TOOLWAY_AGENT_RUNS_IN_ALL: '3',
      TOOLWAY_AGENT_QUEUE: '0',
      TOOLWAY_ARGUMENT_MEMBERS: '100',
      TOOLWAY_TRACE_BAGGAGE: 'on',
      TOOLWAY_SANDBOX_NETWORK_POLICY: 'enforced',
      TOOLWAY_JWT_EMAIL_PROOF: 'issuer',
      TOOLWAY_BODY_LIMIT: '2048',
      TOOLWAY_RESULT_LIMIT: '2048',
      TOOLWAY_ARGUMENT_DEPTH: '8',
      TOOLWAY_RESULT_FILE_FROM: '2048',
      TOOLWAY_STDIO_LINE_LIMIT: '2048',
      TOOLWAY_RESULTS_SECONDS: '60',
      TOOLWAY_PAYLOAD_DAYS: '3',
      TOOLWAY_FILES: 'folder:/files',
      TOOLWAY_FILES_LIMIT: '2048',
      TOOLWAY_FILES_QUOTA: '4096',
      TOOLWAY_FILES_DAYS: '3',
      TOOLWAY_FILES_S3_ENDPOINT: 'https://s3.example',
      TOOLWAY_FILES_S3_PATH_STYLE: 'off',
      TOOLWAY_TOKEN_PRESET: 'uru',
      TOOLWAY_ACCESS_TOKEN_MINUTES: '5',
      TOOLWAY_REFRESH_TOKEN_DAYS: '3',
      TOOLWAY_LOOPBACK_CLIENTS: 'on',
      TOOLWAY_PASSWORD_LENGTH: '15',
      TOOLWAY_SECOND_FACTOR: 'required',
      TOOLWAY_PROOF_MINUTES: '5',
      TOOLWAY_OIDC_ISSUER: 'https://id.example',
      TOOLWAY_OIDC_PRESET: 'supabase',
      TOOLWAY_OIDC_NEW: 'viewer',
      SUPABASE_URL: 'https://x.supabase.co',
      TOOLWAY_ASSERTION: 'cloudflare',
      TOOLWAY_ASSERTION_ISSUER: 'https://acme.cloudflareaccess.com',
      TOOLWAY_ASSERTION_KEYS_URL: 'https://acme.cloudflareaccess.com/certs',
      MCP_API_KEY: 'sixteen characters',
      MCP_API_KEY_LIMIT: 'write',
      TOOLWAY_JWT_ISSUER: 'https://issuer.example',
      TOOLWAY_JWT_AUDIENCE: 'toolway',
      TOOLWAY_JWT_JWKS_URL: 'https://issuer.example/keys',
      TOOLWAY_IDENTITY_URL: 'https://backend.example/me',
      TOOLWAY_KEYCHAIN: 'on',
      MCP_ENCRYPTION_KEY: 'ab'.repeat(32),
      MCP_ENCRYPTION_KEY_PREVIOUS: `${'ab'.repeat(32)},${'CD'.repeat(32)}`,
      JWT_SECRET: 'a secret of at least thirty-two bytes',
      TOOLWAY_RECORDS_DAYS: '90',
      TOOLWAY_CHECKPOINT_MINUTES: '5',
      DATABASE_URL: 'postgres://db/x',
      DATABASE_DIRECT_URL: 'postgres://db/x',
      REDIS_URL: 'redis://r',
      TOOLWAY_CHANGES: 'postgres',
      LOG_LEVEL: 'warn',
      TOOLWAY_LOG_FORMAT: 'sagemcp',
      ...TELEMETRY,
      TOOLWAY_APPROVALS: 'ask-writes',
      TOOLWAY_ROLES: 'api,web',
      TOOLWAY_PROCESSES: '3',
    }
    // Half of a provider is refused.
    const companions: Partial<Record<SettingName, Record<string, string>>> = {
      DATABASE_DIRECT_URL: { DATABASE_URL: 'postgres://pooler/x' },
      TOOLWAY_OIDC_ISSUER: { TOOLWAY_OIDC_CLIENT_ID: 'toolway' },
      TOOLWAY_OIDC_CLIENT_ID: { TOOLWAY_OIDC_ISSUER: 'https://id.example' },
      TOOLWAY_OIDC_PRESET: { SUPABASE_URL: 'https://x.supabase.co' },
      TOOLWAY_ASSERTION: { TOOLWAY_ASSERTION_ISSUER: 'https://front.example', TOOLWAY_ASSERTION_AUDIENCE: 'a' },
      TOOLWAY_ASSERTION_AUDIENCE: { TOOLWAY_ASSERTION: 'iap' },
      TOOLWAY_OPENAPI: { MCP_API_KEY: 'sixteen characters' },
      VAULT_ROLE_ID: { VAULT_SECRET_ID: 'of the role' },
      VAULT_SECRET_ID: { VAULT_ROLE_ID: 'role' },
      TOOLWAY_SECRET_VAULT: { VAULT_TOKEN: 'hvs.token' },
    }
    const [half] = /(?<=_CLIENT_)(?:ID|SECRET)$/.exec(name) ?? []
    const other =
      half === undefined || name.startsWith('TOOLWAY_')
        ? undefined
        : name.replace(half, half === 'ID' ? 'SECRET' : 'ID')
    const more = companions[name] ?? (other === undefined ? {} : { [other]: 'Iv1.9f3c' })
    const text = values[name] ?? 'localhost'
    await using at = await folder({ value: `  ${text}\n` })
    const path = join(at.path, 'value')
    // Some mean something only beside another.
    const beside = Object.fromEntries(
      Object.entries(name.startsWith('TOOLWAY_JWT_') ? ISSUER : {}).filter(([other]) => other !== name),
    )
    const { config, origins } = load({ ...more, ...beside, [`${name}_FILE`]: path })
    expect(config[name]).toEqual(load({ ...more, ...beside, [name]: text }).config[name])
    expect(origins[name]).toBe(`file ${path}`)
  })

  test('that is not there is a complaint with setting, path and cause', () => {
    const path = join(EMPTY, 'key')
    expect(complaint({ TOOLWAY_BOOTSTRAP_KEY_FILE: path })).toMatch(
      /^TOOLWAY_BOOTSTRAP_KEY_FILE .*key.*\(ENOENT\).*\.$/,
    )
  })

  test('that is empty is no port 0 and no database', async () => {
    await using at = await folder({ empty: '\n' })
    for (const name of ['TOOLWAY_PORT', 'DATABASE_URL', 'TOOLWAY_BOOTSTRAP_KEY']) {
      expect(complaint({ [`${name}_FILE`]: join(at.path, 'empty') })).toContain(name)
    }
  })

  test('is refused beside the setting itself: nobody can know which was meant', async () => {
    await using at = await folder({ port: '9000' })
    const said = complaint({ TOOLWAY_PORT: '9001', TOOLWAY_PORT_FILE: join(at.path, 'port') })
    expect(said).toContain('TOOLWAY_PORT and TOOLWAY_PORT_FILE')
  })

  test('is not repeated where it is a secret that does not fit', async () => {
    await using at = await folder({ key: 'uru_hunter2' })
    expect(complaint({ TOOLWAY_BOOTSTRAP_KEY_FILE: join(at.path, 'key') })).not.toContain('hunter2')
  })
})

describe('a .env in the folder of the start', () => {
  test('says what the environment does not say', async () => {
    await using at = await folder({ '.env': 'TOOLWAY_PORT=9000\nTOOLWAY_HOST="localhost"\n# TOOLWAY_DEMO=off\n' })
    const { config, origins } = load({ TOOLWAY_HOST: '127.0.0.1' }, at.path)
    expect(config).toMatchObject({ TOOLWAY_PORT: 9000, TOOLWAY_HOST: '127.0.0.1', TOOLWAY_DEMO: 'on' })
    expect(origins).toMatchObject({ TOOLWAY_PORT: 'file .env', TOOLWAY_HOST: 'environment', TOOLWAY_DEMO: 'default' })
  })

  test('is held to the same rules', async () => {
    await using at = await folder({ '.env': 'TOOLWAY_PROT=9000\n' })
    expect(complaint({}, at.path)).toContain('TOOLWAY_PROT')
  })

  test('that cannot be read is not passed over', async () => {
    await using at = await folder({})
    const { mkdir } = await import('node:fs/promises')
    await mkdir(join(at.path, '.env'))
    expect(complaint({}, at.path)).toContain('EISDIR')
  })
})

describe('a name that is not known', () => {
  test.each([
    ['TOOLWAY_PROT', 'TOOLWAY_PORT'],
    ['TOOLWAY_BOOTSTRAPKEY', 'TOOLWAY_BOOTSTRAP_KEY'],
    ['TOOLWAY_HOSTS_FILE', 'TOOLWAY_HOST'],
    ['TOOLWAY_DATA_DIR', 'TOOLWAY_DATA'],
  ])('%s is refused; %s may have been meant', (name, meant) => {
    const said = complaint({ [name]: 'uru_hunter2' })
    expect(said).toContain(`${name} is not a setting`)
    expect(said).toMatch(new RegExp(`${meant}(?!_FILE)`))
    expect(said).not.toContain('hunter2')
  })

  test('is refused without a guess where nothing is near, and let be where it is not ours', () => {
    expect(complaint({ TOOLWAY_XYZZY_FROBNICATE: '1' })).not.toContain('did you mean')
    expect(
      load({ PATH: '/bin', HOME: '/root', PGPASSWORD: 'x', toolway_port: '1', MY_TOOLWAY_PORT: '1' }).config
        .TOOLWAY_PORT,
    ).toBe(8787)
  })

  test.each(['TOOLWAY_KEY', 'TOOLWAY_URL'])('%s belongs to the command line and is let be', (name) => {
    expect(load({ [name]: 'x' }).config.TOOLWAY_PORT).toBe(8787)
  })
})

describe('variables that Kubernetes sets for a Service', () => {
  const OF_A_SERVICE = {
    TOOLWAY_SERVICE_HOST: '10.96.0.12',
    TOOLWAY_SERVICE_PORT: '8787',
    TOOLWAY_SERVICE_PORT_HTTP: '8787',
    TOOLWAY_PORT: 'tcp://10.96.0.12:8787',
    TOOLWAY_PORT_8787_TCP: 'tcp://10.96.0.12:8787',
    TOOLWAY_PORT_8787_TCP_PROTO: 'tcp',
    TOOLWAY_PORT_8787_TCP_PORT: '8787',
    TOOLWAY_PORT_8787_TCP_ADDR: '10.96.0.12',
    TOOLWAY_ADMIN_SERVICE_HOST: 'fd00::12',
    TOOLWAY_ADMIN_PORT: 'tcp://[fd00::12]:80',
    TOOLWAY_ADMIN_PORT_53_UDP: 'udp://[fd00::12]:53',
  }

  test('are no settings, whatever the Service of ours is named', async () => {
    const { config, origins, lookup } = load(OF_A_SERVICE)
    expect(config.TOOLWAY_PORT).toBe(8787)
    expect(origins.TOOLWAY_PORT).toBe('default')
    expect(lookup('TOOLWAY_SERVICE_HOST')).toBe('10.96.0.12')
    // A value given elsewhere takes precedence.
    expect(load({ ...OF_A_SERVICE, PORT: '9000' }).config.TOOLWAY_PORT).toBe(9000)
    await using at = await folder({ '.env': 'TOOLWAY_PORT=9100\n' })
    expect(load(OF_A_SERVICE, at.path).config.TOOLWAY_PORT).toBe(9100)
  })

  test.each([
    ['TOOLWAY_PORT', 'tcp'],
    ['TOOLWAY_PORT', 'http://10.96.0.12:8787'],
    ['TOOLWAY_SERVICE_HOST', 'tools.example.com'],
    ['TOOLWAY_SERVICE_PORT', 'on'],
    ['TOOLWAY_PORT_8787_TCP_ADDR', 'here'],
  ])('%s=%s has not their form and is refused', (name, value) => {
    expect(complaint({ [name]: value })).toContain(name)
  })
})

describe('a door without keys', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('may be open on %s', (host) => {
    expect(isLoopback(host)).toBe(true)
    expect(load({ TOOLWAY_AUTH: 'off', TOOLWAY_HOST: host }).config.TOOLWAY_AUTH).toBe('off')
  })

  test.each([
    '0.0.0.0',
    '::',
    '192.168.1.5',
    'example.com',
    '127.0.0.1.example.com',
    'localhost.example.com',
    '128.0.0.1',
    '127.0.0',
    ' localhost',
  ])('may not be open on %s', (host) => {
    expect(isLoopback(host)).toBe(false)
    const said = complaint({ TOOLWAY_AUTH: 'off', TOOLWAY_HOST: host })
    expect(said).toContain('TOOLWAY_AUTH')
    expect(said).toContain(host)
    expect(load({ TOOLWAY_HOST: host }).config.TOOLWAY_AUTH).toBe('on')
  })

  test('may not have a public name, behind which everybody would be the operator', () => {
    const named: [Record<string, string>, string][] = [
      [{ TOOLWAY_PUBLIC_URL: 'https://tools.example.com' }, 'tools.example.com'],
      [{ TOOLWAY_PUBLIC_URL: 'https://tools.example.com:8443/base' }, 'tools.example.com'],
      [{ TOOLWAY_ALLOWED_HOSTS: 'tools.example.com:443' }, 'tools.example.com:443'],
      [{ TOOLWAY_ALLOWED_HOSTS: 'localhost,tools.example.com' }, 'tools.example.com'],
    ]
    for (const [names, shown] of named) {
      const said = complaint({ TOOLWAY_AUTH: 'off', ...names })
      expect(said).toContain('TOOLWAY_AUTH')
      expect(said).toContain(shown)
      expect(load(names).config.TOOLWAY_AUTH).toBe('on')
    }
    const own = { TOOLWAY_PUBLIC_URL: 'http://localhost:8787', TOOLWAY_ALLOWED_HOSTS: 'localhost:1,127.0.0.1' }
    expect(load({ TOOLWAY_AUTH: 'off', ...own }).config.TOOLWAY_AUTH).toBe('off')
  })
})

test('the file of declarations may look values up in the environment, and children get path and language only', () => {
  const { lookup, path, lang } = load({ PATH: '/bin', LANG: 'de_DE.UTF-8', MY_TOKEN: 't' })
  expect([lookup('MY_TOKEN'), lookup('OTHER'), path, lang]).toEqual(['t', undefined, '/bin', 'de_DE.UTF-8'])
  expect(load()).toMatchObject({ path: '', lang: undefined })
})

describe('the sessions of one key', () => {
  test('are ten, or as many as the setting says', () => {
    expect(load().config.TOOLWAY_SESSIONS_PER_PRINCIPAL).toBe(10)
    expect(load({ TOOLWAY_SESSIONS_PER_PRINCIPAL: '10000' }).config.TOOLWAY_SESSIONS_PER_PRINCIPAL).toBe(10_000)
  })

  test.each(['0', '-1', '10001', '1.5', '0x10', 'many'])('are never %s', (text) => {
    expect(complaint({ TOOLWAY_SESSIONS_PER_PRINCIPAL: text })).toContain('it must be a whole number from 1 to 10000')
  })
})

describe('a preset', () => {
  test('says what nobody said, and is told as the origin of it; what is said counts for more', () => {
    const { config, origins } = load({ TOOLWAY_PRESET: 'curatore', PORT: '9000' })
    expect(config).toMatchObject({
      TOOLWAY_STORE: 'none',
      TOOLWAY_PORT: 9000,
      TOOLWAY_SESSIONS: 'questions',
      MCP_API_KEY_LIMIT: 'execute',
    })
    expect(origins.TOOLWAY_STORE).toBe('preset curatore')
    expect(origins.TOOLWAY_PORT).toBe('environment')
    expect(load({ TOOLWAY_PRESET: 'curatore' }).config.TOOLWAY_PORT).toBe(8020)
    expect(load().config).toMatchObject({ TOOLWAY_STORE: 'database', MCP_API_KEY_LIMIT: 'read' })
  })

  test('that does not exist is refused', () => {
    expect(complaint({ TOOLWAY_PRESET: 'curator' })).toMatch(
      /^TOOLWAY_PRESET is "curator" .*it must be one of curatore, uru, agent, nebo, sagemcp\.$/,
    )
  })

  test('S0-ARC-01: a process of one role of the uru preset listens on the port of that service', () => {
    const uru = (more: Record<string, string> = {}) => load({ TOOLWAY_PRESET: 'uru', ...more }).config.TOOLWAY_PORT
    expect(uru()).toBe(3001)
    expect(['web', 'api', 'mcp'].map((role) => uru({ TOOLWAY_ROLES: role }))).toEqual([3000, 8000, 3001])
    expect(uru({ TOOLWAY_ROLES: 'web, api' })).toBe(3001)
    expect(uru({ TOOLWAY_ROLES: 'web', PORT: '4000' })).toBe(4000)
    expect(load({ TOOLWAY_ROLES: 'web' }).config.TOOLWAY_PORT).toBe(8787)
    expect(load({ TOOLWAY_ROLES: 'mcp,web' }).config.TOOLWAY_ROLES).toEqual(['web', 'mcp'])
    for (const wrong of ['proxy', 'web,proxy', ','])
      expect(complaint({ TOOLWAY_ROLES: wrong })).toContain('it must be web, api, mcp, or several of them')
  })

  test('several processes need a database, and auto is one for each core', () => {
    expect(load({}).config.TOOLWAY_PROCESSES).toBe(1)
    expect(load({ TOOLWAY_PROCESSES: 'auto' }).config.TOOLWAY_PROCESSES).toBe(Math.min(availableParallelism(), 64))
    for (const wrong of ['0', '65', '1.5', 'all'])
      expect(complaint({ TOOLWAY_PROCESSES: wrong })).toContain('it must be auto, or a whole number from 1 to 64')
    expect(complaint({ TOOLWAY_PROCESSES: '2', TOOLWAY_STORE: 'none' })).toContain('unset TOOLWAY_PROCESSES')
  })

  test('a document that is open to all needs the key whose tools it shows', () => {
    expect(complaint({ TOOLWAY_OPENAPI: 'public' })).toContain('MCP_API_KEY, which is not set')
  })
})

describe('U-26: ports', () => {
  const portOf = (settings: Record<string, string>) => load(settings).config.TOOLWAY_PORT
  /** By preset: of a process of all roles, and of one of a single role. */
  const PORTS: [preset: string | undefined, all: number, web: number, api: number, mcp: number][] = [
    [undefined, 8787, 8787, 8787, 8787],
    ['uru', 3001, 3000, 8000, 3001],
    ['curatore', 8020, 8020, 8020, 8020],
    ['sagemcp', 8000, 3001, 8000, 8000],
    ['agent', 8787, 8787, 8787, 8787],
    ['nebo', 8787, 8787, 8787, 8787],
  ]
  test.each(PORTS)('preset %s: %i for all roles, and web %i, api %i, mcp %i alone', (preset, all, web, api, mcp) => {
    const base: Record<string, string> = preset === undefined ? {} : { TOOLWAY_PRESET: preset }
    expect(portOf(base)).toBe(all)
    for (const [role, port] of Object.entries({ web, api, mcp }))
      expect(portOf({ ...base, TOOLWAY_ROLES: role }), role).toBe(port)
    // Two roles are no service of the source system.
    expect(portOf({ ...base, TOOLWAY_ROLES: 'web,mcp' })).toBe(all)
    for (const roles of ['web', 'api', 'mcp', 'web,api,mcp'])
      for (const name of ['TOOLWAY_PORT', 'PORT'])
        expect(portOf({ ...base, TOOLWAY_ROLES: roles, [name]: '4711' })).toBe(4711)
  })
})
