/** A connection that does not exist yet, as it is typed. Pure. Requests to the gateway are built from it. */
import {
  kindOf,
  ownMemberOf,
  DEFAULT_CONNECTOR,
  hasAddress as isAtAddress,
  SERVICE_CONNECTORS,
  type CatalogEntry,
  type Connector,
  type Limit,
  type LimitedTools,
} from '@toolway/contract'
import type { Connection, NewConnection } from '@toolway/contract/admin'
import type { Archive } from '../../../parts/document-files/upload.ts'
import { accessWords, DEFAULT_ACCESS, type AccessDraft } from '../../../parts/child-access/access-draft.ts'

/** `service`: a kind that is one service, such as n8n, with settings of its own. */
export type Kind = 'remote' | 'program' | 'openapi' | 'contract' | 'native' | 'service'
export type AuthType = 'oauth' | 'api_key' | 'none'

/** How each kind is connected. */
interface Way {
  readonly connector: Connector
  /** Made of a document, by an operation of its own. */
  readonly ofDocument: boolean
  /** Ways in that are offered; a document says its own. */
  readonly ways: readonly AuthType[]
  /** Whether people or the organization can have accounts at it. */
  readonly accounts: boolean
}
export const WAYS: Readonly<Record<Kind, Way>> = {
  remote: { connector: 'mcp.http', ofDocument: false, ways: ['oauth', 'api_key', 'none'], accounts: true },
  program: { connector: 'mcp.process', ofDocument: false, ways: ['none'], accounts: false },
  openapi: { connector: 'openapi', ofDocument: true, ways: ['api_key', 'none'], accounts: true },
  contract: { connector: 'contract', ofDocument: false, ways: ['api_key', 'none'], accounts: false },
  service: {
    connector: SERVICE_CONNECTORS[0] ?? DEFAULT_CONNECTOR,
    ofDocument: false,
    ways: ['none'],
    accounts: false,
  },
  native: { connector: 'native', ofDocument: false, ways: ['oauth', 'api_key'], accounts: true },
}

/** A header, or a variable of a program. */
export interface Value {
  readonly name: string
  readonly value: string
  /** Not shown while it is typed. */
  readonly secret: boolean
  readonly required: boolean
  readonly about?: string | undefined
  readonly placeholder?: string | undefined
}

export interface Draft {
  readonly kind: Kind
  /** Of a server, a backend, or where an OpenAPI document is; '' for what has none. */
  readonly url: string
  /** The OpenAPI document itself, where it was pasted. */
  readonly document: string
  /** Or its archive, where it was opened with its files. */
  readonly archive: Archive | undefined
  /** Where the calls of an OpenAPI document go, where it does not say. */
  readonly base: string
  /** The tags of it whose operations are wanted; none: all. */
  readonly tags: readonly string[]
  readonly command: string
  readonly args: readonly string[]
  /** Programs besides the command that must be on the gateway's machine. */
  readonly programs: readonly string[]
  /** Of a program: its network, hosts and paths. */
  readonly access: AccessDraft
  /** Words in braces of the command line that are still to be said. */
  readonly blanks: readonly Value[]
  readonly environment: readonly Value[]
  readonly headers: readonly Value[]
  /** Undefined: nobody said. */
  readonly auth: AuthType | undefined
  /** An OpenAPI document says where its key goes, or whose OAuth it is. */
  readonly documented: boolean
  readonly key: string
  /** Asked for with OAuth instead of what the server names. */
  readonly scopes: readonly string[]
  /** The native connector. */
  readonly vendor: string
  /** Of a service: which one, and its own settings where they were said. */
  readonly service: Connector | undefined
  readonly own: Readonly<Record<string, unknown>>
  /** How far the tools of a native connector reach whose scopes an account is asked for at first. */
  readonly scopesFor: Limit
  /** As it was pasted, or typed. */
  readonly name: string
  /** The name that what is connected gives itself; '' where none is known. */
  readonly proposed: string
  /** The entry of the catalog that it is of. */
  readonly entry: string | undefined
  /** The limit on its tools in the configuration that was pasted. */
  readonly tools: LimitedTools | undefined
  /** Members of that configuration that nothing was made of. */
  readonly unread: readonly string[]
  /** It is switched off there. */
  readonly off: boolean
}

