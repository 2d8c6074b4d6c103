/** `toolway key …`: make, list, remove and take over the keys of an organization or of the platform. A key is printed once. */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { readFile } from 'node:fs/promises'
import { LIMITS, ROLES, type Limit, type Role } from '@toolway/contract'
import {
  addOrganizationKey,
  addPlatformKey,
  importKeys,
  listOrganizationKeys,
  listPlatformKeys,
  removeOrganizationKey,
  removePlatformKey,
  trustKey,
  type Key,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { readInput } from '../../cli/terminal/input.ts'
import { CommandFault, EXIT, table } from '../../cli/terminal/output.ts'
import { listAll, Refusal, type Transport } from '../../cli/transport/transport.ts'

interface ScopeOptions {
  readonly organization: string
  readonly platform?: boolean
}

interface Adding extends ScopeOptions {
  readonly name: string
  readonly role: string
  readonly limit: Limit
  readonly toolset?: string
  readonly expires?: string
  readonly family: 'uru' | 'scoped'
  readonly trusted?: boolean
}

/** The name of the key with which the commands of a machine call tools. */
const LOCAL_KEY = 'command line'

function roleOf(role: string): Role {
  const meant = ROLES.find((item) => item === role || item === `tenant_${role}`)
  if (meant === undefined)
    throw new CommandFault(`"${role}" is not a role. Use one of ${ROLES.join(', ')}.`, EXIT.usage)
  return meant
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30d`, `12h`, `15m`, or a date. */
function timeOf(text: string): string {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const until = count === '' ? new Date(text) : new Date(Date.now() + Number(count) * (UNITS[unit] ?? 0))
  const isDate = count !== '' || /^\d{4}-\d\d-\d\d/.test(text)
  if (!isDate || Number.isNaN(until.getTime()))
    throw new CommandFault(`"${text}" is not a time. Use 30d, 12h, 15m or a date such as 2027-01-31.`, EXIT.usage)
  return until.toISOString()
}

const shownKey = ({ scope: role, tenant_id: organization, created_at: created, ...rest }: Key) => ({
  ...{ ...rest, role, organization, created },
})

const minuteOf = (time: string | null): string | undefined =>
  time?.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')

const keysOf = async (transport: Transport, { organization, platform = false }: ScopeOptions): Promise<Key[]> =>
  platform
    ? (await listAll(transport, listPlatformKeys)).filter(({ tenant_id: id }) => id === null)
    : listAll(transport, listOrganizationKeys, { params: { organization } })

const add = describeCommand({
  name: 'add',
  about: 'create a key; it is shown once',
  arguments: [new Argument('<name>', 'name, unique in the organization')],
  options: [
    new Option('--role <role>', 'tenant_admin, tenant_member, tenant_viewer or platform_admin').default(
      'tenant_member',
    ),
    new Option('--limit <limit>', 'access level of calls made with the key').choices(LIMITS).default('execute'),
    new Option('--toolset <slug>', 'limit the key to one toolset'),
    new Option('--expires <time>', 'expiry: 30d, 12h, 15m or a date'),
    new Option('--family <family>', 'key format').choices(['uru', 'scoped']).default('uru'),
    new Option('--trusted', 'allow calls on behalf of members (X-On-Behalf-Of); for platform administrators'),
  ],
  examples: [
    'toolway key add laptop',
    'toolway key add ci --toolset read-only --json',
    'toolway key add report --limit read --expires 30d --family scoped',
    'toolway key add operator --role platform_admin',
  ],
  call({ call }, { organization, name, role, limit, toolset, expires, family, trusted }: Adding) {
    const scope = roleOf(role)
    const keyRequest = {
      ...{ name, scope, limit, toolset, trusted },
      ...(expires === undefined ? {} : { expires_at: timeOf(expires) }),
    }
    return scope === 'platform_admin'
      ? call(addPlatformKey, { body: { ...keyRequest, family: 'scoped' } })
      : call(addOrganizationKey, { params: { organization }, body: { ...keyRequest, family } })
  },
  // Beside the result, so that `KEY=$(toolway key add laptop)` holds the key and nothing else.
  print: ({ key, ...rest }) => ({
    value: { ...shownKey(rest), key },
    lines: [key],
    notes: ['The key is shown only once.'],
  }),
})

const list = describeCommand({
  name: 'list',
  about: 'list keys (without their secrets)',
  options: [new Option('--platform', 'platform keys instead of an organization’s keys')],
  examples: ['toolway key list', 'toolway key list --platform'],
  call: (transport, words: ScopeOptions) => keysOf(transport, words),
  print: (keys) => ({
    value: keys.map(shownKey),
    lines: table(
      ['NAME', 'STARTS WITH', 'ENDS WITH', 'ROLE', 'LIMIT', 'TOOLSET', 'EXPIRES', 'LAST USED', 'FROM', 'ID'],
      keys.map((key) => [
        key.name,
        key.prefix ?? '-',
        key.hint === '' ? '-' : key.hint,
        key.user_id === null ? key.scope : 'same as member',
        key.trust_waits ? `${key.limit} (on behalf of members: not allowed yet)` : key.limit,
        key.toolset ?? 'any',
        minuteOf(key.expires_at) ?? 'never',
        minuteOf(key.last_used_at) ?? 'never',
        key.origin,
        key.id,
      ]),
    ),
  }),
})

/** By its name, or by its id where it is a member's. */
const remove = describeCommand({
  name: 'remove',
  about: 'revoke a key, effective immediately',
  arguments: [new Argument('<name>', 'name or ID of the key')],
  options: [new Option('--platform', 'remove a platform key')],
  examples: ['toolway key remove laptop', 'toolway key remove operator --platform'],
  async call(transport, words: ScopeOptions & { name: string }) {
    const { organization, platform = false } = words
    const { meant } = await meantOf(transport, words)
    const params = { organization, key: meant.id }
    await transport.call(platform ? removePlatformKey : removeOrganizationKey, { params })
    return meant
  },
  print: (removed, { name }) => ({
    value: { removed: name },
    lines: [
      `Revoked the key "${removed.name}".`,
      ...(removed.name === LOCAL_KEY && removed.user_id === null
        ? [
            'The commands on this machine used this key; the gateway creates a new one in the data directory the next time it starts.',
          ]
        : []),
    ],
  }),
})

interface Rotating extends ScopeOptions {
  readonly name: string
  readonly revoke?: boolean
}

/** The key that a name or an id means; a member's keys only by their id. */
async function meantOf(transport: Transport, { name, ...scope }: ScopeOptions & { name: string }) {
  const keys = await keysOf(transport, scope)
  const meant = keys.find((key) => (key.user_id === null && key.name === name) || key.id === name)
  if (meant !== undefined) return { meant, taken: new Set(keys.map((key) => key.name)) }
  throw new CommandFault(
    scope.platform === true
      ? `There is no platform key named "${name}"; \`toolway key list --platform\` lists the platform keys.`
      : `There is no key named "${name}" in ${scope.organization}; \`toolway key list\` lists the keys (with --platform, the platform keys).`,
  )
}

