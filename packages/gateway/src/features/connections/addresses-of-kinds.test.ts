/**
 * Every address of every kind of connection, whoever changes it: secrets stay with the origin that they were given for, leave to reach a
 * private network with the one address that has it, and a secret in an address is neither shown nor stored unsealed. The addresses are
 * found in the schemas, not listed here.
 */
import {
  ConnectionSecrets,
  ConnectionSettings,
  Fault,
  KINDS,
  OperationSelection,
  ownMemberOf,
  type Role,
  usualAddressOf,
} from '@toolway/contract'
import { ConnectionChange } from '@toolway/contract/admin'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { addressesOf, bindHeaders, documentOrigins, isBound, isPrivate, reachAt } from '../../kinds/addresses.ts'
import type { OpenedConnection } from '../../kinds/kind.ts'
import { partsOf, shownOf, viewOf } from '../../kinds/kinds.ts'
import { apiServerOf } from '../../kinds/openapi/openapi.ts'
import { NO_EXCEPTIONS } from '../../upstreams/http/exceptions.ts'
import { differencesOf } from './differences.ts'
import { permittedParts } from './permitted-parts.ts'
import { describe as describeWords } from './describe-connection.ts'

interface Inner {
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly innerType?: z.ZodType
  readonly valueType?: z.ZodType
  readonly element?: z.ZodType
  readonly options?: readonly z.ZodType[]
}

/** The paths of all fields that take an address and nothing else. */
function addressFields(schema: z.ZodType, path = ''): string[] {
  const def: Inner & { readonly type: string } = schema.def
  const within = [def.innerType, def.valueType, def.element, ...(def.options ?? [])].filter((one) => one !== undefined)
  const below = Object.entries(def.shape ?? {}).flatMap(([name, field]) =>
    addressFields(field, path === '' ? name : `${path}.${name}`),
  )
  const inside = [...new Set(within.flatMap((one) => addressFields(one, path)))]
  const isOne =
    def.type === 'string' &&
    ['https://a.example/x', 'wss://a.example'].some((one) => schema.safeParse(one).success) &&
    !['plain', 'two words', 'a/b'].some((one) => schema.safeParse(one).success)
  return [...below, ...inside, ...(isOne ? [path] : [])]
}

/** Settings that a kind needs besides its addresses. */
const NEEDED: Readonly<Record<string, object>> = {
  native: { vendor: 'acme', source: 'x', auth: { kind: 'key' } },
  composio: { way: 'mcp', server: 'srv_1' },
}
const REMOTE = KINDS.filter(({ addresses }) => Object.keys(addresses).length > 0)
const HEADERS = { 'x-api-key': 'one', 'x-second': 'two' }
const AT = { url: 'https://main.example/base', other: 'https://other.example/base' }

function heldOf(kind: (typeof KINDS)[number], at: Readonly<Record<string, string>> = {}): OpenedConnection {
  const addresses = Object.fromEntries(
    Object.keys(kind.addresses).map((name) => [name, at[name] ?? (name === 'url' ? AT.url : AT.other)]),
  )
  const settings = ConnectionSettings.parse({ connector: kind.connector, ...NEEDED[kind.connector], ...addresses })
  return bindHeaders({ settings, secrets: ConnectionSecrets.parse({ headers: HEADERS }) }, ({ url }) =>
    /\/\/10\./.test(url),
  )
}

const ROLES: readonly Role[] = ['tenant_admin', 'platform_admin']
const organization = { slug: 'acme', settings: { allow_processes: true }, egress: { networks: [], hosts: [] } }

/** The outcome of a change of one address: the connection, or the fault. */
function change(
  held: OpenedConnection,
  [name, url]: readonly [string, string],
  { role, again, wanted }: { role: Role; again: boolean; wanted?: boolean },
) {
  const { connector } = held.settings
  const words = name === 'url' ? { url } : { [ownMemberOf(connector) ?? '']: { [name]: url } }
  try {
    const said = ConnectionChange.parse({ ...words, ...(again ? { headers: HEADERS } : {}) })
    return permittedParts({ role, organization, roots: [] }, describeWords(connector, said, held), { wanted, held })
  } catch (thrown) {
    return thrown instanceof Fault ? `${thrown.code} ${String(thrown.facts['place'] ?? '')}`.trim() : 'not a change'
  }
}

const FIELDS = REMOTE.flatMap((kind) =>
  Object.entries(kind.addresses)
    // No secret goes to the address of a document.
    .filter(([, { secrets }]) => secrets)
    .map(([name]) => [kind.connector, name, kind] as const),
)
const hostOf = (name: string) => (name === 'url' ? 'main.example' : 'other.example')

