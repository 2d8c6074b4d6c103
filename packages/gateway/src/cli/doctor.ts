/**
 * `toolway doctor`: looks at everything that a start and a call need, and says for each what is wrong and what mends it. It writes
 * nothing, neither into the database nor into the data directory, and starts nothing: an embedded database that does not run is not
 * looked into.
 */
import { access, constants, stat } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { Authority } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { DatabaseStopped, keySourcesOf, OTHERS } from '../base/open-store.ts'
import { KEY_FILES } from '../vault/key-files.ts'
import { listConnections, type ConnectionRow } from '../connections/connections.ts'
import { listUntrusted } from '../identity/keys/keys.ts'
import { listFailedConnects, listLostAccounts } from '../credentials/account-states.ts'
import { openBlobs } from '../features/files/index.ts'
import { readCallStates, type CallState, openedSecrets, unsafeAddresses } from '../features/connections/index.ts'
import { vendorAuthorityOf } from '../oauth/outgoing/vendors/vendor-of.ts'
import { createGlobalApps } from '../oauth/outgoing/vendors/global-apps.ts'
import { statedIn } from '../upstreams/children/sandbox-settings.ts'
import { DatabaseUnreachable } from '../db/unreachable.ts'
import { appsOf, filePlaceOf, SETTINGS, type LoadedConfig, type SettingName } from '../config.ts'
import { countWithNoun } from '../lib/count-with-noun.ts'
import { combinedAt, isModelName, oddProperty } from '../lib/model-limits.ts'
import { countMembers } from '../organizations/members.ts'
import { openConfig } from './open-config.ts'
import { directoryProblem } from './opening-fault.ts'
import { databaseProblems } from './doctor-database.ts'
import { isUnset } from '../preset-variables.ts'
import { isInRoots, outsideWords, plainPath, realPlace, rootsOf } from '../upstreams/children/sandbox/allowed-roots.ts'
import { chooseDriver } from '../upstreams/children/sandbox/choose-driver.ts'
import { closedPathWords } from '../upstreams/children/sandbox/closed-paths.ts'
import { readableFolders, SYSTEM } from '../upstreams/children/sandbox/readable-folders.ts'
import { MISSING_WORDS } from '../upstreams/children/sandbox/guarantee-words.ts'
import { presetVariables } from '../presets.ts'
import { findEndpoint, listTools } from './mcp-client.ts'
import { EXIT, type Output } from './terminal/output.ts'
import { refuseElsewhere } from './transport/named-gateway.ts'
import { addressOf, isMade, isRunning, withStore, type Opened } from './store.ts'

interface Finding {
  readonly what: string
  readonly state: 'good' | 'note' | 'bad'
  readonly detail: string
}
const good = (what: string, detail: string): Finding => ({ what, state: 'good', detail })
const noteFinding = (what: string, detail: string): Finding => ({ what, state: 'note', detail })
const bad = (what: string, detail: string): Finding => ({ what, state: 'bad', detail })

const MARKS = { good: 'ok  ', note: 'note', bad: 'BAD ' }

export async function doctor(organization: string, output: Output, preset?: string): Promise<number> {
  const loaded = await openConfig(preset === undefined ? {} : { TOOLWAY_PRESET: preset })
  await refuseElsewhere(loaded)
  const findings = [
    good('node', process.versions.node),
    good(
      'settings',
      `${Object.values(loaded.origins).filter((origin) => origin !== 'default').length} set; all others have their default values`,
    ),
    ...checkPreset(loaded),
    await checkDirectory(loaded),
    ...(await checkVault(loaded)),
    ...(await checkStore(loaded, organization)),
    ...(await checkRedis(loaded)),
    ...(await checkFiles(loaded)),
    ...(await checkGateway(loaded, output)),
    ...(await checkSandbox(loaded)),
    await checkProgram(loaded, 'npx', 'needed to start npm servers; it comes with Node'),
    await checkProgram(loaded, 'uvx', 'needed only to start Python servers; it comes with uv'),
  ]
  output.result(
    findings,
    findings.map(({ what, state, detail }) => `${MARKS[state]}  ${what}: ${detail}`),
  )
  return findings.some(({ state }) => state === 'bad') ? EXIT.failed : EXIT.ok
}