/** The kind that an address of an OpenAPI document is for. */
export const DOCUMENT_KIND: Kind = 'openapi'

const NOTHING: Draft = {
  kind: 'remote',
  url: '',
  document: '',
  archive: undefined,
  base: '',
  tags: [],
  command: '',
  args: [],
  programs: [],
  access: DEFAULT_ACCESS,
  blanks: [],
  environment: [],
  headers: [],
  auth: undefined,
  documented: false,
  key: '',
  scopes: [],
  vendor: '',
  service: undefined,
  own: {},
  scopesFor: 'execute',
  name: '',
  proposed: '',
  entry: undefined,
  tools: undefined,
  unread: [],
  off: false,
}

export const draft = (input: Partial<Draft>): Draft => ({ ...NOTHING, ...input })

const SECRET = /key|token|secret|passw|credential|auth|(^|_)pat$/i

export const isSecretName = (name: string): boolean => SECRET.test(name)

/** Placeholders that a user is meant to replace: `<your key>`, `${TOKEN}`, `YOUR_API_KEY`, `xxxx`, `...`. */
const BLANK =
  /^(?:<[^>]*>|%[A-Za-z_]\w+%|\{\{[^}]*\}\}|\$\{\{[^}]*\}\}|\$\{[^}]*\}|\$[A-Z_]+|\{[^}]*\}|(?:your|my|insert|enter)[-_ ].*|x{3,}|\.{3}|…)$/i

export const isBlank = (value: string): boolean => BLANK.test(value.trim())

export const valueOf = (name: string, value: string, secret = isSecretName(name)): Value => {
  const blank = isBlank(value)
  return { name, value: blank ? '' : value, secret, required: true, placeholder: blank ? value.trim() : undefined }
}

/** Of the catalog; the best way in first. */
export function draftOfEntry(entry: CatalogEntry): Draft {
  const { id, title, connector, url, command, auth, scopes, asks, native, programs } = entry
  const valuesFor = (place: string): Value[] =>
    asks
      .filter((ask) => ask.in === place)
      .map(({ name, about, required, secret, placeholder }) => ({
        ...{ name, about, required, secret, value: '' },
        placeholder: placeholder ?? undefined,
      }))
  const [program = '', ...args] = command ?? []
  return draft({
    ...(kindOfEntry(entry) === 'service' ? { service: connector } : {}),
    ...{ kind: kindOfEntry(entry), url: url ?? '', command: program, args, vendor: native?.vendor ?? '' },
    programs: programs.filter((value) => value !== program),
    ...{ blanks: valuesFor('args'), environment: valuesFor('environment'), headers: valuesFor('headers') },
    ...{ auth: kindOf(connector).runsHere ? 'none' : auth[0], scopes, name: title, entry: id },
  })
}

const SERVICES: ReadonlySet<string> = new Set(SERVICE_CONNECTORS)
const kindOfEntry = ({ connector, native }: CatalogEntry): Kind => {
  if (native !== null) return 'native'
  if (connector === WAYS.contract.connector) return 'contract'
  return SERVICES.has(connector) ? 'service' : kindOf(connector).runsHere ? 'program' : 'remote'
}

export const connectorOf = ({ kind, service }: Pick<Draft, 'kind' | 'service'>): Connector =>
  service ?? WAYS[kind].connector

/** Whether it is reached at an address; this gateway itself is not. */
export const hasAddress = ({ kind, service }: Pick<Draft, 'kind' | 'service'>): boolean =>
  kind !== 'program' && (service === undefined || isAtAddress(service))

