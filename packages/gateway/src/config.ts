/**
 * The configuration from the environment: one schema, one frozen result, and the origin of each value.
 *
 * The one reader of `process.env`. Every setting may also be given as `NAME_FILE`, a path whose content is the value. An unknown
 * name that resembles a setting is refused, because a misspelt setting would otherwise be a silent default.
 */
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism, homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { ConfigFault } from './config/fault.ts'
import { APP_SETTINGS, appsOf } from './config/apps.ts'
import { FILE_SETTINGS, filePlaceOf } from './config/files.ts'
import { KEY_SETTINGS, keySettingsProblem } from './config/keys.ts'
import { isLoopback } from './config/loopback.ts'
import { PROGRAM_SETTINGS } from './config/programs.ts'
import { settingReferences, withSecrets, type ReadSecrets, type SettingReferences } from './config/references.ts'
import { withoutServiceLinks } from './config/service-links.ts'
import { defineKnownSetting, list, onOff, defineSetting, splitList, type Setting } from './config/setting.ts'
import { assertionOf, providerOf, SIGN_IN_SETTINGS } from './config/sign-in.ts'
import { SANDBOX_SETTINGS } from './config/sandbox.ts'
import { STORE_SETTINGS } from './config/stores.ts'
import { TELEMETRY_SETTINGS, telemetryProblem } from './config/telemetry.ts'
import { TRAFFIC_SETTINGS } from './config/traffic.ts'
import { VAULT_SETTINGS } from './config/vault.ts'
import { nearest } from './lib/nearest-names.ts'
import { LOG_FORMATS } from './telemetry/log-format.ts'
import { PROCESS_ROLES, type ProcessRole } from './lib/process-roles.ts'
import { PRESET_NAMES, presetsInWords, presetValue, type PresetName } from './presets.ts'

export { ConfigFault }
export { appsOf, assertionOf, filePlaceOf, isLoopback, providerOf }
export { tokenLives } from './config/sign-in.ts'

/** Digits only: what a looser reading makes of an empty text or of `0x50` is a port that nobody meant. */
const port = z
  .string()
  .regex(/^\d{1,5}$/, 'it must be a whole number from 0 to 65535')
  .transform(Number)
  .refine((number) => number <= 65_535, 'it must be a whole number from 0 to 65535')
/** A value that is neither an address nor a range is refused: it would be a proxy that is silently not trusted. */
const networks = z
  .string()
  .default('')
  .transform(splitList)
  .superRefine((all, context) => {
    const wrong = all.find((value) => !isNetwork(value))
    if (wrong !== undefined) context.addIssue(`${wrong} is neither an address nor a range such as 10.0.0.0/8`)
  })
function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/', 2)
  const most = isIP(address) === 4 ? 32 : 128
  return isIP(address) !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
}

const ROLES_PROBLEM = `it must be ${PROCESS_ROLES.join(', ')}, or several of them, separated by commas`
const roles = z
  .string()
  .default(PROCESS_ROLES.join(','))
  .transform((text, context): readonly ProcessRole[] => {
    const named = new Set(splitList(text))
    const known = PROCESS_ROLES.filter((role) => named.has(role))
    if (known.length === 0 || known.length < named.size) context.addIssue(ROLES_PROBLEM)
    return known
  })
const PROCESSES_PROBLEM = 'it must be auto, or a whole number from 1 to 64'
const processes = z
  .string()
  .default('1')
  .refine(
    (text) => text === 'auto' || (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 64),
    PROCESSES_PROBLEM,
  )
  .transform((text) => (text === 'auto' ? Math.min(availableParallelism(), 64) : Number(text)))
const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** The values of a seed's switches; each maps to one value here. */
const SEED_SWITCH = /^SAGEMCP_ENABLE_/
const SEED_WORDS: Readonly<Record<string, string>> = { true: 'on', false: 'off', '1': 'on', '0': 'off' }

