/**
 * The declaration file (`TOOLWAY_CONFIG`): organizations, connections, toolsets, keys and rules as YAML, read strictly.
 *
 * A value that may be a secret is a text, `{ env: NAME }` or `{ file: path }`. Members at the top level belong to the
 * organization `default`. Errors name the member by its path and by line and column.
 */
import { readFileSync } from 'node:fs'
import {
  Alias,
  Audience,
  BACKENDS,
  backendWordsOf,
  CHECKS,
  ConnectionAuthChange,
  Fault,
  KeyPlace,
  LIMITS,
  LOCK_MODES,
  OperationEffects,
  OperationSelection,
  ChildAccess,
  ProgramNames,
  REVISIONS,
  Slug,
  TIMEOUTS,
  ToolsetSettings,
  VendorName,
  SERVICES,
  usualAddressOf,
  SERVICE_CONNECTORS,
  hasAddress,
  kindOf,
  type Backend,
  type ServiceConnector,
} from '@toolway/contract'
import { z } from 'zod'
import type { Declared } from './features/declaration/index.ts'
import { ConfigFault } from './config/fault.ts'
import { wordIssues } from './config-file-fault.ts'
import { ORGANIZATION_MEMBERS, ORGANIZATION_NAMES, organizationWordsOf } from './config-file-organization.ts'
import { createPresets, PRESET_MEMBERS } from './config-file-preset.ts'
import { checkRules, RULE_MEMBERS, Rules } from './config-file-rules.ts'
import { IdentityProviders, providersOf, SIGN_IN_MEMBERS, SIGN_IN_NAMES, signInOf } from './config-file-sign-in.ts'
import { createFill, Value, Values, type Fill } from './config-file-value.ts'
import { readYaml } from './config-file-yaml.ts'
import { KEY_FORM, roleOfMark } from './identity/keys/key-forms.ts'
import { serverOf } from './kinds/http/http.ts'
import type { Wire } from './kinds/kinds.ts'
import { connectorOf } from './kinds/native/native.ts'
import { apiServerOf, type ApiWords } from './kinds/openapi/openapi.ts'
import { accessOf, programOf } from './kinds/stdio/stdio.ts'

const SECONDS = 'must be a number of seconds above 0 and up to 3600'
const shared = {
  title: z.string().min(1).optional(),
  description: z.string().max(2_000).optional(),
  enabled: z.boolean().default(true),
  revision: z.enum(['auto', ...REVISIONS]).default('auto'),
  rules: Rules.optional(),
  checks: z.enum(CHECKS).optional(),
  /** Whether what its server says of the effects of its tools is believed. */
  trusted: z.boolean().optional(),
  /** Lock mode: which changes of the server's tools are held for review. */
  lock: z.enum(LOCK_MODES).optional(),
}
const seconds = z.number(SECONDS).positive(SECONDS).max(3600, SECONDS)
const Remote = z.strictObject({
  ...shared,
  timeout: seconds.default(TIMEOUTS.http),
  url: Value,
  headers: Values.default({}),
  auth: ConnectionAuthChange.optional(),
  /** Whether its address may lie in a private network; unsaid, it may where it names one in so many words. */
  private: z.boolean().optional(),
})
const Process = z.strictObject({
  ...shared,
  timeout: seconds.default(TIMEOUTS.process),
  command: z.string().min(1),
  args: z.array(Value).default([]),
  /** Programs besides the command that must be in PATH. */
  programs: ProgramNames.default([]),
  auth: ConnectionAuthChange.optional(),
  ...ChildAccess.shape,
  environment: Values.default({}),
})
/** Members of every kind of backend in a file. Of several faults the first member's is told. */
const BACKEND = {
  title: shared.title,
  description: shared.description,
  trusted: shared.trusted,
  lock: shared.lock,
  private: Remote.shape.private,
  enabled: shared.enabled,
  rules: shared.rules,
  checks: shared.checks,
}
const BackendBase = z.object({ ...BACKEND, timeout: seconds, url: Value, headers: Values.default({}) })
const Service = z.strictObject({
  title: shared.title,
  description: shared.description,
  enabled: shared.enabled,
  rules: shared.rules,
  checks: shared.checks,
  lock: shared.lock,
})
/** Its own settings stand beside these. */
type WrittenBackend = z.output<typeof BackendBase> & { readonly type: Backend }