/** The variables of a preset: a needed one that is missing keeps the gateway from starting. */
function checkPreset({ config, lookup }: LoadedConfig): Finding[] {
  const preset = config.TOOLWAY_PRESET
  const isSet = (name: string) =>
    Object.hasOwn(SETTINGS, name) ? config[name as SettingName] !== undefined : !isUnset(lookup(name))
  return presetVariables(preset).map(({ name, also = [], needed, about }) => {
    if ([name, ...also].some(isSet)) return good(name, `set (${about})`)
    return needed
      ? bad(name, `not set, but required by the ${preset} preset: ${about}`)
      : noteFinding(name, `not set (${about})`)
  })
}

async function checkDirectory({ config }: LoadedConfig): Promise<Finding> {
  const { TOOLWAY_DATA: directory } = config
  const problem = await findDirectoryProblem(directory)
  if (problem !== undefined) return bad('data directory', problem)
  const found = await stat(directory).catch(() => undefined)
  if (found === undefined)
    return noteFinding('data directory', `${directory} does not exist yet; it is created when the gateway first starts`)
  const open = (found.mode & OTHERS) !== 0
  return open
    ? bad('data directory', `${directory} can be read by others: chmod 700 it`)
    : good('data directory', directory)
}

/** Why a start could not use the data directory, or make it: nothing is written to find that out. */
async function findDirectoryProblem(directory: string): Promise<string | undefined> {
  const writable = constants.R_OK | constants.W_OK | constants.X_OK
  for (let path = resolve(directory); ; path = dirname(path)) {
    const found = await stat(path).catch((thrown: NodeJS.ErrnoException) => thrown)
    if (found instanceof Error && found.code === 'ENOENT' && path !== dirname(path)) continue
    const thrown =
      found instanceof Error
        ? found
        : found.isDirectory()
          ? await access(path, writable).then(
              () => undefined,
              (denied: unknown) => denied,
            )
          : Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
    return thrown === undefined ? undefined : directoryProblem(thrown, directory)
  }
}

/** Where the vault's keys come from, and whether others can read them. */
async function checkVault({ config, origins }: LoadedConfig): Promise<Finding[]> {
  const { TOOLWAY_DATA: directory, TOOLWAY_KEYCHAIN: keychain } = config
  const found = await keySourcesOf({ directory, keys: config })
    .find()
    .catch((thrown: Error) => thrown)
  if (found instanceof Error) return [bad('vault key', found.message)]
  const { keys, notes } = found
  const listing = keys.map(({ id, source }) => `${id} from ${source}`).join(', ')
  const moves = keychain === 'on' && !keys.some(({ kind }) => kind === 'keychain')
  return [
    keys.length === 0
      ? noteFinding('vault key', 'none yet; one is created when the gateway first starts')
      : good('vault key', `${listing}; \`toolway vault status\` shows which one encrypts`),
    ...notes.map((text) => bad('vault key', text)),
    ...(moves ? [noteFinding('keychain', NOT_MOVED)] : []),
    ...(await findWorldReadable(
      KEY_FILES.map((name) => join(directory, name)),
      bad,
      'can be read by others: chmod 600 it',
    )),
    // Where others put a secret it is theirs to say who reads it: some platforms give it to everybody in the container.
    ...(await findWorldReadable(
      SECRETS.flatMap((name) => (origins[name].startsWith(FROM_FILE) ? [origins[name].slice(FROM_FILE.length)] : [])),
      noteFinding,
      'can be read by others and contains a secret',
    )),
  ]
}

const NOT_MOVED =
  'TOOLWAY_KEYCHAIN is on, but the key is not in the keychain: the gateway tries to move it the next time it starts; a machine without a desktop session has no keychain'
const FROM_FILE = 'file '
const SECRETS = (Object.keys(SETTINGS) as SettingName[]).filter((name) => SETTINGS[name].secret)
const OTHERS_READ = 0o077

async function findWorldReadable(
  paths: readonly string[],
  tell: typeof noteFinding,
  words: string,
): Promise<Finding[]> {
  const modes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mode }) => mode,
        () => 0,
      ),
    ),
  )
  return paths.flatMap((path, at) =>
    ((modes[at] ?? 0) & OTHERS_READ) === 0 ? [] : [tell('secret file', `${path} ${words}`)],
  )
}

