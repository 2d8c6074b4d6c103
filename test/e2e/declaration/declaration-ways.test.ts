/**
 * One declaration file by every way: at a start, as a preset, planned, applied by operations, and without a database. The same file gives
 * the same refusals, records and export (ADR 0056).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ConnectionId, IdentityProviderId } from '@toolway/contract'
import { z } from 'zod'
import { createRows } from '../../../packages/gateway/src/app/declared/rows.ts'
import { readConfigFile } from '../../../packages/gateway/src/config-file.ts'
import {
  APPLY,
  applyPlan,
  declare,
  planOf,
  readPlatformProviders,
  readPlatformRules,
  readPresent,
  withdraw,
  written,
  type Call,
  type Declared,
} from '../../../packages/gateway/src/features/declaration/index.ts'
import { settingsSealContext } from '../../../packages/gateway/src/snapshot/snapshot.ts'
import { identityProviderSealContext } from '../../../packages/gateway/src/vault/sealed-columns.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey } from '../peers/people/administrators.ts'

const SLUG = 'acme'
const vault = createTestVault()

const GOOD = `
platform:
  rules:
    - { name: no-drops, action: block, reason: Nothing is dropped here., match: { tools: ['*drop*'] } }
    - { name: some-drops, action: allow, parameters: { lifts: [careful] }, reason: These are safe., match: { tools: ['*drop_draft'] } }
  identity_providers:
    company:
      title: Company ID
      settings:
        kind: oidc
        issuer: https://login.example.com
        client_id: toolway
        mappings: [{ group: finance, organization: acme, role: tenant_member, groups: [finance] }]
      client_secret: hunter6hunter6
organizations:
  acme:
    name: Acme
    description: The first one
    contact_email: ada@example.com
    settings: { requests_per_minute: 500, approvals: ask-writes, second_factor: required, sign_in_hours: 12, sign_in_idle_minutes: 60 }
    egress: { networks: [10.1.0.0/16], hosts: [mcp.internal] }
    webhooks:
      - { url: 'https://hooks.example.com/a', description: Chat, events: [alert, integrations_changed] }
    rules:
      - { name: careful, action: warn, reason: Be careful., match: { effects: [write] } }
      - { name: not-so-careful, action: allow, parameters: { lifts: [careful] }, reason: It is safe., match: { tools: [safe] } }
    connections:
      web:
        title: The web
        description: Searches
        url: https://mcp.example.com/mcp?key=hunter1hunter1
        headers: { Authorization: Bearer hunter2hunter2 }
        auth: { kind: oauth, owners: [member], accounts: many }
        rules: [{ name: slow, action: rate, parameters: { calls: 5 }, reason: It is slow. }]
      files:
        command: some-server
        args: [--root, /srv, --token, hunter3hunter3]
        environment: { API_KEY: hunter4hunter4 }
        enabled: false
        trusted: true
        lock: all
        checks: arguments
        timeout: 5
        revision: '2025-06-18'
      backend: { type: contract, url: 'http://127.0.0.1:9/', headers: { X-API-Key: k5 }, enabled: false, organization: 7f6f, side_effects: true }
      shop:
        type: openapi
        document:
          text: |
            openapi: 3.1.0
            info: { title: Shop, version: '1' }
            paths: { /orders: { get: { operationId: listOrders, responses: { 200: { description: ok } } } } }
        url: https://shop.example.com/v2
        select: { include: [listOrders] }
        key: { in: query, name: api_key }
        enabled: false
      code: { type: native, vendor: github, scopes_for: read, enabled: false }
    toolsets:
      work:
        title: Work
        connections: [web, shop]
        include: ['shop__*']
        rules:
          - { name: few, action: size, parameters: { result: { rows: 5 } }, reason: Enough. }
    identity_providers:
      login:
        title: Acme ID
        enabled: true
        settings:
          kind: oidc
          issuer: https://id.acme.example
          client_id: toolway
          group_claims: [groups]
          newcomers: member
          mappings: [{ group: staff, role: tenant_member, groups: [finance] }]
        client_secret: hunter7hunter7
      inside: { title: Inside, private: true, settings: { kind: oidc, issuer: 'http://10.1.2.3/realms/acme', client_id: toolway } }
    identity_domains:
      acme.example: { enforced: true }
      Acme.Example.org: {}
    groups:
      finance: { title: Finance, members: [Bob@example.com, ada@example.com] }
`

async function read(text: string): Promise<Declared[]> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-ways-'))
  try {
    const path = join(folder, 'toolway.yaml')
    await writeFile(path, text)
    return readConfigFile(path, () => undefined)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function callTo(gateway: TestGateway): Promise<Call> {
  const key = await addKey(gateway, { role: 'platform_admin' })
  return async (operation, { params = {}, query = {}, body }) => {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    const response = await fetch(`${gateway.address}${path}?${new URLSearchParams(query)}`, {
      method: operation.method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(answer)
    return operation.answer.parse(answer === '' ? undefined : JSON.parse(answer)) as never
  }
}

/** The organization `default` is the test gateway's own. */
const acmeOf = (declarations: readonly Declared[]) => declarations.filter(({ slug }) => slug !== 'default')
const withPlatform = (declarations: readonly Declared[]): Declared[] => {
  const platform = declarations.flatMap((declared) => declared.platform ?? [])
  return acmeOf(declarations).map((declared, at) =>
    at === 0 && platform.length > 0
      ? { ...declared, platform: Object.assign({}, ...platform) as NonNullable<Declared['platform']> }
      : declared,
  )
}