const backendShape = ({ connector, timeout, own, addresses }: (typeof BACKENDS)[number]) => {
  const usual = usualAddressOf(connector)
  const further = Object.keys(addresses).filter((name) => name !== 'url')
  return z.strictObject({
    ...own.given.shape,
    ...Object.fromEntries(further.map((name) => [name, Value.optional()])),
    ...BACKEND,
    type: z.literal(connector),
    timeout: seconds.default(timeout),
    url: usual === undefined ? Value : Value.default(usual),
    headers: Values.default({}),
  })
}
const BACKEND_SHAPES = BACKENDS.map(backendShape)

/** A service without an address, such as Toolway itself. */
const HERE_SHAPES = SERVICES.filter(({ connector }) => !hasAddress(connector)).map(({ connector, timeout }) =>
  Service.extend({ type: z.literal(connector), timeout: seconds.default(timeout) }),
)
type WrittenHere = z.output<typeof Service> & { readonly type: ServiceConnector; readonly timeout: number }
/** A vendor whose tools Toolway has. `url` names a server of the vendor's kind in place of the vendor's own. */
const Native = Remote.extend({
  type: z.literal('native'),
  vendor: VendorName,
  /** The source of a connector of one's own: `{ file: acme.ts }`, or the text. */
  source: Value.optional(),
  scopes_for: z.enum(LIMITS).optional(),
  url: Value.optional(),
})
const OpenApi = Remote.extend({
  type: z.literal('openapi'),
  /** An address, a file beside this one (`{ file: shop.yaml }`), or the document itself (`{ text: … }`). */
  document: z.union(
    [Value, z.strictObject({ text: z.string().min(1) })],
    'must be an address, { file: path } or { text: document }',
  ),
  select: OperationSelection.prefault({}),
  effects: OperationEffects.default({}),
  key: KeyPlace.optional(),
})
/** The type is optional, because the other members determine it; where it is given, it applies. */
const Connection = z.union(
  [
    Remote.extend({ type: z.enum(['http', 'sse', 'ws']).optional() }),
    Process.extend({ type: z.enum(['stdio']).optional() }),
    ...(BACKEND_SHAPES as unknown as readonly [z.ZodType<WrittenBackend>]),
    ...(HERE_SHAPES as unknown as readonly [z.ZodType<WrittenHere>]),
    OpenApi,
    Native,
  ],
  { error: ({ input }) => wordKind(input) },
)

const Toolset = ToolsetSettings.extend({ title: z.string().min(1).optional() })
const Key = z.strictObject({
  value: Value,
  toolset: Slug.optional(),
  role: z.enum(['tenant_admin', 'tenant_member', 'tenant_viewer']).default('tenant_member'),
  limit: z.enum(LIMITS).default('execute'),
  /** May call on behalf of members. */
  trusted: z.boolean().default(false),
  expires: z
    .union(
      [z.iso.date(), z.iso.datetime({ offset: true })],
      'must be a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z',
    )
    .optional(),
})

const Group = z.strictObject({
  title: z.string().min(1).optional(),
  members: z.array(z.email('must be the email address of a person').toLowerCase()).default([]),
})

const members = {
  ...PRESET_MEMBERS,
  ...ORGANIZATION_MEMBERS,
  connections: z.record(Alias, Connection).default({}),
  toolsets: z.record(Slug, Toolset).default({}),
  keys: z.record(z.string().min(1), Key).default({}),
  groups: z.record(Slug, Group).default({}),
  rules: Rules.optional(),
  ...SIGN_IN_MEMBERS,
}
const File = z.strictObject({
  ...members,
  /** Settings of every organization. */
  platform: z.strictObject({ rules: Rules.optional(), identity_providers: IdentityProviders.optional() }).optional(),
  organizations: z.record(Slug, z.strictObject(members)).default({}),
})

/** Every name that a member can have: what a misspelt one may have meant. */
const NAMES = [
  'type',
  ...[
    File,
    Remote,
    Process,
    ...BACKEND_SHAPES,
    ...HERE_SHAPES,
    OpenApi,
    Native,
    Toolset,
    Audience,
    Key,
    Group,
    ConnectionAuthChange,
  ].flatMap((shape) => Object.keys(shape.shape)),
  ...ORGANIZATION_NAMES,
  ...SIGN_IN_NAMES,
  ...RULE_MEMBERS,
]

/** Read and check the file, and look its values up. Throws ConfigFault with file, line and column. */
export const readConfigFile = (path: string, lookup: (name: string) => string | undefined): Declared[] =>
  readDeclaration(path, readText(path), lookup)