async function checkStore(loaded: LoadedConfig, organization: string): Promise<Finding[]> {
  if (!(await isMade(loaded)))
    return [noteFinding('database', 'does not exist yet; it is created when the gateway first starts')]
  try {
    return await withStore(organization, (opened) => checkOrganization(loaded, opened), { looking: true })
  } catch (thrown) {
    if (thrown instanceof DatabaseStopped) return [noteFinding('database', STOPPED)]
    if (thrown instanceof DatabaseUnreachable) return [bad('database', thrown.forOperator)]
    return [bad('database', thrown instanceof Error ? thrown.message : String(thrown))]
  }
}

async function checkOrganization(loaded: LoadedConfig, opened: Opened): Promise<Finding[]> {
  const { db, vault, organization } = opened
  await db.presence.look()
  const connections = await db.organization(organization.id, listConnections)
  const accounts = await db.organization(organization.id, listLostAccounts)
  const untrusted = await db.organization(organization.id, listUntrusted)
  const failed = await db.organization(organization.id, listFailedConnects)
  return [
    good('database', 'reachable, and its schema is up to date'),
    ...(await db.system(databaseProblems)).map(({ words }) => bad('database', words)),
    ...accounts.flatMap(({ account, connection_id: id, problem }) => {
      const alias = connections.find((connection) => connection.id === id)?.alias
      if (alias === undefined) return []
      const mend = `\`toolway connection login ${alias} --account ${account}\` reconnects it.`
      return [bad(`account ${account} of ${alias}`, `${problem}. ${mend}`)]
    }),
    ...failed.flatMap(({ connection_id: id, reason }) => {
      const alias = connections.find((connection) => connection.id === id)?.alias
      return alias === undefined
        ? []
        : [bad(`sign-in to ${alias}`, `the last attempt to connect an account failed: ${reason}`)]
    }),
    ...untrusted.map(({ name }) =>
      bad(
        `key ${name}`,
        `it was created for calls on behalf of members by an administrator of the organization, and such calls are refused until a platform administrator allows them: \`toolway key trust "${name}" --organization ${organization.slug}\`, or remove the key.`,
      ),
    ),
    ...unsafeAddresses(vault, connections).map(({ alias, detail }) => bad(`address of ${alias}`, detail)),
    ...(await missingPrograms(loaded, connections)),
    ...(await closedPaths(loaded, { vault, slug: organization.slug }, connections)),
    ...outsidePaths(loaded, organization.slug, connections),
    ...(await checkConnections(loaded, opened, connections)),
  ]
}

async function checkConnections(
  { config }: LoadedConfig,
  { db, vault, organization }: Opened,
  connections: readonly ConnectionRow[],
): Promise<Finding[]> {
  const globalApps = createGlobalApps(appsOf(config))
  const hasGlobalApp = (authority: Authority) => globalApps.of(authority) !== undefined
  const states = await db.organization(organization.id, async (sql) =>
    readCallStates(
      sql,
      { vault, vendorAuthority: vendorAuthorityOf, hasGlobalApp },
      { userId: undefined, members: await countMembers(sql) },
    ),
  )
  return connections.flatMap((row) => checkConnection(row, states.of(row)))
}

/**
 * For nobody in particular: where each person connects an account of their own, it is good as soon as somebody has. The hints of a
 * connected server stand in the place of the reason, a sentence on each line.
 */
export function checkConnection({ alias }: Pick<ConnectionRow, 'alias'>, state: CallState): Finding[] {
  const { status, reason, needs, people } = state
  const what = `connection ${alias}`
  if (status === 'disabled') return [noteFinding(what, 'disabled')]
  if (needs === 'account' && people !== null && people.connected > 0)
    return [good(what, `connected for ${people.connected} of ${people.members} members, each with their own account`)]
  if (status === 'connected')
    return [good(what, 'connected'), ...(reason?.split('\n') ?? []).map((hint) => noteFinding(what, hint))]
  return status === 'new'
    ? [noteFinding(what, 'not tried yet')]
    : [bad(what, `${reason ?? `${status}.`} \`toolway connection test ${alias}\` shows details.`)]
}

const STOPPED = 'the embedded database does not run; start the gateway, then run `toolway doctor` to check connections'