/** Why an address is not taken; undefined where it is (ledger S2-UI-02). */
export function problemOfAddress(url: string): 'empty' | 'scheme' | 'user' | 'unreadable' | undefined {
  const text = url.trim()
  if (text === '') return 'empty'
  if (/^[a-z][a-z0-9+.-]*:/i.test(text) && !/^https?:\/\//i.test(text) && !/^[\w.-]+:\d+(?:\/|$)/.test(text))
    return 'scheme'
  const read = URL.parse(text)
  if (read === null || read.hostname === '' || !/^https?:$/.test(read.protocol)) return 'unreadable'
  return read.username !== '' || read.password !== '' ? 'user' : undefined
}

function isPrivateHost(url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  return (
    /^(?:localhost|.*\.localhost|.*\.internal|.*\.local)$/.test(host) ||
    host.includes(':') ||
    /^\d+(?:\.\d+){3}$/.test(host)
  )
}
/** Whether an OpenAPI document was pasted or opened, so that it has no address. */
export const isGiven = ({ document, archive }: Pick<Draft, 'document' | 'archive'>): boolean =>
  document !== '' || archive !== undefined

/** An OpenAPI document of a private network is only read where an operator says so. */
export const namesPrivate = ({ url, base }: Draft): boolean => isPrivateHost(url) || isPrivateHost(base)

/** The change by a name that what is connected gives itself: it is taken where nobody typed another. */
export const withProposed = (
  { name, proposed: before }: Pick<Draft, 'name' | 'proposed'>,
  proposed: string,
): Partial<Draft> => ({ proposed, ...(name === before ? { name: proposed } : {}) })

/** Returns the default name: the server's own name, else the host, the package, or the program. */
export function defaultName({ kind, url, command, args, proposed }: Draft): string {
  if (proposed !== '') return proposed
  if (kind !== 'program') return URL.parse(url)?.host ?? ''
  const words = [command, ...args]
  const named = words.slice(1).findLast((word) => !word.startsWith('-') && !word.includes('{')) ?? command
  const last =
    named
      .replace(/@[\d.a-z]+$/i, '')
      .split(/[\\/]/)
      .findLast((part) => part !== '') ?? command
  return last.replace(/\.[a-z]+$/, '').replace(/^server-|^mcp-server-|^mcp-|-mcp(?:-server)?$/g, '') || command
}

export const nameOf = (item: Draft): string => item.name.trim() || defaultName(item)

/** One line that says what it is: an address, the file that was opened, or a command line as one would type it. */
export const placeOf = (item: Draft): string =>
  item.kind === 'program' ? [item.command, ...argsOf(item)].map(quoted).join(' ') : (item.archive?.name ?? item.url)

const quoted = (word: string) =>
  /^[\w@%+=:,./{}[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Words in braces as they were said. */
export const argsOf = ({ args, blanks }: Draft): string[] =>
  args.map((arg) => {
    const blank = blanks.find(({ name }) => arg === `{${name}}`)
    return blank === undefined || blank.value === '' ? arg : blank.value
  })

const PLACEHOLDER =
  /\$?\{\{\s*(?:\w+\.)?([^{}]+?)\s*\}\}|\$\{([^{}]+)\}|(?<!\$)\{env:([^{}]+)\}|(?<=^|[\s/\\:=,;@"'([])\$([A-Z_][A-Z0-9_]+)(?![\w$(])|(?<![\w%])%([A-Za-z_]\w{2,})%(?!\w)/g

/** `${NAME}`, `${env:NAME}`, `${input:NAME}`, `${NAME:-default}`, `$NAME`, `%NAME%`, `{env:NAME}`, `{{NAME}}`: each that stands within a text is asked for by its name. */
export function withVariables(item: Draft): Draft {
  const texts = [item.url, item.key, ...item.args, ...[...item.headers, ...item.environment].map(({ value }) => value)]
  const found = new Map<string, Value>()
  for (const [placeholder, ...groups] of texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)])) {
    const inside = groups.find((group) => group !== undefined) ?? ''
    const [name = inside, unsaid = ''] = inside.replace(/^(?:env|input):/, '').split(':-')
    found.set(placeholder, { name, value: unsaid, secret: isSecretName(name), required: true, placeholder })
  }
  return found.size === 0 ? item : { ...item, blanks: [...item.blanks, ...found.values()] }
}

const isVariable = (placeholder: string) => placeholder.replaceAll(PLACEHOLDER, '') === ''

/** With what was said for its variables in their places. */
export function withValues(item: Draft): Draft {
  const fill = (text: string) =>
    item.blanks.reduce(
      (before, { placeholder, value }) =>
        placeholder !== undefined && value !== '' && isVariable(placeholder)
          ? before.replaceAll(placeholder, () => value)
          : before,
      text,
    )
  const fillValues = (values: readonly Value[]) => values.map((each) => ({ ...each, value: fill(each.value) }))
  return {
    ...item,
    url: fill(item.url),
    key: fill(item.key),
    args: item.args.map(fill),
    headers: fillValues(item.headers),
    environment: fillValues(item.environment),
  }
}

/** A connection that reaches the same: the same address, or the same command. Secrets of arguments are masked there. */
export const isThere = (item: Draft, { url, command, args }: Pick<Connection, 'url' | 'command' | 'args'>): boolean =>
  item.kind === 'program'
    ? item.command === command &&
      args?.length === item.args.length &&
      args.every((arg, at) => arg === item.args[at] || arg.includes('•••'))
    : url !== null && url === item.url

/** The first of these that reaches the same as the one at this place, and comes before it. */
export const twinOf = (drafts: readonly Draft[], at: number): Draft | undefined =>
  drafts.slice(0, at).find((item) => item.kind === drafts[at]?.kind && placeOf(item) === placeOf(drafts[at]))

/** The names of the values that are secrets, but for the key. */
export const secretsIn = (item: Draft): string[] =>
  [...item.blanks, ...item.environment, ...item.headers].filter(({ secret }) => secret).map(({ name }) => name)

/** Returns the required values that are still empty. */
export const missingIn = (item: Draft): Value[] =>
  [...item.blanks, ...item.environment, ...item.headers].filter(
    ({ required, value }) => required && value.trim() === '',
  )

const pairsOf = (values: readonly Value[]): Record<string, string> =>
  Object.fromEntries(values.filter(({ value }) => value !== '').map(({ name, value }) => [name, value]))

/** Where nobody says, nothing is sent until the server asks for OAuth. */
const KINDS = { oauth: 'oauth', api_key: 'key', none: 'none', unsaid: 'auto' } as const

/** For what is connected by `addConnection`; an OpenAPI document has an operation of its own. */
export function wordsOf(item: Draft): NewConnection {
  const title = nameOf(item).slice(0, 100)
  if (item.kind === 'program')
    return {
      connector: WAYS.program.connector,
      title,
      command: item.command,
      args: argsOf(item),
      ...(item.programs.length === 0 ? {} : { programs: [...item.programs] }),
      environment: pairsOf(item.environment),
      ...accessWords(item.access),
    }
  const headers = pairsOf(item.headers)
  if (item.kind === 'contract') {
    const key = item.auth === 'api_key' && item.key !== '' ? { authorization: `Bearer ${item.key}` } : {}
    return { connector: WAYS.contract.connector, title, url: item.url.trim(), headers: { ...headers, ...key } }
  }
  if (item.kind === 'service') {
    const connector = connectorOf(item)
    const member = ownMemberOf(connector)
    return {
      ...{ connector, title },
      ...(hasAddress(item) ? { url: item.url.trim(), headers } : {}),
      ...(member === undefined || Object.keys(item.own).length === 0 ? {} : { [member]: item.own }),
    }
  }
  const auth = authOf(item)
  if (item.kind === 'native')
    return {
      ...{ connector: WAYS.native.connector, title, url: item.url.trim(), headers },
      ...{ native: { vendor: item.vendor, scopes_for: item.scopesFor }, auth: { kind: auth.kind } },
    }
  return { connector: WAYS.remote.connector, title, url: item.url.trim(), headers, auth }
}

export const authOf = ({ auth, scopes }: Draft) => ({
  kind: KINDS[auth ?? 'unsaid'],
  ...(auth === 'oauth' && scopes.length > 0 ? { scopes: [...scopes] } : {}),
})

/** Returns the chosen authentication method, or the default. */
export const wayOf = ({ auth, kind }: Pick<Draft, 'auth' | 'kind'>): AuthType =>
  auth ?? (kind === 'remote' || kind === 'native' ? 'oauth' : 'none')

/**
 * What of a draft may be kept in the browser over a reload: no key, no value of a header or variable, no arguments and no address
 * that could contain one. Undefined where too little is left to go on with.
 */
export function withoutSecrets(draft: Draft): Draft | undefined {
  if (draft.kind === 'program' || isGiven(draft) || !isPlainAddress(draft.url)) return undefined
  const empty = (values: readonly Value[]) => values.map((value) => ({ ...value, value: '' }))
  return { ...draft, key: '', headers: empty(draft.headers), environment: [], blanks: empty(draft.blanks), own: {} }
}

function isPlainAddress(url: string): boolean {
  if (url === '') return true
  const parsed = URL.parse(url)
  return (
    parsed !== null && parsed.username === '' && parsed.password === '' && parsed.search === '' && parsed.hash === ''
  )
}