/** The same for a text. `path`: where it comes from, and what paths in it begin at. Throws ConfigFault. */
export function readDeclaration(path: string, text: string, lookup: (name: string) => string | undefined): Declared[] {
  const { value, complain } = readYaml(path, text)
  const presets = createPresets({ path, lookup, complain })
  const parsed = File.safeParse(presets.expand(value ?? {}))
  if (!parsed.success) throw wordIssues(complain, parsed.error.issues, NAMES)
  const { organizations, platform, ...own } = parsed.data
  checkRules(platform?.rules, 'platform', ['platform', 'rules'], complain)
  if (organizations['default'] !== undefined) {
    throw complain(
      ['organizations', 'default'],
      'belongs at the top level of the file, which is the organization "default"',
    )
  }
  const read = (slug: string, place: readonly string[], members: Members) =>
    declared(slug, members, createFill({ path, place, lookup: presets.lookupOf(slug), complain }))
  return [
    {
      ...read('default', [], own),
      ...(platform === undefined
        ? {}
        : { platform: platformOf(platform, createFill({ path, place: ['platform'], lookup, complain })) }),
    },
    ...Object.entries(organizations).map(([slug, own]) => read(slug, ['organizations', slug], own)),
  ]
}

/** Rules that are absent beside providers are left alone. */
function platformOf(
  { rules, identity_providers: providers }: NonNullable<z.output<typeof File>['platform']>,
  fill: Fill,
): Declared['platform'] {
  if (providers === undefined) return { rules: rules ?? [] }
  return { ...(rules === undefined ? {} : { rules }), identityProviders: providersOf(providers, fill) }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code
    throw new ConfigFault(`The declaration file ${path} cannot be read (${code}): check the path and its permissions.`)
  }
}

type Members = Omit<z.output<typeof File>, 'organizations' | 'platform'>

function declared(slug: string, members: Members, fill: Fill): Declared {
  const { name, connections, toolsets, keys, groups, rules } = members
  checkRules(rules, 'organization', ['rules'], fill.complain)
  for (const [alias, connection] of Object.entries(connections))
    checkRules(connection.rules, 'connection', ['connections', alias, 'rules'], fill.complain)
  for (const [toolset, settings] of Object.entries(toolsets))
    checkRules(settings.rules, 'toolset', ['toolsets', toolset, 'rules'], fill.complain)
  const fillAll = (values: z.output<typeof Values>, ...place: string[]) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(value, ...place, key)]))
  return {
    ...{ slug, name },
    ...organizationWordsOf(members),
    ...(rules === undefined ? {} : { rules }),
    ...signInOf(members, fill),
    connections: Object.entries(connections).map(([alias, connection]) => {
      const place = ['connections', alias]
      const { title = alias, enabled, timeout, checks, rules: own } = connection
      const trusted = 'trusted' in connection ? connection.trusted : undefined
      const revision = 'revision' in connection ? connection.revision : 'auto'
      const document = 'document' in connection ? documentOf(connection, fill, place) : undefined
      const text = document?.text
      const remote = (input: { url: z.output<typeof Value>; headers: z.output<typeof Values> }, type?: string) => ({
        url: addressOf(fill(input.url, ...place, 'url'), type, (problem) => fill.complain([...place, 'url'], problem)),
        headers: fillAll(input.headers, ...place, 'headers'),
      })
      const wireOf = (): Wire => {
        if ('command' in connection)
          return {
            ...programOf(
              connection.command,
              connection.args.map((arg, index) => fill(arg, ...place, 'args', String(index))),
              fillAll(connection.environment, ...place, 'environment'),
              connection.programs,
              accessOf(connection),
            ),
            ...(connection.auth === undefined ? {} : { auth: connection.auth }),
          }
        if (isHere(connection)) return { kind: connection.type } as Wire
        if (connection.type === 'native') return nativeOf(connection, fill, place)
        const at = remote(connection, connection.type)
        if (isBackend(connection)) return backendWireOf(connection, at, fill, place)
        const served = { ...at, ...(connection.auth === undefined ? {} : { auth: connection.auth }) }
        return document === undefined ? serverOf(served) : apiServerOf({ ...served, api: document.api })
      }
      const wire = wireOf()
      const more = {
        ...(own === undefined ? {} : { rules: own }),
        ...(connection.lock === undefined ? {} : { lock: connection.lock }),
        ...(text === undefined ? {} : { text }),
        ...(connection.description === undefined ? {} : { description: connection.description }),
        ...('private' in connection && connection.private !== undefined ? { private: connection.private } : {}),
      }
      return { alias, title, enabled, revision, timeout, checks, wire, trusted, ...more }
    }),
    toolsets: Object.entries(toolsets).map(([toolset, { title, ...settings }]) => ({
      slug: toolset,
      title: title ?? toolset,
      settings,
    })),
    groups: Object.entries(groups).map(([group, { title = group, members }]) => ({ slug: group, title, members })),
    keys: Object.entries(keys).map(([key, { value, toolset, expires, ...rest }]) => {
      const text = fill(value, 'keys', key, 'value')
      if (!KEY_FORM.test(text))
        throw fill.complain(
          ['keys', key, 'value'],
          'must be uru_ followed by 64 hexadecimal digits, or a scoped key (smcp_…)',
        )
      const marked = roleOfMark(text)
      if (marked !== undefined && marked !== rest.role)
        throw fill.complain(['keys', key, 'role'], `must be ${marked}, the beginning of its value`)
      return {
        ...rest,
        name: key,
        value: text,
        toolset,
        expires: expires === undefined ? undefined : new Date(expires),
      }
    }),
  }
}

