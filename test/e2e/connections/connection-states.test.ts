/**
 * Connections of every kind in every state (ADR 0130): whatever shows the state of a connection agrees with the others, and with what a
 * call comes to.
 */
// @module-tag long
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { AccountInPlace, Connection, Integration, OwnAccount } from '../../../packages/contract/src/admin/index.ts'
import { connectionStateOf, type ConnectionState } from '../../../packages/console/src/data/connection-state.ts'
import { readCallStates } from '../../../packages/gateway/src/features/connections/read-call-states.ts'
import { checkConnection } from '../../../packages/gateway/src/cli/doctor.ts'
import { vendorAuthorityOf } from '../../../packages/gateway/src/oauth/outgoing/vendors/vendor-of.ts'
import { listConnections } from '../../../packages/gateway/src/connections/connections.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import { makeInstallation } from '../../cli/installation.ts'
import { ask, type RawMessage } from '../peers/clients/raw-client.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { CELLS, CONNECTORS, type Cell, type CellState } from '../peers/states/cells.ts'
import { registerRedirect } from '../peers/vendors/vendor.ts'

const EMAIL = 'ada@example.com'
const Nothing = z.object({})
/** Failures in a row that are no chance, and one more. */
const CALLS = 6

const SHOWN = {
  'needs app': 'needs_app',
  'needs account': 'needs_account',
  refused: 'refused',
  expired: 'refused',
  unreachable: 'error',
  connected: 'connected',
  disabled: 'disabled',
} as const satisfies Record<CellState, ConnectionState>

/** The faults of a call; without any it went well. */
const ENDS = {
  'needs app': /^credential\.needed$/,
  'needs account': /^credential\.needed$/,
  refused: /^(credential\.needed|upstream\.needs-auth)$/,
  expired: /^credential\.needed$/,
  unreachable: /^upstream\./,
  connected: /^ok$/,
  disabled: /^place\.unknown$/,
} as const satisfies Record<CellState, RegExp>

interface Faces {
  readonly listed: Connection
  readonly single: Connection
  readonly integration: Integration
  readonly byMember: Connection
  readonly doctor: ReturnType<typeof checkConnection>
  readonly cli: { status: string; needs: string | null; reason: string | null }
}

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
let faces: ReadonlyMap<string, Faces>
let ends: ReadonlyMap<string, readonly string[]>
let accounts: readonly AccountInPlace[]
/** As whoever calls is shown them. */
let own: readonly OwnAccount[]
/** Before anybody called: what time alone has ended is not good until then. */
let earlier: typeof accounts
let counts: { readonly home: Record<string, number>; readonly stats: Record<string, number> }
beforeAll(async () => {
  gateway = parts.use(await startTestGateway())
  admin = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  registerRedirect(`${gateway.address}/oauth/callback`)
  const user = await addPerson(gateway.db, { email: EMAIL, roles: [[gateway.organization.id, 'tenant_admin']] })
  const member = createAsk(
    gateway,
    await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id, user: user.id }),
  )
  const town = { gateway, admin, email: EMAIL, parts, expire }
  // The gateway reads few documents of an organization at a time.
  const kinds = [...Map.groupBy(CELLS, ({ kind }) => kind).values()]
  await Promise.all(
    kinds.map(async (cells) => {
      for (const cell of cells) await cell.make(town)
    }),
  )
  earlier = await all(admin, '/api/v1/admin/tenants/default/accounts')
  ends = new Map(await Promise.all(CELLS.map(async (cell) => [cell.alias, await callsOf(cell)] as const)))
  await settled()
  const [listed, byMember] = await Promise.all([byAlias(admin), byAlias(member)])
  const doctor = await askDoctor()
  const cli = await listByCommand()
  const integrations = new Map(
    (await all<Integration>(admin, '/api/v1/integrations')).map((one) => [String(one.metadata['alias']), one]),
  )
  accounts = await all(admin, '/api/v1/admin/tenants/default/accounts')
  own = await all(admin, '/api/v1/admin/tenants/default/accounts/own')
  faces = new Map(
    await Promise.all(
      CELLS.map(async ({ alias }) => {
        const single = (await admin(`GET ${CONNECTORS}/${alias}`)).body as Connection
        const one = { listed: listed.get(alias), byMember: byMember.get(alias), cli: cli.get(alias) }
        return [
          alias,
          { ...one, single, doctor: doctor.get(alias), integration: integrations.get(alias) } as Faces,
        ] as const
      }),
    ),
  )
  counts = {
    home: (await admin(`GET ${CONNECTORS}?limit=1`)).body['by_status'],
    stats: (await admin('GET /api/v1/admin/tenants/default/stats')).body['connectors_by_status'],
  }
})
afterAll(() => parts.disposeAsync())

/** Every account of a connection is of yesterday, and cannot renew itself. */
const expire = (alias: string): Promise<void> =>
  gateway.db.system(async (sql) => {
    await sql(Nothing)`
      update credentials set expires_at = now() - interval '1 hour', sealed_refresh_token = null, updated_at = now()
       where connection_id = (select id from connections where alias = ${alias})`
  })

async function all<Item>(who: Ask, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (;;) {
    const { body, text } = await who(`GET ${path}?limit=100&offset=${items.length}`)
    const page = body['items'] as Item[] | undefined
    if (page === undefined) throw new Error(text)
    items.push(...page)
    if (page.length === 0 || items.length >= Number(body['total'])) return items
  }
}

const byAlias = async (who: Ask) =>
  new Map((await all<Connection>(who, CONNECTORS)).map((connection) => [connection.alias, connection]))