test('every field of a kind that takes an address is named as one', () => {
  const found = KINDS.map(({ connector, settings }) => [connector, addressFields(settings).toSorted()])
  expect(found).toEqual(KINDS.map(({ connector, addresses }) => [connector, Object.keys(addresses).toSorted()]))
  expect(found).toContainEqual(['n8n', ['url', 'webhooks']])
  expect(found).toContainEqual(['composio', ['servers_at', 'url']])
  // A request can only set fields of the kind's settings.
  for (const kind of KINDS)
    if ('own' in kind)
      for (const field of addressFields(kind.own.changed)) expect(Object.keys(kind.addresses)).toContain(field)
})

describe.each(FIELDS)('%s, %s', (_, name, kind) => {
  const SAME = [
    'https://HOST/other',
    'https://HOST/base/',
    'https://HOST',
    'https://HOST:443/base',
    'https://HoSt.EXAMPLE/base',
  ]
  const ELSEWHERE = [
    'https://evil.example/base',
    'https://HOST:8443/base',
    'http://HOST/base',
    'https://HOST.evil.example/base',
    'https://sub.HOST/base',
    'https://evil.example/HOST',
  ]
  const PRIVATE = [
    'http://127.0.0.1:9',
    'http://10.0.0.9/base',
    'http://[::1]/',
    'http://169.254.169.254/',
    'http://0x7f.1/',
    'http://x.internal/',
  ]
  const put = (url: string) => url.replace('HoSt.EXAMPLE', hostOf(name).toUpperCase()).replaceAll('HOST', hostOf(name))

  test.each(ROLES)('%s changes the path without setting the secrets again', (role) => {
    for (const url of SAME.map(put)) {
      const parts = change(heldOf(kind), [name, url], { role, again: false })
      expect(parts, url).toMatchObject({ secrets: { headers: HEADERS } })
    }
  })

  test('another origin takes no secrets along, whoever may say it sets them again', () => {
    // The vendor's own address is another origin, too.
    const usual = name === 'url' ? usualAddressOf(kind.connector) : undefined
    for (const url of [...ELSEWHERE.map(put), ...(usual === undefined ? [] : [usual])]) {
      const held = heldOf(kind)
      expect(change(held, [name, url], { role: 'tenant_admin', again: false }), url).toBe('body.shape /headers')
      for (const parts of [
        change(held, [name, url], { role: 'tenant_admin', again: true }),
        change(held, [name, url], { role: 'platform_admin', again: false }),
      ]) {
        if (typeof parts === 'string') throw new Error(`${url}: ${parts}`)
        for (const address of addressesOf(parts).filter(({ secrets }) => secrets))
          expect([address.name, isBound(parts, address), isPrivate(parts, address)]).toEqual([
            address.name,
            true,
            false,
          ])
      }
    }
  })

  test('a private address needs the platform, with the secrets and without', () => {
    for (const url of PRIVATE)
      for (const wanted of [undefined, true])
        for (const again of [true, false]) {
          const said = change(heldOf(kind), [name, url], { role: 'tenant_admin', again, ...(wanted && { wanted }) })
          expect(said, url).toMatch(again ? /^private\.forbidden/ : /^(?:private\.forbidden|body\.shape \/headers)/)
          const parts = change(heldOf(kind), [name, url], { role: 'platform_admin', again, ...(wanted && { wanted }) })
          if (typeof parts === 'string') throw new Error(`${url}: ${parts}`)
          const here = addressesOf(parts).find((address) => address.name === name)
          expect(here && isPrivate(parts, here), url).toBe(true)
          for (const address of addressesOf(parts).filter((one) => one.name !== name))
            expect(isPrivate(parts, address), address.name).toBe(wanted === true)
        }
  })

  test.each(ROLES)('%s puts no user name or password into it', (role) => {
    for (const url of [`https://user:pw@${hostOf(name)}/`, `https://${hostOf(name)}@evil.example/`])
      expect(change(heldOf(kind), [name, url], { role, again: true }), url).toMatch(
        new RegExp(`^body\\.shape /(?:\\w+/)?${name}$`),
      )
  })

  test('leave for a private network stays with the address that has it', () => {
    const held = heldOf(kind, { [name]: 'http://10.0.0.1:5678/base' })
    const has = (parts: ReturnType<typeof change>) =>
      typeof parts === 'string'
        ? parts
        : addressesOf(parts).flatMap((address) => (isPrivate(parts, address) ? [address.name] : []))
    const by = (url: string, at = name) => has(change(held, [at, url], { role: 'tenant_admin', again: true }))
    expect(by('http://10.0.0.1:5678/other')).toEqual([name])
    for (const url of ['http://10.0.0.1:5679/', 'https://10.0.0.1:5678/', 'http://10.0.0.2:5678/'])
      expect(by(url), url).toBe('private.forbidden')
    expect(by('https://public.example/')).toEqual([])
    for (const other of Object.keys(kind.addresses).filter((one) => one !== name)) {
      if (kind.addresses[other as keyof typeof kind.addresses]?.['secrets'] !== true) continue
      expect(by('https://public.example/', other)).toEqual([name])
      expect(by('http://10.0.0.9/', other)).toBe('private.forbidden')
    }
  })
})