function nativeOf(
  { vendor, source, scopes_for: scopesFor, url, headers, auth }: z.output<typeof Native>,
  fill: Fill,
  place: string[],
): Wire {
  const values = Object.entries(headers).map(([name, value]) => [name, fill(value, ...place, 'headers', name)])
  try {
    return connectorOf({
      ...{ vendor, scopesFor, headers: Object.fromEntries(values) as Record<string, string>, auth },
      source: source === undefined ? undefined : fill(source, ...place, 'source'),
      url: url === undefined ? undefined : fill(url, ...place, 'url'),
    })
  } catch (thrown) {
    if (thrown instanceof Fault) throw fill.complain([...place, 'vendor'], String(thrown.facts['problem']))
    throw thrown
  }
}

/** A file is read now, and kept as what it says; an address is asked when the connection is first opened. */
function documentOf({ document, select, effects, key }: z.output<typeof OpenApi>, fill: Fill, place: string[]) {
  const isInline = typeof document !== 'string' && 'text' in document
  const text = isInline ? document.text : fill(document, ...place, 'document')
  const isText = isInline || (typeof document !== 'string' && 'file' in document)
  if (!isText && !/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw fill.complain([...place, 'document'], 'must be an address that starts with https:// or http://, or a file')
  const api: ApiWords = { document: isText ? undefined : text, select, effects, key }
  return isText ? { api, text } : { api, text: undefined }
}

const HERE: ReadonlySet<unknown> = new Set(SERVICE_CONNECTORS.filter((connector) => !hasAddress(connector)))
const isHere = (connection: z.output<typeof Connection>): connection is WrittenHere => HERE.has(connection.type)
const isBackend = (connection: z.output<typeof Connection>): connection is WrittenBackend =>
  BACKENDS.some(({ connector }) => connector === connection.type)

/** Its addresses besides `url` are looked up, too; where the file has none the default is used. */
function backendWireOf(
  connection: WrittenBackend,
  at: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  fill: Fill,
  place: readonly string[],
): Wire {
  const { type: kind } = connection
  const settings: Readonly<Record<string, unknown>> = { ...connection }
  const further = Object.keys(kindOf(kind).addresses)
    .filter((name) => name !== 'url' && settings[name] !== undefined)
    .map((name) => {
      const text = fill(Value.parse(settings[name]), ...place, name)
      if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
        throw fill.complain([...place, name], 'must be an address that starts with http:// or https://')
      return [name, text] as const
    })
  return { kind, ...at, words: backendWordsOf(kind, { ...settings, ...Object.fromEntries(further) }) } as Wire
}

/** The address is not repeated: it may hold a secret. */
function addressOf(text: string, type: string | undefined, complain: (problem: string) => ConfigFault): string {
  const scheme = URL.parse(text)?.protocol ?? ''
  const [http, ws] = [/^https?:$/.test(scheme), /^wss?:$/.test(scheme) && type !== 'openapi']
  if (!http && !ws) throw complain('must be an address that starts with http://, https://, ws:// or wss://')
  if (type !== undefined && (type === 'ws') !== ws)
    throw complain(
      `must start with ${type === 'ws' ? 'ws:// or wss://' : 'http:// or https://'}, as its type is ${type}`,
    )
  return text
}

/** A connection says by one member which kind it is; undefined leaves it to the kind it says. */
function wordKind(connection: unknown): string | undefined {
  if (typeof connection !== 'object' || connection === null || Array.isArray(connection)) return undefined
  const names = Object.keys(connection)
  if (names.includes('url') && names.includes('command')) return 'has both url and command: keep one of them'
  const isKnown = (name: string) => NAMES.includes(name)
  return names.some((name) => name === 'url' || name === 'command' || name === 'vendor' || !isKnown(name))
    ? undefined
    : 'needs a url (a remote server) or a command (a server that the gateway starts)'
}