type Carry = (gateway: TestGateway, declarations: readonly Declared[]) => Promise<unknown>

const start: Carry = ({ db }, declarations) => declare({ db, vault, requestsPerMinute: 0, roots: [] }, declarations)

const apply: Carry = async (gateway, declarations) => {
  const call = await callTo(gateway)
  const { steps } = await planOf(call, APPLY, declarations)
  await applyPlan(({ operation, ...input }) => call(operation, input), steps)
}

const Flows = z.object({
  id: z.string().transform((id) => id as ConnectionId),
  settings: z.looseObject({ private: z.boolean() }),
  sealed: z.instanceof(Buffer),
})
const Row = z.object({ method: z.string(), principal: z.string(), actor_type: z.string(), detail: z.unknown() })
/** All records of changes in the organization and of the platform, without ids, which are drawn. */
async function recordsOf({ db }: TestGateway) {
  const rows = await db.system(
    (sql) => sql(Row)`
      select method, principal, actor_type, detail - 'origin' as detail from records
       where kind = 'change' and organization_id in (select id from organizations where slug = ${SLUG} union select 'platform')
       order by organization_id, seq`,
  )
  return {
    changes: rows.map(({ method, detail }) => [method, detail] as const),
    actors: new Set(rows.map(({ principal, actor_type: type }) => `${type} ${principal.replace(/^key_.*/, 'key')}`)),
  }
}

/** Everything that it says of sign-in, as the operations answer it. */
async function signInOf(gateway: TestGateway) {
  const { identityProviders, identityDomains } = await readPresent(await callTo(gateway), SLUG)
  return {
    providers: identityProviders.map(({ slug, title, origin, has_secret: secret }) => [slug, title, origin, secret]),
    domains: identityDomains.map(({ domain, enforced }) => [domain, enforced]),
    platform: (await readPlatformProviders(await callTo(gateway))).map(({ slug, origin }) => [slug, origin]),
  }
}

async function exported(gateway: TestGateway) {
  const call = await callTo(gateway)
  // What a start stored is known to a gateway that runs a moment later.
  const present = await expect
    .poll(() => readPresent(call, SLUG).catch(() => undefined))
    .toBeDefined()
    .then(() => readPresent(call, SLUG))
  const [platformRules, platformProviders] = [await readPlatformRules(call), await readPlatformProviders(call)]
  return written({ organizations: [present], platformRules, platformProviders })
}