/** Away, it keeps no gateway from serving: limits are then counted by each gateway alone. */
async function checkRedis({ config: { REDIS_URL: url, TOOLWAY_CHANGES: changes } }: LoadedConfig): Promise<Finding[]> {
  if (url === undefined) return []
  const { findRedisProblem } = await import('../limits/redis-token-store.ts')
  const problem = await findRedisProblem(url)
  if (problem === undefined) return [good('redis', 'reachable')]
  const shared = changes === 'redis' ? 'limits and changes are' : 'limits are'
  return [
    bad(
      'redis',
      `Redis at REDIS_URL cannot be used (${problem}), so ${shared} not shared between gateways: check that it is running, and check the host, port, user and password in REDIS_URL`,
    ),
  ]
}

/** Whether the place where files are kept answers. What only a write would show, as a full disk, a start finds. */
async function checkFiles(loaded: LoadedConfig): Promise<Finding[]> {
  const fileLocation = filePlaceOf(loaded.config)
  if (fileLocation === undefined) return [noteFinding('file store', 'TOOLWAY_FILES is off: files are not stored')]
  if (!(await isMade(loaded))) return []
  const blobs = await openBlobs(fileLocation)
  try {
    await blobs.glance()
    return [good('file store', blobs.where)]
  } catch (thrown) {
    return [bad('file store', `${blobs.where}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)]
  } finally {
    blobs.close()
  }
}

async function checkGateway(loaded: LoadedConfig, output: Output): Promise<Finding[]> {
  const address = await addressOf(loaded)
  if (!(await isRunning(address)))
    return [noteFinding('gateway', `none running at ${address}; \`npm start\` or \`npx toolway start\` starts it`)]
  const ready = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ status }) => status,
    () => 0,
  )
  const listing = await findEndpoint({}, output)
    .then(listTools)
    .then(
      (tools) => [
        good('a call', `tools/list returns ${countWithNoun(tools.length, 'tool')}`),
        ...sizeHint(tools),
        ...definitionHint(tools),
      ],
      (thrown: Error) => [bad('a call', thrown.message)],
    )
  return [
    ready === 200 ? good('gateway', `ready at ${address}`) : bad('gateway', `${address}/health/ready returns ${ready}`),
    ...listing,
  ]
}

/** Some clients take no more tools, and every model reads all of the list. */
const MANY_TOOLS = 128
const LONG_LIST = 200 * 1024

/** Empty while a list is short enough for clients and models. */
export function sizeHint(tools: readonly unknown[]): Finding[] {
  const bytes = Buffer.byteLength(JSON.stringify(tools))
  if (tools.length <= MANY_TOOLS && bytes <= LONG_LIST) return []
  const size = `${countWithNoun(tools.length, 'tool')}, ${Math.round(bytes / 1024)} KB`
  return [
    noteFinding(
      'tool list',
      `${size}: too long for many clients and models. A toolset with \`--discovery search\` lists only three tools, which clients use to find the others (\`toolway toolset add big --discovery search\`)`,
    ),
  ]
}

/** Tools that the line names. */
const NAMED = 5

/** Empty while model APIs take every definition; one that they refuse stops each request of a client that lists it. */
export function definitionHint(tools: readonly JsonObject[]): Finding[] {
  const refused = tools.flatMap(({ name, inputSchema }) => {
    const property = oddProperty(inputSchema)
    const combined = combinedAt(inputSchema)
    const reasons = [
      ...(isModelName(String(name)) ? [] : ['its name']),
      ...(property === undefined ? [] : [`property ${JSON.stringify(shortName(property))}`]),
      ...(combined === undefined ? [] : [`${combined} at the top of its input schema`]),
    ]
    return reasons.length === 0 ? [] : [`${shortName(String(name))} (${reasons.join(', ')})`]
  })
  if (refused.length === 0) return []
  const more = refused.length > NAMED ? ` and ${refused.length - NAMED} more` : ''
  return [
    noteFinding(
      'tool definitions',
      `some model APIs refuse every request that lists ${refused.slice(0, NAMED).join(', ')}${more}. Turn these tools off in the console under Tools, or leave them out of a toolset (\`toolway toolset add NAME --exclude PATTERN\`), and ask the developers of their servers to change them`,
    ),
  ]
}

/** Names are the server's, of any length. */
const shortName = (name: string): string => (name.length > 80 ? `${name.slice(0, 79)}…` : name)