export const SETTINGS = {
  TOOLWAY_PRESET: defineSetting(
    z.enum(PRESET_NAMES, `it must be one of ${PRESET_NAMES.join(', ')}`).optional(),
    `Named set of defaults for settings that are not set: ${presetsInWords()}.`,
  ),
  TOOLWAY_STORE: defineSetting(
    z.enum(['database', 'none'], 'it must be database or none').default('database'),
    'none: everything is declared in files and kept in memory; nothing is stored and no database is started. One instance only.',
  ),
  TOOLWAY_ROLES: defineSetting(
    roles,
    'Roles of this process, separated by commas: web serves the console and the sign-in pages, api serves administration, OAuth and approvals, mcp serves the MCP endpoints and the tool URLs. Several processes with different roles share one database.',
  ),
  TOOLWAY_PROCESSES: defineSetting(
    processes,
    'Number of processes that share the port, from 1 to 64, or auto: one for each core. They share the database and the limits; each starts its own stdio servers. SIGUSR2 replaces them one after the other.',
  ),
  TOOLWAY_PORT: defineKnownSetting(
    ['PORT'],
    defineSetting(port.default(8787), 'Port to listen on; 0 selects any free port.'),
  ),
  TOOLWAY_HOST: defineKnownSetting(
    ['HOST'],
    defineSetting(
      z.string().min(1).default('127.0.0.1'),
      'Address to listen on. HOST is used only if it is an address, because some shells set it to the name of the machine.',
    ),
  ),
  TOOLWAY_DATA: defineSetting(
    z.string().min(1).default(defaultDirectory()),
    'Data directory (mode 0700): database, vault key, child processes.',
  ),
  TOOLWAY_CONFIG: defineSetting(
    z.string().min(1).optional(),
    'YAML file that declares organizations, connections, toolsets and keys.',
  ),
  TOOLWAY_BOOTSTRAP_KEY: defineKnownSetting(
    ['SAGEMCP_BOOTSTRAP_ADMIN_KEY'],
    defineSetting(
      z
        .string()
        .regex(/^uru_[0-9a-f]{64}$/, 'it must be uru_ followed by 64 hexadecimal digits')
        .optional(),
      'First key of the default organization, instead of a generated one.',
      true,
    ),
  ),
  TOOLWAY_PUBLIC_URL: defineKnownSetting(
    ['PUBLIC_URL', 'BASE_URL'],
    defineSetting(
      z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
      'URL at which clients reach the gateway.',
    ),
  ),
  TOOLWAY_ALLOWED_HOSTS: defineSetting(
    list,
    'Additional names that are accepted in the Host header, separated by commas.',
  ),
  TOOLWAY_ALLOWED_ORIGINS: defineKnownSetting(
    ['MCP_ALLOWED_ORIGINS', 'CORS_ALLOWED_ORIGINS'],
    defineSetting(list, 'Additional web origins that are allowed to call, separated by commas.'),
  ),
  TOOLWAY_TRUSTED_PROXIES: defineSetting(
    networks,
    'Trusted proxies, which may state where a request comes from: addresses and ranges, separated by commas.',
  ),
  TOOLWAY_AUTH: defineKnownSetting(
    ['SAGEMCP_ENABLE_AUTH'],
    defineSetting(onOff('on'), 'off: no key is required. Allowed only on a loopback address.'),
  ),
  TOOLWAY_DEMO: defineSetting(onOff('on'), 'off: the first start does not create the demo connection.'),
  TOOLWAY_APPROVALS: defineSetting(
    z.enum(['off', 'ask-destructive', 'ask-writes']).default('ask-destructive'),
    'Approval setting for new organizations: ask-destructive (tools that may be destructive, and tools of servers that are not trusted), ask-writes (tools that are not known to be read-only) or off. Existing organizations keep their setting.',
  ),
  TOOLWAY_TOOLKIT_ROOT: defineSetting(
    z.string().min(1).optional(),
    'Folder in which the agent preset starts the local toolkit. If unset, it is not started.',
  ),
  ...SANDBOX_SETTINGS,
  ...TRAFFIC_SETTINGS,
  ...FILE_SETTINGS,
  ...SIGN_IN_SETTINGS,
  ...APP_SETTINGS,
  ...PROGRAM_SETTINGS,
  ...VAULT_SETTINGS,
  ...KEY_SETTINGS,
  ...STORE_SETTINGS,
  LOG_LEVEL: defineSetting(
    z.enum(LEVELS, `it must be one of ${LEVELS.join(', ')}`).default('info'),
    'Minimum level of log lines.',
  ),
  TOOLWAY_LOG_FORMAT: defineSetting(
    z.enum(LOG_FORMATS, `it must be one of ${LOG_FORMATS.join(', ')}`).default('toolway'),
    'Fields of log lines, which are always JSON: toolway, or sagemcp, which adds tenant_slug, connector_id, request_id and duration_ms to every line, as SageMCP did.',
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
  const explicit = { ...withoutServiceLinks(surroundings), ...said }
  const environment: NodeJS.ProcessEnv = { ...readDotenv(folder), ...explicit }
  refuseUnknown(environment)
  return { given: explicit, environment, surroundings }
}

/** The secret settings that are references, and the settings that lead to the places where these are. */
export function findSettingReferences(where: Surroundings): SettingReferences {
  const { environment, surroundings } = environmentOf(where)
  const texts = NAMES.map((name) => ({ name, text: readSetting(environment, name)[0], secret: SETTINGS[name].secret }))
  return {
    references: texts.flatMap((text) =>
      [...settingReferences(text)].map(([words, reference]) => ({ name: text.name, words, reference })),
    ),
    texts: Object.fromEntries(texts.map(({ name, text }) => [name, text])),
    lookup: (name) => environment[name] ?? surroundings[name],
  }
}

/** The places of secrets, each checked, before the other settings can be. A setting whose reference is not read yet is left out. */
export function placesOf(texts: SettingReferences['texts'], read: ReadSecrets): PlaceSettings {
  const names = [...(Object.keys(KEY_SETTINGS) as (keyof typeof KEY_SETTINGS)[]), 'AWS_REGION' as const]
  const values = names.map((name) => {
    const reference = { name, text: texts[name], secret: SETTINGS[name].secret }
    const isRead = [...settingReferences(reference).keys()].every((words) => read.has(words))
    return [name, check(name, isRead ? withSecrets(reference, read) : undefined, 'environment', name)]
  })
  return Object.fromEntries(values) as PlaceSettings
}

export type PlaceSettings = Pick<Config, keyof typeof KEY_SETTINGS | 'AWS_REGION'>

/** Throws ConfigFault. A reference that is not among `read` is refused: `openConfig` of the command line reads them first. */
export function loadConfig(
  surroundings: NodeJS.ProcessEnv = process.env,
  folder = process.cwd(),
  input: NodeJS.ProcessEnv = {},
  read: ReadSecrets = new Map(),
): LoadedConfig {
  const { given, environment } = environmentOf({ surroundings, folder, said: input })
  const origins = {} as Record<SettingName, Origin>
  const values: Partial<Record<SettingName, unknown>> = {}
  const preset = check('TOOLWAY_PRESET', ...readSetting(environment, 'TOOLWAY_PRESET')) as PresetName | undefined
  for (const name of NAMES) {
    const found = withPreset(readSetting(environment, name), {
      preset,
      name,
      roles: values['TOOLWAY_ROLES'] as Config['TOOLWAY_ROLES'],
    })
    const [written, origin, source] = withSeedMetrics(found, name, environment)
    origins[name] = origin === 'environment' && given[source] === undefined ? `file ${DOTENV}` : origin
    const text = withSecrets({ name, text: written, secret: SETTINGS[name].secret }, read)
    values[name] = check(name, text, origin, source)
  }
  const config = Object.freeze(values) as Config
  refuseOpenDoor(config)
  providerOf(config)
  assertionOf(config)
  refuseHalf(config)
  refuseShown(config)
  if (config.TOOLWAY_PROCESSES > 1 && config.TOOLWAY_STORE === 'none')
    throw new ConfigFault('TOOLWAY_STORE=none supports one process only: unset TOOLWAY_PROCESSES, or use a database.')
  if (config.TOOLWAY_CHANGES === 'redis' && config.REDIS_URL === undefined)
    throw new ConfigFault('TOOLWAY_CHANGES=redis needs Redis: set REDIS_URL, or unset TOOLWAY_CHANGES.')
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

/** Whether no other gateway process is on its database. */
export const isAlone = ({ DATABASE_URL: url, TOOLWAY_PROCESSES: processes }: Config): boolean =>
  url === undefined && processes === 1

const KEY_LENGTH = 16

/** A key that can be guessed. The curatore preset accepts one, as its source system did, and warns (ADR 0049). */
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
  const own = environment[source]
  if (own === undefined || own === '') return [undefined, 'default', source]
  const [text, origin] = inFile ? readSettingFile(source, own) : [own, 'environment' as const]
  return [SEED_SWITCH.test(source) ? (SEED_WORDS[text.toLowerCase()] ?? text) : text, origin, source]
}

/**
 * Generic names that others use for something else: a shell's HOST is the name of its machine, and build tools have a path in
 * BASE_URL. Such values are ignored.
 */
function isMeant(source: string, text = ''): boolean {
  if (source === 'HOST') return isIP(text) !== 0 || text === 'localhost'
  return source !== 'BASE_URL' || !text.startsWith('/')
}

function readSettingFile(source: string, path: string): [string, Origin] {
  try {
    return [readFileSync(path, 'utf8').trim(), `file ${path}`]
  } catch (thrown) {
    throw new ConfigFault(
      `${source} points to ${path}, which cannot be read (${codeOf(thrown)}): check the path and its permissions.`,
    )
  }
}

function check(name: SettingName, text: string | undefined, origin: Origin, source: string): unknown {
  const parsed = SETTINGS[name].shape.safeParse(text)
  if (parsed.success) return parsed.data
  const shown = SETTINGS[name].secret ? 'not valid' : `"${text}"`
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
    const mend = near === undefined ? 'unset it; `toolway config` then lists all settings.' : `did you mean ${near}?`
    throw new ConfigFault(`${name} is not a setting of Toolway: ${mend}`)
  }
}