describe('an address that takes no secrets', () => {
  const DOCUMENT = 'http://10.0.0.7/api.json'
  const at = (url: string, isPrivate: boolean, origins?: ConnectionSecrets['origins']): OpenedConnection => ({
    settings: ConnectionSettings.parse({ connector: 'openapi', url, document: DOCUMENT, private: isPrivate }),
    secrets: ConnectionSecrets.parse({ headers: HEADERS, ...(origins === undefined ? {} : { origins }) }),
  })

  test('has leave for a private network of its own, which the main address neither gives nor takes', () => {
    const wire = apiServerOf({
      url: AT.url,
      headers: {},
      api: { document: DOCUMENT, select: OperationSelection.parse({}), effects: {}, key: undefined },
    })
    const declared = partsOf({ revision: 'auto', timeout: 9, wire, shown: shownOf(wire) })
    expect(addressesOf(declared).map((address) => isPrivate(declared, address))).toEqual([false, true])
    expect(documentOrigins(declared)).toEqual(['http://10.0.0.7'])
    const moved = change(declared, ['url', 'https://else.example/'], { role: 'tenant_admin', again: true })
    expect(typeof moved === 'string' ? moved : documentOrigins(moved)).toEqual(['http://10.0.0.7'])
    // Of a connection from before, only the platform says that the document may be private.
    const before = at('http://10.0.0.1/', true)
    expect(documentOrigins(before)).toEqual([])
    for (const [role, origins] of [
      ['tenant_admin', []],
      ['platform_admin', ['http://10.0.0.7']],
    ] as const) {
      const saved = change(before, ['url', 'http://10.0.0.1/v2'], { role, again: true })
      expect(typeof saved === 'string' ? saved : documentOrigins(saved), role).toEqual(origins)
    }
    expect(documentOrigins(at('http://10.0.0.7/v1', true))).toEqual(['http://10.0.0.7'])
  })
})

describe.each(
  REMOTE.flatMap((kind) => Object.keys(kind.addresses).map((name) => [kind.connector, name, kind] as const)),
)('%s, %s with a secret in it', (connector, name, kind) => {
  const CANARY = 'CANARY-1234567890abcdef'
  const SECRETS = [`https://${hostOf(name)}/base?k=${CANARY}`, `https://${hostOf(name)}/${CANARY}/base`]
  const member = ownMemberOf(connector) ?? ''
  /** The connection after a request of an administrator of the organization. */
  const saved = (held: OpenedConnection, request: object) => {
    const described = describeWords(connector, ConnectionChange.parse(request), held)
    const speaker = { role: 'tenant_admin', organization, roots: [] } as const
    return permittedParts(speaker, described, { wanted: undefined, held })
  }
  const inFull = (held: OpenedConnection) => addressesOf(held).find((address) => address.name === name)?.url
  const views = ({ settings }: OpenedConnection) =>
    JSON.stringify([false, true].map((mayChange) => viewOf(settings, mayChange)))
  const state = (parts: OpenedConnection) => ({ title: 'x', enabled: true, ...parts })

  test.each(SECRETS)('nobody is shown that of a connection that was stored before, and a save seals it: %s', (at) => {
    const before = heldOf(kind, { [name]: at })
    expect(JSON.stringify(before.settings)).toContain(CANARY)
    expect(views(before)).not.toContain(CANARY)
    const after = saved(before, { title: 'Renamed' })
    expect(JSON.stringify(after.settings)).not.toContain(CANARY)
    expect(ConnectionSettings.parse(after.settings)).toEqual(after.settings)
    expect(ConnectionSecrets.parse(JSON.parse(JSON.stringify(after.secrets)))).toEqual(after.secrets)
    expect(inFull(after)).toBe(at)
    expect(differencesOf(state(before), state(after))).toEqual([])
  })

  test.each(SECRETS)('what was shown can be sent back, and the address stays as it was: %s', (at) => {
    for (const held of [heldOf(kind, { [name]: at }), saved(heldOf(kind, { [name]: at }), {})]) {
      const { url, ...view } = viewOf(held.settings, true)
      const own = Object.entries(view).find(([of]) => of === member)?.[1] ?? null
      // A member that no request takes.
      const { supplied: _, ...words } = { supplied: null, ...(own as object | null) }
      const request = JSON.stringify({ url, ...(own === null ? {} : { [member]: words }) })
      const after = saved(held, JSON.parse(request) as object)
      expect(inFull(after)).toBe(at)
      // A client that parses addresses writes the mask anew.
      const rewritten = JSON.parse(request.replaceAll('•••', encodeURIComponent('•••'))) as object
      expect(inFull(saved(held, rewritten))).toBe(at)
      expect(JSON.stringify(after.settings)).not.toContain(CANARY)
      expect(views(after)).not.toContain(CANARY)
      expect(views(after)).toContain('•••')
      expect(differencesOf(state(held), state(after))).toEqual([])
    }
  })

  test('another address with a mask is refused, and a new secret takes its place', () => {
    const [at = ''] = SECRETS
    const held = saved(heldOf(kind, { [name]: at }), {})
    const by = (url: string) => change(held, [name, url], { role: 'tenant_admin', again: true })
    const place = name === 'url' ? name : `${member}/${name}`
    for (const mask of ['•••', encodeURIComponent('•••')])
      expect(by(`https://${hostOf(name)}/other?k=${mask}`)).toBe(`body.shape /${place}`)
    const next = by(at.replace(CANARY, 'OTHER-1234567890abcdef'))
    if (typeof next === 'string') throw new Error(next)
    expect(inFull(next)).toBe(at.replace(CANARY, 'OTHER-1234567890abcdef'))
    expect(JSON.stringify(next)).not.toContain(CANARY)
    expect(differencesOf(state(held), state(next))).toEqual([name])
    const plain = by(AT.other.replace('other.example', hostOf(name)))
    if (typeof plain === 'string') throw new Error(plain)
    expect(plain.secrets).not.toHaveProperty('addresses')
    expect(plain.secrets.url).toBeUndefined()
  })
})

