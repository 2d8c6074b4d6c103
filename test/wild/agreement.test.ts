/**
 * A gateway with the servers of the zoo behind it, called until it must know what they are: what `connection list`, `toolway doctor`, Home
 * and a call say of each server agrees. A server is not listed as connected while every call fails, and where it is not, each says why.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listConnections as listRows } from '../../packages/gateway/src/connections/connections.ts'
import { callStateOf } from '../../packages/gateway/src/features/connections/call-state.ts'
import { checkConnection } from '../../packages/gateway/src/cli/doctor.ts'
import { startTestGateway, type TestConnection, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { PATIENCE_MS } from '../../packages/gateway/src/testing/patience.ts'
import type { Connection } from '../../packages/contract/src/features/connections/connections.ts'
import { ask, type RawMessage } from '../e2e/peers/clients/raw-client.ts'
import { until } from '../e2e/peers/until.ts'
import { addKey, createAsk, type Ask } from '../e2e/peers/people/administrators.ts'
import { IS_SHORT } from '../setup/form.ts'
import { ERAS, type Era, type Transport } from './rows/row.ts'
import { SERVER_ROWS, type ServerRow } from './rows/servers.ts'

interface Played {
  readonly row: ServerRow
  readonly era: Era
  readonly transport: Transport
  readonly alias: string
}

/** In seconds; a greeting in silence takes half of it. */
const LIMIT = 4
/** As many failures in a row as the breaker takes for no chance, and one more. */
const CALLS = 6
/** Of the rows of a kind in the short form; each is a connection. */
const EACH_SHORT = 12
const LANES = 12
/** Each is a process. */
const EACH_STDIO = 12

const PLAYED: readonly Played[] = SERVER_ROWS.flatMap((row, at) =>
  row.server.transports.flatMap((transport) =>
    row.server.eras.flatMap((era) => {
      if (transport === 'sse' && era === 'modern') return []
      const isSampled =
        (!IS_SHORT || (at % EACH_SHORT === 0 && transport !== 'stdio')) &&
        (transport !== 'stdio' || at % EACH_STDIO === 0)
      return isSampled ? [{ row, era, transport, alias: `z${at}_${transport}_${era}` }] : []
    }),
  ),
)

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let ends: ReadonlyMap<string, readonly string[]>
let connections: ReadonlyMap<string, Connection>
let doctor: ReadonlyMap<string, ReturnType<typeof checkConnection>>
beforeAll(async () => {
  const declared = await inLanes(PLAYED, async ({ row, era, transport, alias }): Promise<TestConnection> => {
    const { wire } = parts.use(await row.server.play(era, transport))
    return { alias, wire, timeout: LIMIT }
  })
  gateway = parts.use(await startTestGateway({ connections: declared }))
  const admin = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const list = async () => (await listAll(admin)).map((connection) => [connection.alias, connection] as const)
  await until('every server was contacted', async () => (await list()).every(([, { status }]) => status !== 'new'))
  ends = new Map(await inLanes(PLAYED, async (played) => [played.alias, await callsOf(played)] as const))
  connections = await settled(async () => new Map(await list()))
  const rows = await gateway.db.organization(gateway.organization.id, listRows)
  doctor = new Map(
    rows.map((row) => {
      const nobody = { accounts: [], people: 0, members: 0, hasApp: true, hasOwnHeader: false }
      return [row.alias, checkConnection(row, callStateOf({ row, ...nobody }))]
    }),
  )
})
afterAll(() => parts.disposeAsync())

/** A few at a time, in order. */
async function inLanes<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as Item)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return results
}

/** All pages of the list, as the console's Home and the command line ask for them. */
async function listAll(admin: Ask): Promise<Connection[]> {
  const items: Connection[] = []
  for (;;) {
    const { body } = await admin(`GET /api/v1/admin/tenants/default/connectors?limit=100&offset=${items.length}`)
    const page = body['items'] as Connection[]
    items.push(...page)
    if (page.length === 0 || items.length >= Number(body['total'])) return items
  }
}