/** A token that was made for another program of the same issuer is no token for this one. */
function refuseHalf({ TOOLWAY_JWT_ISSUER: issuer, TOOLWAY_JWT_AUDIENCE: audience, ...config }: Config): void {
  if ((issuer === undefined) !== (audience === undefined))
    throw new ConfigFault(
      'TOOLWAY_JWT_ISSUER and TOOLWAY_JWT_AUDIENCE belong together: set both, so that tokens issued for other programs are refused.',
    )
  if (config.TOOLWAY_JWT_JWKS_URL !== undefined && issuer === undefined)
    throw new ConfigFault('TOOLWAY_JWT_JWKS_URL needs TOOLWAY_JWT_ISSUER, the issuer of the keys at that URL.')
  if (config.DATABASE_DIRECT_URL !== undefined && config.DATABASE_URL === undefined)
    throw new ConfigFault(
      'DATABASE_DIRECT_URL needs DATABASE_URL, which points to the pooler in front of the same database.',
    )
}

/** A document that is shown to everybody shows what somebody sees. */
function refuseShown({ TOOLWAY_OPENAPI: shown, MCP_API_KEY: key }: Config): void {
  if (shown === 'public' && key === undefined)
    throw new ConfigFault(
      'TOOLWAY_OPENAPI=public shows the tools of MCP_API_KEY, which is not set: set it, or use TOOLWAY_OPENAPI=key.',
    )
}

