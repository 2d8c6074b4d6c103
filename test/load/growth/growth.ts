/**
 * What a gateway costs at a size: the same work beside few things and beside many. Each size is a gateway of its own on a database
 * that was filled before; streams and sessions are opened at one that runs.
 *
 * Memory is what a full garbage collection leaves, so one thing of a kind costs the difference of two sizes, divided.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../../packages/gateway/src/base/open-store.ts'
import { listConnections } from '../../../packages/gateway/src/connections/connections.ts'
import { switchAllTools } from '../../../packages/gateway/src/connections/tool-states.ts'
import { findOrganization } from '../../../packages/gateway/src/organizations/organizations.ts'
import type { Held } from '../counts/held.ts'
import { openSession } from '../generator/mcp-call.ts'
import type { FamilyCpu } from '../processes/process-cpu.ts'
import { createClient, times, type Client, type Stream } from './client.ts'
import { startGrown, type Cost, type GrownGateway, type GrownPlace, type Size } from './grown-gateway.ts'
import { median } from '../median.ts'
import { measureRecords, type RecordsRow } from './records.ts'
import { organizationAt } from './seed.ts'

/** A gateway with so much in its database. */
export interface SizeRow extends Size {
  readonly readyMs: number
  /** CPU until then, of the gateway's process and of its database. */
  readonly readyCpu: FamilyCpu | undefined
  readonly held: Held
  readonly call: Cost
  /** By the name that the joined endpoint has for the tool. */
  readonly joinedCall: Cost
  readonly firstPage: Cost
  /** A change of one connection of the last organization, until it is served. */
  readonly change: Cost
  /** All pages, and how many tools they had. */
  readonly list: Cost & { readonly tools: number }
}

/** A gateway with so many streams or sessions of clients. */
export interface OpenRow {
  readonly open: number
  readonly held: Held
  readonly call: Cost
}

export interface StreamRow extends OpenRow {
  /** A change of the streams' own organization that each of them is told of. */
  readonly told: Cost
  /** A change of another organization, which concerns none of them. Both without what the streams cost meanwhile anyway. */
  readonly elsewhere: Cost
  /** A second in which nothing is asked. */
  readonly idle: Cost
}

export interface Growth {
  readonly sizes: readonly SizeRow[]
  readonly streams: readonly StreamRow[]
  readonly sessions: readonly OpenRow[]
  readonly records: readonly RecordsRow[]
}

const BASE: Size = { organizations: 1, connections: 1, tools: 20 }
const SIZES: readonly Size[] = [
  { ...BASE, tools: 10 },
  { ...BASE, tools: 1_000 },
  { ...BASE, tools: 10_000 },
  BASE,
  { ...BASE, connections: 100 },
  { ...BASE, connections: 1_000 },
  { ...BASE, organizations: 1_000 },
]
const OPEN = [1, 1_000, 10_000]
/** One key may have so many streams. */
const STREAMS_OF_KEY = 100
const KEYS = 100
const WARM_UP = 1_500
const CALLS = 2_000
const LISTS = 20
/** Even, so that all tools are on again. */
const CHANGES = 8
const IDLE_SECONDS = 6
/** Milliseconds in which a change has been taken up, told or not. */
const TAKEN_UP = 500
const silent = { debug() {}, info() {}, warn() {}, error() {} }

export async function measureGrowth(place: GrownPlace, records: number, say: (line: string) => void): Promise<Growth> {
  const sizes: SizeRow[] = []
  for (const size of SIZES) {
    const { organizations, connections, tools } = size
    say(`organizations ${organizations}, connections of each ${connections}, tools of each ${tools}`)
    sizes.push(await measureSize(place, size))
  }
  return {
    sizes,
    streams: await measureStreams(place, say),
    sessions: await measureSessions(place, say),
    records: await measureRecords(records, say),
  }
}

const callMany = (gateway: GrownGateway, client: Client, target = gateway.single()): Promise<Cost> =>
  gateway.cost(CALLS, () => times(CALLS, () => client.call(target)))