/** By what is wrong with it, and the words that name it by every way. */
const REFUSED: readonly { name: string; words: string; file: string; isKnownWithoutDatabase?: boolean }[] = [
  {
    name: 'a header that the gateway writes',
    words: 'headers/Host is set by the gateway itself',
    isKnownWithoutDatabase: true,
    file: "connections: { web: { url: 'https://mcp.example.com/', headers: { Host: other } } }",
  },
  {
    name: 'a password in an address',
    words: 'contains a user name or password',
    isKnownWithoutDatabase: true,
    file: "connections: { web: { url: 'https://me:secret@mcp.example.com/' } }",
  },
  {
    name: 'an account of a WebSocket',
    words: 'cannot be oauth for a WebSocket',
    isKnownWithoutDatabase: true,
    file: "connections: { web: { url: 'wss://mcp.example.com/', auth: { kind: oauth } } }",
  },
  {
    name: 'an account of a program without a variable',
    words: 'the variable that contains the token or key',
    isKnownWithoutDatabase: true,
    file: 'connections: { web: { command: server, auth: { kind: key } } }',
  },
  {
    name: 'a title that is too long',
    words: 'title',
    isKnownWithoutDatabase: true,
    file: `connections: { web: { url: 'https://mcp.example.com/', title: ${'x'.repeat(101)} } }`,
  },
  {
    name: 'an exception from a rule that nobody has',
    words: 'unheard-of',
    file: "rules: [{ name: safe, action: allow, parameters: { lifts: [unheard-of] }, reason: Safe., match: { tools: ['*'] } }]",
  },
  {
    name: 'a public network',
    words: 'not entirely within a private network',
    file: 'egress: { networks: [8.8.8.0/24] }',
  },
  {
    name: 'a webhook without TLS',
    words: 'does not start with https://',
    file: "webhooks: [{ url: 'http://hooks.example.com/a' }]",
  },
  {
    name: 'a provider of one organization that names another one',
    words: 'cannot be set: the provider is of one organization',
    file: "identity_providers: { login: { settings: { kind: oidc, issuer: 'https://id.example.com', client_id: c, mappings: [{ group: g, organization: other }] } } }",
  },
  {
    name: 'metadata that is none',
    words: 'cannot be read',
    file: 'identity_providers: { login: { settings: { kind: saml_metadata, metadata: nothing } } }',
  },
  {
    name: 'an address of a provider without TLS',
    words: 'does not start with https://',
    file: "identity_providers: { login: { private: true, settings: { kind: oidc, issuer: 'http://id.example.com', client_id: c } } }",
  },
  {
    name: 'a domain that is none',
    words: 'is not a domain',
    file: 'identity_domains: { nowhere: {} }',
  },
  {
    name: 'a way past a provider for somebody who is no administrator',
    words: 'is not an administrator of the organization',
    file: 'identity_domains: { acme.example: { enforced: true, break_glass: bob@acme.example } }',
  },
  {
    name: 'a rate above what the platform allows',
    words: 'must be at most 10',
    file: 'settings: { requests_per_minute: 500, max_requests_per_minute: 10 }',
  },
]

const indented = (file: string) => `organizations:\n  ${SLUG}:\n    ${file}\n`

