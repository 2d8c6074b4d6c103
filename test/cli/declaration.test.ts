/** `toolway export`, `plan` and `apply` between installations, each a data directory with processes of its own. */
// @module-tag long
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeInstallation, type Installation } from './installation.ts'

const FILE = `
platform:
  rules:
    - { name: no-drops, action: block, reason: Nothing is dropped here., match: { tools: ['*drop*'] } }
name: Ours
description: The first one
contact_email: ada@example.com
settings: { requests_per_minute: 500, approvals: ask-writes }
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
    url: { env: WEB_ADDRESS }
    headers: { Authorization: { env: WEB_TOKEN } }
    auth: { kind: oauth, owners: [member], accounts: many }
    enabled: false
    rules: [{ name: slow, action: rate, parameters: { calls: 5 }, reason: It is slow. }]
  live: { url: 'wss://live.example.com/mcp', enabled: false, auth: { kind: none } }
  files:
    command: some-server
    args: [--root, /srv, --token, { env: FILES_TOKEN }]
    environment: { API_KEY: { env: FILES_KEY } }
    enabled: false
    trusted: true
    lock: all
    checks: arguments
    timeout: 5
    revision: '2025-06-18'
  backend:
    type: contract
    url: http://127.0.0.1:9/
    headers: { X-API-Key: { env: BACKEND_KEY } }
    enabled: false
    organization: 7f6f
    side_effects: true
  shop:
    type: openapi
    document:
      text: |
        openapi: 3.1.0
        info: { title: Shop, version: '1' }
        paths: { /orders: { get: { operationId: listOrders, responses: { 200: { description: ok } } } } }
    url: https://shop.example.com/v2
    select: { include: [listOrders] }
    effects: { listOrders: read }
    key: { in: query, name: api_key }
    enabled: false
  code: { type: native, vendor: github, scopes_for: read, enabled: false }
  acme: { type: native, vendor: acme, source: 'export default 1', url: 'https://api.acme.example', enabled: false }
  mine: { type: native, vendor: cursor, source: 'export default 1', url: 'https://api.cursor.com', enabled: false }
  forge: { type: native, vendor: gitlab, url: 'https://gitlab.example.com', auth: { owners: [member] }, enabled: false }
toolsets:
  work:
    title: Work
    connections: [web, shop]
    include: ['shop__*']
    limit: write
    limits: { shop: read }
    discovery: search
    tools: { shop__listOrders: { name: orders, description: All orders } }
    audience: { groups: [finance] }
    rules:
      - { name: few, action: size, parameters: { result: { rows: 5 } }, reason: Enough. }
      - { name: only-open, action: lock, parameters: { parameter: state, value: open }, reason: Only these. }
groups:
  finance: { title: Finance, members: [bob@example.com, ada@example.com] }
organizations:
  acme:
    name: Acme
    settings: { allow_processes: true }
    connections:
      web: { url: 'https://acme.example.com/mcp', enabled: false, headers: { X-Key: { env: ACME_KEY } } }
`
const GIVEN = {
  WEB_ADDRESS: 'https://mcp.example.com/mcp?key=hunter1hunter1',
  WEB_TOKEN: 'Bearer hunter2hunter2',
  FILES_TOKEN: 'hunter3hunter3',
  FILES_KEY: 'hunter4hunter4',
  BACKEND_KEY: 'hunter5hunter5',
  ACME_KEY: 'hunter6hunter6',
}
/** As an export names them. */
const EXPORTED = {
  WEB_URL: GIVEN.WEB_ADDRESS,
  WEB_AUTHORIZATION: GIVEN.WEB_TOKEN,
  FILES_ARG_4: GIVEN.FILES_TOKEN,
  FILES_API_KEY: GIVEN.FILES_KEY,
  BACKEND_X_API_KEY: GIVEN.BACKEND_KEY,
  ACME_WEB_X_KEY: GIVEN.ACME_KEY,
}

/** An installation in which a start has been, and nothing else. */
async function makeEmpty(): Promise<Installation> {
  const here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
  await (await here.start()).stop()
  return here
}

test('an export makes an empty installation say the same, to the letter', async () => {
  await using first = await makeEmpty()
  await writeFile(join(first.folder, 'toolway.yaml'), FILE)
  const planned = await first.run(['plan', 'toolway.yaml'], { settings: GIVEN })
  expect(planned).toMatchObject({ code: 5 })
  expect(planned.out).toMatch(/create +default +connection +shop/)
  const refused = await first.run(['apply', 'toolway.yaml'], { settings: GIVEN })
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('terminal') })
  expect(await first.run(['apply', 'toolway.yaml', '--yes'], { settings: GIVEN })).toMatchObject({ code: 0 })
  expect(await first.run(['plan', 'toolway.yaml'], { settings: GIVEN })).toMatchObject({ code: 0 })

  const source = await first.run(['export', '--all'])
  expect(source).toMatchObject({ code: 0 })
  expect(source.out).not.toContain('hunter')
  expect(source.err).toContain('Environment variables that must be set for the secrets in this file: ')
  for (const name of Object.keys(EXPORTED)) expect(source.err).toContain(name)

  await using second = await makeEmpty()
  await writeFile(join(second.folder, 'toolway.yaml'), source.out)
  expect(await second.run(['plan', 'toolway.yaml'])).toMatchObject({ code: 1, err: expect.stringContaining('not set') })
  expect(await second.run(['apply', 'toolway.yaml', '--yes'], { settings: EXPORTED })).toMatchObject({ code: 0 })
  expect((await second.run(['export', '--all', '--output', 'again.yaml'])).out).toBe('')
  expect(await readFile(join(second.folder, 'again.yaml'), 'utf8')).toBe(source.out)
  expect((await stat(join(second.folder, 'again.yaml'))).mode & 0o777).toBe(0o600)
  expect(await second.run(['export', '--output', 'again.yaml'])).toMatchObject({ code: 1 })

  // Another secret is told by its name and never by its value.
  const rotated = { ...EXPORTED, WEB_AUTHORIZATION: 'Bearer hunter7hunter7' }
  const { code, out, err } = await second.run(['plan', 'again.yaml', '--json'], { settings: rotated })
  expect(code).toBe(5)
  expect(JSON.parse(out)).toMatchObject({
    steps: [{ action: 'change', name: 'web', fields: ['headers.Authorization'] }],
  })
  expect(out + err).not.toContain('hunter')

  // One that runs does as the file says, and tells it to the command.
  const gateway = await second.start()
  expect(await second.run(['apply', 'again.yaml', '--yes'], { settings: rotated })).toMatchObject({ code: 0 })
  expect(await second.run(['plan', 'again.yaml'], { settings: rotated })).toMatchObject({ code: 0 })
  await gateway.stop()

  // The same file at a start: what it declares has another origin already, which is told.
  const begun = second.begin({ ...EXPORTED, TOOLWAY_CONFIG: join(second.folder, 'again.yaml') })
  await expect(begun.ready()).rejects.toThrow('already exists (from command line)')
})