/** `laptop` is followed by `laptop-2`, and that by `laptop-3`; past names that are in use. */
function nextName(name: string, taken: ReadonlySet<string>): string {
  const [, base = name, number = '1'] = /^(.+)-(\d{1,6})$/.exec(name) ?? []
  for (let next = Number(number) + 1; ; next += 1) if (!taken.has(`${base}-${next}`)) return `${base}-${next}`
}

const rotate = describeCommand({
  name: 'rotate',
  about: 'create a key with the same access as another; the old one stays valid until it is revoked',
  arguments: [new Argument('<name>', 'name or ID of the key')],
  options: [
    new Option('--revoke', 'revoke the old key at once, without an overlap'),
    new Option('--platform', 'a platform key'),
  ],
  examples: ['toolway key rotate laptop', 'toolway key rotate ci --revoke', 'toolway key rotate operator --platform'],
  async call(transport, { name, organization, platform = false, revoke = false }: Rotating) {
    const { meant, taken } = await meantOf(transport, { name, organization, platform })
    if (meant.user_id !== null)
      throw new CommandFault(`"${meant.name}" is a member's key, which only that member can replace.`)
    const keyRequest = {
      ...{ name: nextName(meant.name, taken), scope: meant.scope, limit: meant.limit, family: meant.family },
      ...(meant.toolset === null ? {} : { toolset: meant.toolset }),
      ...(meant.trusted ? { trusted: true } : {}),
      ...(meant.expires_at === null ? {} : { expires_at: renewedExpiry(meant.created_at, meant.expires_at) }),
    }
    const made = await (platform
      ? transport.call(addPlatformKey, { body: keyRequest })
      : transport.call(addOrganizationKey, { params: { organization }, body: keyRequest }))
    const params = { organization, key: meant.id }
    if (revoke) await transport.call(platform ? removePlatformKey : removeOrganizationKey, { params })
    return { made, meant }
  },
  print: ({ made: { key, ...rest }, meant }, { revoke = false, platform = false }) => ({
    value: { ...shownKey(rest), key, replaces: meant.name, revoked: revoke },
    lines: [key],
    notes: [
      `The key "${rest.name}" is shown only once.`,
      revoke
        ? `Revoked the key "${meant.name}".`
        : `The key "${meant.name}" stays valid until you run \`toolway key remove ${meant.name}${platform ? ' --platform' : ''}\`.`,
    ],
  }),
})