describe('a declaration file', () => {
  test('C-ID-15: leaves the same records and the same export by a start and by apply, and nothing is left to plan', async () => {
    const declarations = withPlatform(await read(GOOD))
    await using started = await startTestGateway()
    await using applied = await startTestGateway()
    await start(started, declarations)
    await apply(applied, declarations)
    const [byStart, byApply] = [await recordsOf(started), await recordsOf(applied)]
    expect(byStart.changes.length).toBeGreaterThan(15)
    expect(byStart.changes).toEqual(byApply.changes)
    expect([...byStart.actors]).toEqual(['system declaration file'])
    expect([...byApply.actors]).toEqual(['api_key key'])
    for (const secret of ['hunter', 'k5']) expect(JSON.stringify(byStart.changes)).not.toContain(secret)
    expect((await exported(started)).text).toBe((await exported(applied)).text)
    expect(await planOf(await callTo(applied), APPLY, declarations)).toMatchObject({ steps: [] })
    // A second start finds nothing to do.
    await start(started, declarations)
    expect(await recordsOf(started)).toEqual(byStart)
  })

  test('C-ID-15: says who signs in where, by a start and by apply, and takes back by a start what it gave', async () => {
    const declarations = withPlatform(await read(GOOD))
    const file = await read(GOOD.replace('hunter7', 'hunter8').replace('title: Acme ID', 'title: Acme login'))
    const stored = {
      domains: [
        ['acme.example', true],
        ['acme.example.org', false],
      ],
    }
    for (const [carry, origin] of [
      [start, 'file'],
      [apply, 'administration'],
    ] as const) {
      await using gateway = await startTestGateway()
      await carry(gateway, declarations)
      await expect
        .poll(() => signInOf(gateway).catch(() => undefined))
        .toEqual({
          ...stored,
          platform: [['company', origin]],
          providers: [
            ['inside', 'Inside', origin, false],
            ['login', 'Acme ID', origin, true],
          ],
        })
      // A start leaves alone, and does not take over, the things that apply or an administrator made.
      if (carry === apply) await expect(start(gateway, declarations)).rejects.toThrow('already exists')
      await carry(gateway, withPlatform(file))
      const providersNow = async () => (await signInOf(gateway).catch(() => undefined))?.providers
      await expect.poll(providersNow).toContainEqual(['login', 'Acme login', origin, true])
      const { text, leftOut } = await exported(gateway)
      expect(text).not.toContain('hunter')
      expect(text).toContain('env: ACME_IDENTITY_PROVIDER_LOGIN_SECRET')
      expect(leftOut.filter((what) => what.includes('provider'))).toEqual([])
    }
    await using gateway = await startTestGateway()
    await start(gateway, declarations)
    const secretOf = async () => {
      const Sealed = z.object({ id: z.string(), sealed_secret: z.instanceof(Buffer) })
      const [row] = await gateway.db.system(
        (sql) => sql(Sealed)`select id, sealed_secret from identity_providers where slug = 'login'`,
      )
      return row && vault.open(row.sealed_secret, identityProviderSealContext(row.id as IdentityProviderId))
    }
    expect(await secretOf()).toBe('hunter7hunter7')
    await start(gateway, withPlatform(await read(GOOD.replace('hunter7hunter7', 'hunter9hunter9'))))
    expect(await secretOf()).toBe('hunter9hunter9')
    await start(gateway, acmeOf(await read(indented('name: Acme'))))
    const left = { ...stored, providers: [], platform: [['company', 'file']] }
    await expect.poll(() => signInOf(gateway).catch(() => undefined)).toMatchObject(left)
    await withdraw({ db: gateway.db, vault, requestsPerMinute: 0, roots: [] }, [])
    expect(await signInOf(gateway)).toMatchObject({ platform: [] })
  })

  test('removes undeclared providers and domains by apply alone, and only where it has a section for them', async () => {
    await using gateway = await startTestGateway()
    await apply(gateway, withPlatform(await read(GOOD)))
    const extra = async (text: string) => {
      const plan = await planOf(await callTo(gateway), APPLY, acmeOf(await read(text)))
      return plan.extra.filter(({ thing }) => thing === 'identity provider' || thing === 'email domain')
    }
    expect(await extra(indented('name: Acme'))).toEqual([])
    const named = await extra(`${indented('identity_providers: {}')}    identity_domains: { acme.example: {} }\n`)
    expect(named.map(({ thing, name }) => [thing, name])).toEqual([
      ['identity provider', 'inside'],
      ['identity provider', 'login'],
      ['email domain', 'acme.example.org'],
    ])
    const call = await callTo(gateway)
    await applyPlan(
      ({ operation, ...input }) => call(operation, input),
      named.map((step) => step),
    )
    expect(await signInOf(gateway)).toMatchObject({ providers: [], domains: [['acme.example', true]] })
  })

  test('keeps a connection that becomes another kind, with what people have made for it, by a start and by apply', async () => {
    const before = acmeOf(
      await read(
        indented(
          "connections: { web: { url: 'https://mcp.example.com/', headers: { X-Key: secret }, trusted: true } }",
        ),
      ),
    )
    const after = acmeOf(await read(indented('connections: { web: { command: server, args: [--all] } }')))
    for (const carry of [start, apply]) {
      await using gateway = await startTestGateway()
      await carry(gateway, before)
      const call = await callTo(gateway)
      const present = async () => {
        const { connections } = await readPresent(call, SLUG)
        return connections[0]
      }
      await expect.poll(() => present().catch(() => undefined)).toMatchObject({ connector: 'mcp.http' })
      const { id } = (await present()) ?? { id: '' }
      await carry(gateway, after)
      await expect.poll(present).toMatchObject({
        ...{ id, connector: 'mcp.process', header_names: [], trusted: false },
      })
    }
  })

  test('lets each address be private by itself, and ends a leave that it gives no longer, by a start and by apply', async () => {
    const file = (url: string, leave: string) =>
      indented(
        `connections: { flows: { type: n8n, url: '${url}', webhooks: 'http://hooks.internal/', enabled: false${leave} } }`,
      )
    const at = async (url: string, leave = '') => acmeOf(await read(file(url, leave)))
    for (const carry of [start, apply]) {
      await using gateway = await startTestGateway()
      const stored = async () => {
        const rows = await gateway.db.system(
          (sql) => sql(Flows)`
            select c.id, c.settings, c.sealed from connections c join organizations o on o.id = c.organization_id
             where o.slug = ${SLUG}`,
        )
        const [{ id, settings, sealed }] = rows as [z.output<typeof Flows>]
        const secrets = z
          .object({ origins: z.record(z.string(), z.object({ private: z.boolean() })).optional() })
          .parse(JSON.parse(vault.open(sealed, settingsSealContext(id))))
        return { main: settings.private, hooks: secrets.origins?.['webhooks']?.private }
      }
      await carry(gateway, await at('https://n8n.example.com/'))
      expect(await stored()).toEqual({ main: false, hooks: true })
      await expect
        .poll(async () => carry(gateway, await at('https://n8n.example.com/', ', private: true')).then(stored))
        .toEqual({ main: true, hooks: true })
      await carry(gateway, await at('https://n8n.example.com/'))
      expect(await stored()).toMatchObject({ main: false })
    }
  })

  for (const { name, words, file, isKnownWithoutDatabase = false } of REFUSED)
    test(`with ${name} is refused in the same words by every way, and leaves nothing`, async () => {
      const declarations = await read(indented(file)).catch((thrown: unknown) => String(thrown))
      // What the reader of the file refuses, it refuses for every way.
      if (typeof declarations === 'string') return expect(declarations).toContain(words)
      const acme = acmeOf(declarations)
      await using gateway = await startTestGateway()
      await expect(start(gateway, acme)).rejects.toThrow(words)
      const stored = await gateway.db.system(
        (sql) => sql(z.object({ n: z.int() }))`select count(*)::int as n from connections where alias = 'web'`,
      )
      expect(stored).toEqual([{ n: 0 }])
      await using other = await startTestGateway()
      await expect(apply(other, acme)).rejects.toThrow(words)
      if (isKnownWithoutDatabase) expect(() => createRows(vault).declare(acme)).toThrow(words)
    })
})