/** Seconds between the word to end and the closing of the port. */
export function stopDelayOf(config: Config, terminal: boolean): number {
  const { TOOLWAY_STOP_DELAY: stopDelay, TOOLWAY_TRUSTED_PROXIES: proxies, TOOLWAY_PUBLIC_URL: url } = config
  if (stopDelay !== undefined) return stopDelay
  const balanced = proxies.length > 0 || (url !== undefined && !isLoopback(new URL(url).hostname))
  return balanced && !terminal ? BALANCERS_NOTICE : 0
}
/** Several health looks of a balancer. */
const BALANCERS_NOTICE = 5

function refuseOpenDoor(config: Config): void {
  const { TOOLWAY_AUTH: auth, TOOLWAY_HOST: host, TOOLWAY_PUBLIC_URL: url, TOOLWAY_ALLOWED_HOSTS: names } = config
  if (auth === 'on') return
  if (!isLoopback(host)) {
    throw new ConfigFault(
      `TOOLWAY_AUTH=off is refused with TOOLWAY_HOST=${host}, because everybody on that network could call your tools: listen on 127.0.0.1 or require keys.`,
    )
  }
  // A public name means a proxy or a tunnel in front, and behind it everybody would be the operator.
  const open = [url === undefined ? undefined : new URL(url).hostname.replace(/^\[|\]$/g, ''), ...names].find(
    (name) => name !== undefined && !isLoopback(name.replace(/:\d+$/, '')),
  )
  if (open === undefined) return
  throw new ConfigFault(
    `TOOLWAY_AUTH=off is refused together with the name ${open}, because everybody who reaches that name could call your tools: require keys.`,
  )
}

const codeOf = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code ?? 'unknown cause'
