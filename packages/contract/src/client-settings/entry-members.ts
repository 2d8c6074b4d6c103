/**
 * Which members of an entry are read, under the names of all clients, and what is told of the others.
 *
 * A member that nobody reads is named in a note, whatever it is: a credential or a limit that is lost in silence is found when it hurts.
 */
import { isFields, ownOf, type Fields } from './fields.ts'
import { LIMIT_MEMBERS } from './tool-limits.ts'
import { clean, type EntryReader } from './entry-reader.ts'

const ADDRESSES = ['url', 'serverUrl', 'httpUrl', 'uri'] as const
const ENVIRONMENTS = ['env', 'environment', 'envs'] as const
/** Records of headers, and objects that hold one under `headers`. */
const HEADERS = ['headers', 'http_headers', 'httpHeaders', 'customHeaders'] as const
const HEADER_HOLDERS = ['requestInit', 'requestOptions', 'eventSourceInit'] as const
const BEARERS = ['bearerToken', 'bearer_token', 'authorizationToken', 'authorization_token'] as const

/** Members that change how a server runs and that a connection does not have. */
const TELLING: Readonly<Record<string, string>> = {
  envFile: 'The variables in its "envFile" are not read; add the ones that the server needs.',
  cwd: 'Its working directory ("cwd") is not carried over; use absolute paths.',
  sandbox: 'Its "sandbox" rules are not carried over.',
  headersHelper: 'Its "headersHelper" is not run; add the headers that it generates.',
  oauth: 'Its sign-in settings are not carried over; sign in again from Toolway.',
  auth: 'Its sign-in settings are not carried over; sign in again from Toolway.',
  autoApprove: 'Its list of automatically approved tools is not carried over; use rules instead.',
  alwaysAllow: 'Its list of automatically approved tools is not carried over; use rules instead.',
}
/** Read here or elsewhere, or without a meaning outside of the client's own screens. */
const READ = new Set<string>([
  ...['type', 'transport', 'command', 'cmd', 'args', 'disabled', 'enabled', 'source'],
  ...['name', 'title', 'display_name', 'description', 'icon', 'iconPath', 'bundled', 'chatMenu', 'version', 'metadata'],
  ...['env_keys', 'env_vars', 'bearer_token_env_var', 'env_http_headers', 'apiKey', 'api_key', 'settings'],
  ...ADDRESSES,
  ...ENVIRONMENTS,
  ...HEADERS,
  ...HEADER_HOLDERS,
  ...BEARERS,
  ...LIMIT_MEMBERS,
])

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isFields(value) && Object.keys(value).length === 0)

/** Zed's older form keeps command, args and env under `command`, Continue's under `transport`; opencode's command is one list. */
export function withCommandMembers(entry: Fields): Fields {
  const { command, transport } = entry
  const outer = isFields(transport) ? { ...without(entry, 'transport'), ...transport } : entry
  if (isFields(command)) return { ...outer, ...without(command, 'path'), command: command['path'] }
  if (!Array.isArray(command)) return outer
  const [program, ...args] = command as unknown[]
  return {
    ...outer,
    command: program,
    args: [...args, ...(Array.isArray(outer['args']) ? (outer['args'] as unknown[]) : [])],
  }
}

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([value]) => value !== name))

export const addressOf = (entry: Fields): unknown =>
  ADDRESSES.map((name) => ownOf(entry, name)).find((value) => value !== undefined && value !== null)

export const commandOf = (entry: Fields): unknown => ownOf(entry, 'command') ?? ownOf(entry, 'cmd')

/** Variables, also those that the client takes from its own environment or its keyring: they become placeholders. */
export function environmentOf(entry: Fields, reader: EntryReader): Fields {
  const named = ['env_keys', 'env_vars'].flatMap((member) => reader.list(namesOf(entry[member]), member))
  const found = ENVIRONMENTS.map((member) => recordOf(entry[member], member, reader))
  return Object.assign(Object.fromEntries(named.map((name) => [name, `\${${name}}`])), ...found) as Fields
}