/** As long as the old one was valid, from now on. */
const renewedExpiry = (created: string, expires: string): string =>
  new Date(Date.now() + Date.parse(expires) - Date.parse(created)).toISOString()

const trust = describeCommand({
  name: 'trust',
  about: 'allow calls on behalf of members with a key that an administrator of the organization created for them',
  arguments: [new Argument('<name>', 'name or ID of the key')],
  examples: ['toolway key trust chat'],
  async call(transport, { name, organization }: ScopeOptions & { name: string }) {
    const keys = await keysOf(transport, { organization })
    const meant = keys.find((key) => key.trust_waits && (key.name === name || key.id === name))
    if (meant === undefined)
      throw new CommandFault(
        `No key named "${name}" in ${organization} is waiting to be allowed; \`toolway key list\` lists the keys.`,
      )
    return transport.call(trustKey, { params: { key: meant.id } })
  },
  print: (trusted) => ({
    value: shownKey(trusted),
    lines: [`The key "${trusted.name}" may now call on behalf of members.`],
  }),
})

const takeOver = describeCommand({
  name: 'import',
  about:
    'import keys from another system with their bcrypt hashes: JSON Lines of name, hash, prefix, role, organization',
  arguments: [new Argument('<file>', 'file with the lines; - is standard input')],
  examples: ['toolway key import old-keys.jsonl'],
  async call({ call }, { file }: { file: string }) {
    const lines = file === '-' ? await readInput() : await readText(file)
    // A line that does not fit is the file's fault, not that of the command's words.
    return call(importKeys, { body: { lines } }).catch((thrown: unknown) => {
      throw thrown instanceof Refusal && thrown.is('body.shape') ? new CommandFault(thrown.message) : thrown
    })
  },
  print: ({ imported }) => ({
    value: { imported },
    lines: [
      `Imported ${countWithNoun(imported, 'key')}. Imported keys work as before, and are stored as keyed hashes after their first use.`,
    ],
  }),
})

const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    throw new CommandFault(`${file} cannot be read (${thrown.code}): check the path and its permissions.`)
  })

export const keyCommand = (finish: Finish) =>
  groupOf(
    'key',
    'create, list, rotate, revoke and import API keys',
    [add, list, rotate, remove, trust, takeOver],
    finish,
  )
