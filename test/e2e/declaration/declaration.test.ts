/** Export, plan and apply against real gateways: what one says is made another, and then both say the same. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  addConnection,
  addOpenApi,
  addOrganization,
  addOrganizationRule,
  addPlatformRule,
  addWebhook,
  changeConnection,
  changeEgress,
  changeOrganization,
  putGroup,
  putToolset,
  setToolLock,
} from '@toolway/contract/admin'
import { describe, expect, test } from 'vitest'
import { readConfigFile } from '../../../packages/gateway/src/config-file.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import {
  APPLY,
  applyPlan,
  planOf,
  readOrganizations,
  readPlatformRules,
  readPresent,
  written,
  type Call,
  type Plan,
} from '../../../packages/gateway/src/features/declaration/index.ts'
import { addKey } from '../peers/people/administrators.ts'

const SECRETS: Record<string, string> = {
  WEB_AUTHORIZATION: 'Bearer one',
  WEB_URL: 'https://mcp.example.com/mcp?key=hunter2',
  FILES_TOKEN: 'hunter3',
  FILES_ARG_3: 'hunter4hunter4',
  BACKEND_X_API_KEY: 'hunter5',
  COMPANY_X_N8N_API_KEY: 'hunter7',
  COMPANY_WEBHOOKS: 'https://hooks.example.com/?token=hunter9',
  MAIL_X_API_KEY: 'hunter8',
  MAIL_SERVERS_AT: 'https://mcp.composio.dev/?key=hunter10',
  ACME_WEB_AUTHORIZATION: 'Bearer six',
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
    const text = await response.text()
    if (!response.ok) throw new Error(`${operation.id}: ${text}`)
    return operation.answer.parse(text === '' ? undefined : JSON.parse(text)) as never
  }
}

async function fileOf(call: Call) {
  const organizations = await readOrganizations(call)
  const present = []
  for (const { slug } of organizations) present.push(await readPresent(call, slug))
  return written({ organizations: present, platformRules: await readPlatformRules(call) })
}

async function planFrom(call: Call, text: string, variables: Record<string, string> = SECRETS): Promise<Plan> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-declaration-'))
  try {
    const path = join(folder, 'toolway.yaml')
    await writeFile(path, text)
    return await planOf(
      call,
      APPLY,
      readConfigFile(path, (name) => variables[name]),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://shop.example.com' }],
  paths: { '/orders': { get: { operationId: 'listOrders', responses: { 200: { description: 'ok' } } } } },
})

const RULE = { name: 'careful', action: 'block', reason: 'Not here.', match: { tools: ['*drop*'] } }

async function fill(call: Call): Promise<void> {
  const params = { organization: 'default' }
  await call(changeOrganization, {
    params,
    body: { description: 'Ours', settings: { requests_per_minute: 500, approvals: 'ask-writes' } },
  })
  await call(changeEgress, { params, body: { networks: ['10.1.0.0/16'], hosts: ['mcp.internal'] } })
  await call(addWebhook, { params, body: { url: 'https://hooks.example.com/a', description: 'Chat' } })
  await call(addConnection, {
    params,
    body: {
      alias: 'web',
      title: 'The web',
      description: 'Searches',
      enabled: false,
      url: SECRETS['WEB_URL'],
      headers: { authorization: SECRETS['WEB_AUTHORIZATION'] },
      auth: { kind: 'oauth', owners: ['member'], accounts: 'many' },
    },
  })
  await call(addConnection, {
    params,
    body: {
      alias: 'files',
      enabled: false,
      command: 'npx',
      args: ['server', '--token', SECRETS['FILES_ARG_3']],
      environment: { TOKEN: SECRETS['FILES_TOKEN'] },
      timeout: 5,
      checks: 'arguments',
    },
  })
  await call(setToolLock, { params: { ...params, connection: 'files' }, body: { mode: 'off', trusted: true } })
  await call(addConnection, {
    params,
    body: {
      alias: 'backend',
      connector: 'contract',
      enabled: false,
      url: 'http://127.0.0.1:9/',
      headers: { 'X-API-Key': SECRETS['BACKEND_X_API_KEY'] },
      contract: { organization: '7f6f', side_effects: true },
    },
  })
  await call(addConnection, {
    params,
    body: {
      ...{ alias: 'company', connector: 'n8n', enabled: false, url: 'https://n8n.example.com' },
      headers: { 'X-N8N-API-KEY': SECRETS['COMPANY_X_N8N_API_KEY'] },
      n8n: { tag: 'shared', webhooks: SECRETS['COMPANY_WEBHOOKS'] },
    },
  })
  await call(addConnection, {
    params,
    body: {
      ...{ alias: 'mail', connector: 'composio', enabled: false, url: 'https://backend.composio.dev' },
      headers: { 'x-api-key': SECRETS['MAIL_X_API_KEY'] },
      composio: {
        ...{ way: 'session', toolkits: ['gmail', 'slack'], default_user: 'everybody' },
        servers_at: SECRETS['MAIL_SERVERS_AT'],
      },
    },
  })
  await call(addConnection, { params, body: { alias: 'own', connector: 'platform', enabled: false } })
  await call(addOpenApi, {
    params,
    body: { alias: 'shop', enabled: false, document: DOCUMENT, select: { include: ['listOrders'], exclude: [] } },
  })
  await call(putGroup, { params: { ...params, group: 'finance' }, body: { awaited: ['bob@example.com'] } })
  await call(putToolset, {
    params: { ...params, toolset: 'work' },
    body: {
      title: 'Work',
      connections: ['web', 'shop'],
      limits: { shop: 'read' },
      audience: { groups: ['finance'] },
      tools: { shop__listOrders: { name: 'orders', description: 'All orders' } },
      rules: [{ name: 'rows', action: 'size', parameters: { result: { rows: 5 } }, reason: 'Enough.' }],
    },
  })
  await call(addPlatformRule, { params: {}, body: { ...RULE, name: 'everywhere' } })
  await call(addOrganizationRule, { params, body: RULE })
  await call(addOrganizationRule, {
    params,
    body: { name: 'but-this', action: 'allow', parameters: { lifts: ['careful'] }, reason: 'It is safe.' },
  })
  await call(addOrganizationRule, { params, body: { ...RULE, name: 'own', scope: 'connection', of: 'web' } })
  await call(addOrganization, { params: {}, body: { slug: 'acme', name: 'Acme' } })
  await call(addConnection, {
    params: { organization: 'acme' },
    body: {
      alias: 'web',
      url: 'https://acme.example.com/mcp',
      enabled: false,
      headers: { authorization: 'Bearer six' },
    },
  })
}

describe('a declaration', () => {
  test('that was exported makes another installation say the same, to the letter', async () => {
    await using source = await startTestGateway()
    const from = await callTo(source)
    await fill(from)
    const first = await fileOf(from)
    expect([...first.variables].toSorted()).toEqual(Object.keys(SECRETS).toSorted())
    expect(first.text).not.toMatch(/hunter|Bearer/)
    expect(first.leftOut.join()).toContain('the key "test"')

    await using target = await startTestGateway()
    const to = await callTo(target)
    const plan = await planFrom(to, first.text)
    expect(plan.steps.map(({ action, thing, name }) => `${action} ${thing} ${name}`)).toContain(
      'create connection shop',
    )
    await applyPlan(({ operation, ...input }) => to(operation, input), plan.steps)
    expect((await fileOf(to)).text).toBe(first.text)
    expect((await planFrom(to, first.text)).steps).toEqual([])
    expect((await planFrom(from, first.text)).steps).toEqual([])

    // An address that the file no longer has becomes the default one.
    const usual = first.text.replace(/^ +servers_at:.*\n(?: {6}env:.*\n)?/m, '')
    expect((await planFrom(to, usual)).steps).toMatchObject([{ name: 'mail', fields: ['servers_at'] }])

    // A secret that is another one is told by name, and taken over.
    const rotated = {
      ...SECRETS,
      WEB_AUTHORIZATION: 'Bearer two',
      FILES_ARG_3: 'hunter6hunter6',
      COMPANY_WEBHOOKS: 'https://hooks.example.com/?token=hunter11',
    }
    const next = await planFrom(to, first.text, rotated)
    expect(next.steps.map(({ name, fields }) => [name, fields])).toEqual([
      ['company', ['webhooks']],
      ['files', ['args']],
      ['web', ['headers.authorization']],
    ])
    await applyPlan(({ operation, ...input }) => to(operation, input), next.steps)
    expect((await planFrom(to, first.text, rotated)).steps).toEqual([])

    // Objects that the file does not name are unchanged, unless they are to be removed.
    await to(changeConnection, { params: { organization: 'default', connection: 'web' }, body: { title: 'Other' } })
    const less = first.text.replace(/^ {2}files:\n(?: {4}.*\n)+/m, '')
    const pruning = await planFrom(to, less, rotated)
    expect(pruning.steps).toMatchObject([{ action: 'change', name: 'web', fields: ['title'] }])
    expect(pruning.extra).toMatchObject([{ action: 'remove', thing: 'connection', name: 'files' }])
    await applyPlan(({ operation, ...input }) => to(operation, input), [...pruning.steps, ...pruning.extra])
    expect((await fileOf(to)).text).toBe(less)
  })
})