describe('a connection that was stored before its secrets were bound to each address', () => {
  const before = (headers: Record<string, string>): OpenedConnection => ({
    settings: ConnectionSettings.parse({
      ...{ connector: 'n8n', url: 'http://10.0.0.1:5678', webhooks: 'https://other.example', private: true },
    }),
    secrets: ConnectionSecrets.parse({ headers }),
  })
  const reach = { connectionId: 'con_1', alias: 'flow', timeout: 1, revision: undefined, pinned: false }
  const opening = (held: OpenedConnection) => ({ ...held, exceptions: NO_EXCEPTIONS, reach })

  test('sends no secret to a further address, and needs it to be saved with them', () => {
    const held = before(HEADERS)
    expect(() => reachAt(opening(held), 'webhooks', HEADERS)).toThrow(
      /headers of connection flow were not set for .*webhooks/,
    )
    expect(change(held, ['webhooks', 'https://other.example'], { role: 'tenant_admin', again: false })).toBe(
      'body.shape /headers',
    )
    const mended = change(held, ['webhooks', 'https://other.example'], { role: 'tenant_admin', again: true })
    if (typeof mended === 'string') throw new Error(mended)
    expect(reachAt(opening(mended), 'webhooks', HEADERS)).toMatchObject({ private: false, headers: HEADERS })
  })

  test('reaches a further address without secrets, but in no private network', () => {
    expect(reachAt(opening(before({})), 'webhooks', {})).toMatchObject({ url: 'https://other.example', private: false })
    const same = { ...before(HEADERS), settings: { ...before({}).settings, webhooks: 'http://10.0.0.1:5678/hooks' } }
    expect(reachAt(opening(same as OpenedConnection), 'webhooks', HEADERS)).toMatchObject({ private: true })
  })
})

test('an address in a file that was copied from where it was shown is refused', () => {
  const words = { revision: 'auto', timeout: 9 } as const
  for (const [url, webhooks, place] of [
    ['https://n8n.example/?k=•••', 'https://hooks.example/', '/url'],
    ['https://n8n.example/', 'https://hooks.example/?k=•••', '/n8n/webhooks'],
  ] as const)
    expect(() => partsOf({ ...words, wire: { kind: 'n8n', url, headers: {}, words: { webhooks } } })).toThrow(
      expect.objectContaining({ code: 'params.shape', facts: expect.objectContaining({ place }) as object }),
    )
})

test('what the operator declares is bound to each address that stands there, and private where it says so in words', () => {
  const wire = {
    kind: 'n8n',
    url: 'https://n8n.example',
    headers: HEADERS,
    words: { webhooks: 'http://127.0.0.1:5678/' },
  } as const
  const declared = (said?: boolean) =>
    partsOf({
      revision: 'auto',
      timeout: 9,
      wire,
      shown: shownOf(wire),
      ...(said === undefined ? {} : { private: said }),
    })
  for (const [said, ...flags] of [
    [undefined, false, true],
    [true, true, true],
    [false, false, false],
  ] as const) {
    const parts = declared(said)
    expect(addressesOf(parts).map((one) => [isBound(parts, one), isPrivate(parts, one)])).toEqual(
      flags.map((flag) => [true, flag]),
    )
    expect(viewOf(parts.settings, true).private).toBe(flags[0])
  }
})