async function callsOf({ alias, tool, arguments: given }: Cell): Promise<string[]> {
  const peer = { url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' } as const
  const found: string[] = []
  for (let at = 0; at < CALLS; at++)
    found.push(endOf((await ask(peer, 'tools/call', { name: tool, arguments: given })).answer))
  return found
}

function endOf({ result, error }: RawMessage): string {
  const meta = result?.['_meta'] as Record<string, { fault?: string } | undefined> | undefined
  const fault = meta?.['dev.toolway/fault']?.fault ?? error?.data?.['fault']
  if (typeof fault === 'string') return fault
  return error === undefined && result?.isError !== true ? 'ok' : `its own error: ${JSON.stringify(result ?? error)}`
}

/** The states are stored beside the calls. What does not agree by then is found below. */
async function settled(): Promise<void> {
  for (let left = 600; left > 0; left--) {
    const listed = await byAlias(admin)
    if (CELLS.every(({ alias, state }) => connectionStateOf(listed.get(alias) as Connection) === SHOWN[state])) return
    await pause(100)
  }
}

/** As `toolway doctor` asks, for nobody in particular. */
const askDoctor = () =>
  gateway.db.organization(gateway.organization.id, async (sql) => {
    const words = { vault: createTestVault(), vendorAuthority: vendorAuthorityOf, hasGlobalApp: () => false }
    const states = await readCallStates(sql, words, { userId: undefined, members: 1 })
    return new Map((await listConnections(sql)).map((row) => [row.alias, checkConnection(row, states.of(row))]))
  })

async function listByCommand() {
  await using here = await makeInstallation()
  const key = await addKey(gateway, { role: 'platform_admin' })
  const settings = { TOOLWAY_URL: gateway.address, TOOLWAY_KEY: key }
  const rows = (await here.json(['connection', 'list'], { settings })) as (Faces['cli'] & { alias: string })[]
  return new Map(rows.map((row) => [row.alias, row]))
}

describe.each(CELLS.map((cell) => [`${cell.kind}: ${cell.state}`, cell] as const))('%s', (_, cell) => {
  const { alias, state } = cell
  const shown = SHOWN[state]

  test('is said alike by the list, the page, Home, the card, doctor, the command line and a call', () => {
    const { listed, single, byMember, doctor, cli, integration } = faces.get(alias) ?? expect.fail('it is not there')
    const found = ends.get(alias) ?? []
    const told = JSON.stringify({ found, status: listed.status, needs: listed.needs, reason: listed.status_reason })
    for (const one of [listed, single, byMember]) expect(connectionStateOf(one), told).toBe(shown)
    // A server that never let the gateway in has no tools to call.
    const isEmpty = listed.tools === 0 && found.every((end) => end === 'tool.unknown')
    expect(isEmpty ? [] : found.filter((end) => !ENDS[state].test(end)), told).toEqual([])
    expect([cli.status, cli.needs], told).toEqual([listed.status, listed.needs])

    const isWell = state === 'connected'
    // As Home judges it, whose tones are held to the states by `health.test.ts`.
    expect(connectionStateOf(listed) === 'connected' && listed.stale_reason === null, told).toBe(isWell)
    expect(doctor[0]?.state, told).toBe(isWell ? 'good' : state === 'disabled' ? 'note' : 'bad')
    expect(integration.connection_status, told).toBe(
      isWell ? 'connected' : shown === 'refused' || shown === 'error' ? 'error' : 'disconnected',
    )
    if (isWell || state === 'disabled') return
    // Each says why.
    expect(listed.status_reason?.length ?? 0, told).toBeGreaterThan(10)
    expect(cli.reason, told).toBe(listed.status_reason)
    expect(doctor[0]?.detail, told).toContain(listed.status_reason)
    expect(integration.last_error, told).toBe(listed.status_reason)
  })

  test('is said alike of its accounts', () => {
    const { listed } = faces.get(alias) ?? expect.fail('it is not there')
    const [account] = accounts.filter(({ connection }) => connection === alias)
    if (account === undefined) return
    const isSound = account.state === 'good' || account.state === 'expiring'
    expect(isSound, JSON.stringify(account)).toBe(shown !== 'refused')
    const before = earlier.find(({ id }) => id === account.id)
    if (state === 'expired') expect(before?.state).toBe('lost')
    if (!isSound) expect(listed.status_reason).toContain(account.problem)
    const row = own.find(({ connection }) => connection.alias === alias)
    expect(row?.kind).toBe(shown === 'refused' ? 'needed' : shown === 'disabled' ? undefined : 'shared')
  })
})

test('an account that was signed in at a vendor has the name that the vendor tells', () => {
  const names = accounts.filter(({ connection }) => connection === 'k0-connected').map(({ name }) => name)
  expect(names).toEqual(['ada'])
})

test('the accounts that calls use come by pages, each row once', async () => {
  const paged: string[] = []
  let cursor = ''
  do {
    const { body } = await admin(`GET /api/v1/admin/tenants/default/accounts/own?limit=3${cursor}`)
    paged.push(...(body['items'] as OwnAccount[]).map(({ kind, connection }) => `${kind} ${connection.alias}`))
    cursor = body['next_cursor'] === undefined ? '' : `&cursor=${String(body['next_cursor'])}`
  } while (cursor !== '')
  expect(paged.length).toBeGreaterThan(6)
  expect(paged).toEqual(own.map(({ kind, connection }) => `${kind} ${connection.alias}`))
})

test('the counts of Home, of the menu and of the figures are those of the list', () => {
  const expected: Record<string, number> = {}
  for (const { alias } of CELLS) {
    const status = faces.get(alias)?.listed.status ?? ''
    expected[status] = (expected[status] ?? 0) + 1
  }
  expect(counts.home).toEqual(expected)
  expect(counts.stats).toEqual(expected)
})