/** Codex names a variable as a text or as `{ name }`. */
const namesOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item: unknown) => (isFields(item) ? item['name'] : item)) : value

function recordOf(value: unknown, member: string, reader: EntryReader): Fields {
  if (isEmpty(value)) return {}
  if (isFields(value)) return value
  reader.need('wrong-shape', `${reader.path}.${member} must be an object with string values.`)
  return {}
}

/** Headers from all their places, and the credentials that become one. */
export function headersOf(entry: Fields, reader: EntryReader): Fields {
  const holders = HEADER_HOLDERS.flatMap((member) => {
    const holder = entry[member]
    if (!isFields(holder)) return []
    noteRest(holder, member, reader)
    return [recordOf(holder['headers'], `${member}.headers`, reader)]
  })
  const headers = Object.assign(
    {},
    ...holders,
    ...HEADERS.map((member) => recordOf(entry[member], member, reader)),
    Object.fromEntries(
      Object.entries(recordOf(entry['env_http_headers'], 'env_http_headers', reader)).map(([name, of]) => [
        name,
        `\${${String(of)}}`,
      ]),
    ),
  ) as Fields
  const credential = credentialOf(entry, reader)
  const isThere = (name: string) => Object.keys(headers).some((value) => value.toLowerCase() === name.toLowerCase())
  return credential === undefined || isThere(credential[0]) ? headers : { ...headers, [credential[0]]: credential[1] }
}

const noteRest = (holder: Fields, member: string, { notes, unread }: EntryReader) => {
  const rest = Object.keys(holder).filter((name) => name !== 'headers' && !isEmpty(holder[name]))
  unread.push(...rest.map((name) => clean(`${member}.${name}`)))
  if (rest.length > 0) notes.push(unreadNote(rest.map((name) => `${member}.${name}`)))
}

type Header = readonly [name: string, value: string]

function credentialOf(entry: Fields, reader: EntryReader): Header | undefined {
  for (const member of BEARERS) {
    const value = entry[member]
    if (isEmpty(value)) continue
    if (typeof value === 'string') return bearer(value)
    reader.need('wrong-shape', `${reader.path}.${member} must be a string.`)
  }
  const variable = entry['bearer_token_env_var']
  if (typeof variable === 'string' && variable !== '') return bearer(`\${${variable}}`)
  const key = entry['apiKey'] ?? entry['api_key']
  if (isEmpty(key)) return undefined
  if (typeof key === 'string') return bearer(key)
  if (isFields(key) && typeof key['key'] === 'string') return ofApiKey(key, key['key'])
  reader.need('not-carried-over', 'Its "apiKey" is not carried over: put the key in "headers".')
  return undefined
}

const bearer = (token: string): Header => ['Authorization', /^bearer\s/i.test(token) ? token : `Bearer ${token}`]

/** LibreChat: how a key is sent. */
function ofApiKey(input: Fields, key: string): Header {
  const { authorization_type: type, custom_header: header } = input
  if (type === 'custom' && typeof header === 'string') return [header, key]
  return type === 'basic' ? ['Authorization', `Basic ${key}`] : bearer(key)
}

const unreadNote = (names: readonly string[]) =>
  `Not carried over: ${names.map((name) => `"${clean(name)}"`).join(', ')}.`

export function noteUnread(entry: Fields, { notes, unread }: EntryReader): void {
  const set = Object.keys(entry).filter((name) => !isEmpty(entry[name]))
  for (const name of set) {
    const note = Object.hasOwn(TELLING, name) ? TELLING[name] : undefined
    if (note !== undefined && !notes.includes(note)) notes.push(note)
  }
  const rest = set.filter((name) => !READ.has(name) && !Object.hasOwn(TELLING, name))
  unread.push(...set.filter((name) => !READ.has(name)).map(clean))
  if (rest.length > 0) notes.push(unreadNote(rest))
}