async function measureSize(place: GrownPlace, size: Size): Promise<SizeRow> {
  const gateway = await startGrown(place, size)
  using client = createClient()
  await using change = await createChange(gateway.directory)
  const [single, joined] = [gateway.single(), gateway.joined()]
  await times(WARM_UP, () => client.call(single))
  await times(WARM_UP, () => client.call(joined))
  await times(2, () => client.list(joined, 'all'))
  const held = await gateway.held()
  const row = {
    ...size,
    readyMs: gateway.readyMs,
    readyCpu: gateway.readyCpu,
    held,
    call: await callMany(gateway, client),
    joinedCall: await callMany(gateway, client, joined),
    firstPage: await gateway.cost(LISTS, () => times(LISTS, () => client.list(joined, 'first'))),
    list: {
      ...(await gateway.cost(LISTS, () => times(LISTS, () => client.list(joined, 'all')))),
      tools: (await client.list(joined, 'all')).tools,
    },
    change: await costOfChange(gateway, (on) => change(gateway.organization, on)),
  }
  await gateway.end()
  return row
}

async function measureStreams(place: GrownPlace, say: (line: string) => void): Promise<StreamRow[]> {
  // The last organization has the streams, the first none.
  const gateway = await startGrown(place, { ...BASE, organizations: 2 }, KEYS)
  using client = createClient()
  await using change = await createChange(gateway.directory)
  await times(WARM_UP, () => client.call(gateway.single()))
  const rows: StreamRow[] = []
  const streams: Stream[] = []
  for (const open of OPEN) {
    say(`open streams ${open}`)
    const more = await times(open - streams.length, (number) =>
      client.listen(gateway.joined(Math.floor((streams.length + number) / STREAMS_OF_KEY))),
    )
    streams.push(...more)
    const [held, call] = [await gateway.held(), await callMany(gateway, client)]
    const idle = await gateway.cost(IDLE_SECONDS, () => sleep(IDLE_SECONDS * 1000))
    const alone = (cost: Cost): Cost => {
      const seconds = cost.ms / 1000
      const cpuUs = (cost.cpuUs ?? Number.NaN) - (idle.cpuUs ?? Number.NaN) * seconds
      return { ...cost, cpuUs, allocated: cost.allocated - idle.allocated * seconds }
    }
    const elsewhere = alone(await costOfChange(gateway, (on) => change(organizationAt(0), on)))
    const told = await costOfChange(gateway, async (on) => {
      const before = streams.map((stream) => stream.told())
      await change(gateway.organization, on)
      while (!streams.every((stream, at) => stream.told() > (before[at] ?? 0))) await sleep(TAKEN_UP)
    })
    rows.push({ open, held, call, idle, elsewhere, told: alone(told) })
  }
  for (const stream of streams) stream.close()
  await gateway.end()
  return rows
}

/** A function that switches the tools of an organization's first connection, and waits until that was taken up. */
async function createChange(directory: string) {
  const { db, close } = await openStore({ directory, databaseUrl: undefined, keys: {}, owner: false, log: silent })
  const change = async (slug: string, on: boolean) => {
    const organization = await db.system((sql) => findOrganization(sql, slug))
    if (organization === undefined) throw new Error(`there is no organization ${slug}`)
    await db.organization(organization.id, async (sql) => {
      const [first] = await listConnections(sql)
      if (first !== undefined) await switchAllTools(sql, first.id, on)
    })
    await sleep(TAKEN_UP)
  }
  return Object.assign(change, { [Symbol.asyncDispose]: close })
}

/** The median of several changes: a full garbage collection falls into one of them now and then, and is no part of it. */
async function costOfChange(gateway: GrownGateway, change: (on: boolean) => Promise<void>): Promise<Cost> {
  const costs: Cost[] = []
  for (let count = 0; count < CHANGES; count++) costs.push(await gateway.cost(1, () => change(count % 2 === 1)))
  const of = (name: keyof Cost) => median(costs.map((cost) => cost[name] ?? Number.NaN))
  return { cpuUs: of('cpuUs'), allocated: of('allocated'), ms: of('ms') }
}

async function measureSessions(place: GrownPlace, say: (line: string) => void): Promise<OpenRow[]> {
  const gateway = await startGrown(place, BASE, KEYS)
  using client = createClient()
  const sessions: string[] = []
  const rows: OpenRow[] = []
  for (const open of OPEN) {
    say(`sessions ${open}`)
    const more = await times(open - sessions.length, (number) =>
      openSession(gateway.single(Math.floor((sessions.length + number) / STREAMS_OF_KEY))),
    )
    sessions.push(...more)
    const target = { ...gateway.single(), session: sessions[0] ?? '' }
    if (rows.length === 0) await times(WARM_UP, () => client.call(target))
    rows.push({ open, held: await gateway.held(), call: await callMany(gateway, client, target) })
  }
  await gateway.end()
  return rows
}