/** How servers that are started here are confined, what that means, and what is missing. */
async function checkSandbox({ config }: LoadedConfig): Promise<Finding[]> {
  const state = await chooseDriver(config.TOOLWAY_SANDBOX, config.TOOLWAY_SANDBOX_DRIVER, statedIn(config))
  const { policy, driver, guarantees, missing, reasons, refusal } = state
  if (refusal !== undefined) return [bad('sandbox', refusal)]
  const why = reasons.length === 0 ? '' : ` ${reasons.join(' ')}`
  const summary = `driver ${driver}, policy ${policy}, guarantees: ${guarantees.join(', ') || 'none'}.${why}`
  return [
    missing.length === 0 ? good('sandbox', summary) : noteFinding('sandbox', summary),
    ...missing.map((item) => noteFinding(`sandbox lacks ${item}`, MISSING_WORDS[item])),
  ]
}

/**
 * Paths of this machine that a server's arguments and variables name and its sandbox does not show. Its state tells the same once the
 * gateway has started it.
 */
async function closedPaths(
  { config, path }: LoadedConfig,
  { vault, slug }: { readonly vault: Opened['vault']; readonly slug: string },
  connections: readonly ConnectionRow[],
): Promise<Finding[]> {
  const { TOOLWAY_SANDBOX: policy, TOOLWAY_SANDBOX_ROOTS: forms, TOOLWAY_DATA: directory } = config
  if (policy === 'off') return []
  const found = connections.map(async (row) => {
    const { alias, enabled, settings, status_reason: reason } = row
    if (!enabled || !('command' in settings)) return []
    const { environment = {} } = openedSecrets(vault, row) ?? {}
    const { command, args, allow_paths: allowed = [], network = 'public' } = settings
    const programs = readableFolders({ command, args, cwd: '/usr', path: environment['PATH'] ?? path }).all
    const paths = allowed.map((value) => realPlace(resolve(plainPath(value))))
    const view = {
      ...{ shown: [...SYSTEM, ...programs.map(realPlace), ...paths], readOnly: [], network },
      hidden: [realPlace(resolve(directory))],
      ...(forms.length === 0 ? {} : { roots: rootsOf(forms, slug).map(realPlace) }),
    }
    const words = await closedPathWords({ args, environment }, view, alias)
    return words.filter((word) => reason?.includes(word) !== true).map((word) => noteFinding(`paths of ${alias}`, word))
  })
  return (await Promise.all(found)).flat()
}

/** Paths that connections allow and `TOOLWAY_SANDBOX_ROOTS` does not: their servers are not started. */
function outsidePaths(
  { config: { TOOLWAY_SANDBOX_ROOTS: forms } }: LoadedConfig,
  slug: string,
  connections: readonly ConnectionRow[],
): Finding[] {
  if (forms.length === 0) return []
  const own = rootsOf(forms, slug)
  const roots = own.map(realPlace)
  const allowed = connections.flatMap(({ alias, enabled, settings }) =>
    enabled && 'allow_paths' in settings ? (settings.allow_paths ?? []).map((text) => ({ alias, said: text })) : [],
  )
  return allowed
    .filter(({ said }) => !isInRoots(realPlace(resolve(plainPath(said))), roots))
    .map(({ alias, said }) => bad(`paths of ${alias}`, `the path ${said} cannot be allowed: ${outsideWords(own)}`))
}

async function checkProgram(loaded: LoadedConfig, name: string, why: string): Promise<Finding> {
  const found = await findProgram(loaded, name)
  return found === undefined ? noteFinding(name, `not found in PATH; ${why}`) : good(name, found)
}

async function findProgram({ path }: LoadedConfig, name: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found?.isFile() === true) return join(folder, name)
  }
  return undefined
}

/** Programs that servers start themselves, looked for whether or not the gateway has tried to start them. */
async function missingPrograms(loaded: LoadedConfig, connections: readonly ConnectionRow[]): Promise<Finding[]> {
  const needed = connections.flatMap(({ alias, enabled, settings }) =>
    enabled && 'programs' in settings ? (settings.programs ?? []).map((name) => ({ alias, name })) : [],
  )
  const found = await Promise.all(needed.map(({ name }) => findProgram(loaded, name)))
  return needed
    .filter((_, at) => found[at] === undefined)
    .map(({ alias, name }) =>
      bad(name, `not found in PATH; the connection ${alias} needs it. Install it on this machine.`),
    )
}