/** The list once it shows what the calls came to: the states are stored beside them. Whoever does not agree by then is found below. */
async function settled(list: () => Promise<Map<string, Connection>>): Promise<Map<string, Connection>> {
  const agrees = (one: Connection) => (one.status === 'connected') === isWellBy(ends.get(one.alias) ?? [])
  for (const until = Date.now() + PATIENCE_MS; ;) {
    const listed = await list()
    if (Date.now() > until || [...listed.values()].every(agrees)) return listed
    await pause(100)
  }
}

/** What each call comes to: `ok`, `its own error`, or the code of the gateway's fault. */
async function callsOf({ row, era, alias }: Played): Promise<string[]> {
  const peer = { url: gateway.connectionUrl(alias), key: gateway.key, era }
  const [method, params] = requestOf(row)
  const found: string[] = []
  for (let at = 0; at < CALLS; at++) found.push(endOf((await ask(peer, method, params)).answer))
  return found
}

function requestOf({ border, behaviour }: ServerRow): [string, Record<string, unknown>] {
  if (border === 'result' && behaviour.startsWith('prompts/get')) return ['prompts/get', { name: 'good' }]
  if (border === 'result' && behaviour.startsWith('resources/read')) return ['resources/read', { uri: 'good://a' }]
  return ['tools/call', { name: 'good', arguments: {} }]
}

function endOf({ result, error }: RawMessage): string {
  const meta = result?.['_meta'] as Record<string, { fault?: string } | undefined> | undefined
  const fault = meta?.['dev.toolway/fault']?.fault ?? error?.data?.['fault']
  if (typeof fault === 'string') return fault
  return error === undefined ? 'ok' : 'its own error'
}

/** A result that is too large is the result of one tool; the others of its server are called as ever. */
const isFailure = (end: string) => end.startsWith('upstream.')

/** The first call of a session may run before the server forgets it. */
const isWellBy = (found: readonly string[]) => !found.slice(1).every(isFailure)

const named = PLAYED.map(
  (played) => [`${played.row.border} ${played.row.behaviour} (${played.transport}, ${played.era})`, played] as const,
)

describe('what is said of a server agrees', () => {
  test.each(named)('%s', (_, { row, alias }) => {
    const found = ends.get(alias) ?? []
    const connection = connections.get(alias) ?? expect.fail('it is not listed')
    const [line] = doctor.get(alias) ?? []
    // As Home judges it (`health.ts` of the console).
    const isGoodAtHome = connection.enabled && connection.status === 'connected' && connection.stale_reason === null
    const shown = JSON.stringify({
      found,
      status: connection.status,
      reason: connection.status_reason,
      line,
      stale: connection.stale_reason,
    })
    const isWell = connection.status === 'connected'
    expect(isWell, shown).toBe(isWellBy(found))
    // Doctor, Home and the list are of one mind, and each has the reason.
    expect(line?.state === 'good', shown).toBe(isWell)
    expect(isGoodAtHome, shown).toBe(isWell)
    if (!isWell) {
      expect(connection.status_reason?.length ?? 0, shown).toBeGreaterThan(10)
      expect(line?.detail, shown).toContain(connection.status_reason)
    }
    // And a call comes to what the row says.
    const ending =
      row.outcome === 'refused' ? /^(upstream|result)\./ : row.outcome === 'its own error' ? /^its own error$/ : /^ok$/
    expect(found.filter((end) => ending.test(end)).length, shown).toBeGreaterThan(0)
    if (row.outcome === 'taken') expect(new Set(found).size, shown).toBe(1)
  })
})

test('the list of a large organization has them all', () => {
  expect([...connections.keys()].toSorted()).toEqual(PLAYED.map(({ alias }) => alias).toSorted())
  expect(new Set(PLAYED.map(({ era }) => era))).toEqual(new Set(ERAS))
})
