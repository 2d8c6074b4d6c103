import type { ConnectionId } from '@toolway/contract'
import { expect, test, vi } from 'vitest'
import { createPageReads, type PageRead, type PageReadsParts } from './page-reads.ts'
import type { Session } from './sessions.ts'

const HOUR = 3_600_000
const connection = (name: string) => name as ConnectionId
const reader = (name: string, organizationId = 'org_1') => ({ organizationId, session: undefined, name })

function fixture(parts: Partial<PageReadsParts> = {}) {
  const state = { now: 0 }
  const reads = createPageReads({ now: () => state.now, hash: (text) => text, log: { warn() {} }, ...parts })
  return { state, reads }
}

/** A session as far as pages are concerned. */
function sessionOf(id: string) {
  const changed = vi.fn<() => void>()
  return { session: { id, pages: new Set<ConnectionId>(), changed } as unknown as Session, changed }
}

test('a client is known by the pages that it read, for twelve hours after it read one last', () => {
  const { state, reads } = fixture()
  reads.note(reader('ada'), connection('sun'))
  expect([...reads.of(reader('ada'))]).toEqual(['sun'])
  expect(reads.of(reader('bob')).size).toBe(0)
  expect(reads.of(reader('ada', 'org_2')).size).toBe(0)
  state.now += 11 * HOUR
  reads.note(reader('ada'), connection('sun'))
  state.now += 11 * HOUR
  expect(reads.of(reader('ada')).size).toBe(1)
  state.now += 2 * HOUR
  expect(reads.of(reader('ada')).size).toBe(0)
})

test('memory is bounded, and an organization that reads much pushes out none of another', () => {
  const { reads } = fixture({ most: 30, mostOfOrganization: 25 })
  reads.note(reader('quiet', 'org_2'), connection('sun'))
  for (let at = 0; at < 100; at++) reads.note(reader(`loud ${at}`), connection('sun'))
  for (let at = 0; at < 20; at++) reads.note(reader(`third ${at}`, 'org_3'), connection('sun'))
  expect(reads.of(reader('quiet', 'org_2')).size).toBe(1)
  const rest = Array.from({ length: 100 }, (_, at) => reads.of(reader(`loud ${at}`)).size)
  expect(rest.filter((size) => size > 0).length).toBeLessThanOrEqual(25)
  expect(rest.at(-1)).toBe(1)
  for (let at = 0; at < 500; at++) reads.note(reader('quiet', 'org_2'), connection(`con_${at}`))
  expect(reads.of(reader('quiet', 'org_2')).size).toBe(100)
})

test('a session keeps what it read, is stored once for each connection, and is bounded too', () => {
  const { reads } = fixture()
  const { session, changed } = sessionOf('s1')
  const own = { ...reader('ada'), session }
  reads.note(own, connection('sun'))
  reads.note(own, connection('sun'))
  expect([...reads.of(own)]).toEqual(['sun'])
  expect(changed).toHaveBeenCalledTimes(1)
  for (let at = 0; at < 500; at++) reads.note(own, connection(`con_${at}`))
  expect(session.pages.size).toBe(100)
  expect(reads.of(reader('ada')).size).toBe(0)
})

/** Two gateways of one database, whose notices arrive when the test lets them. */
function pair() {
  const notices: PageRead[] = []
  const tell = async (reads: readonly PageRead[]) => void notices.push(...reads)
  const there = sessionOf('s1').session
  const first = fixture({ tell }).reads
  const second = fixture({ tell, sessionOf: (hash) => (hash === 'session s1' ? there : undefined) }).reads
  return { first, second, notices, there, arrive: () => notices.splice(0).forEach((read) => second.hear(read)) }
}

test('gateways tell one another, whether the other holds the session or not, and a call that came sooner waits', async () => {
  const { first, second, notices, there, arrive } = pair()
  first.note({ ...reader('ada'), session: sessionOf('s1').session }, connection('sun'))
  const { session } = sessionOf('s2')
  first.note({ ...reader('ada'), session }, connection('rain'))
  first.note(reader('ada'), connection('wind'))
  first.note(reader('ada'), connection('wind'))
  await vi.waitFor(() => expect(notices).toHaveLength(3))
  const waits = second.arrival(reader('ada'))
  expect(second.of(reader('ada')).size).toBe(0)
  arrive()
  await waits
  expect([...second.of(reader('ada'))]).toEqual(['wind'])
  expect([...there.pages]).toEqual(['sun'])
  // The session comes to the other gateway only now, with facts that were stored before.
  const revived = { ...reader('ada'), session: sessionOf('s2').session }
  expect([...second.of(revived)]).toEqual(['rain'])
})

test('waiting for another gateway ends by itself, is bounded, and is left out where a gateway is alone', async () => {
  vi.useFakeTimers()
  const { second } = pair()
  const waits = Array.from({ length: 1_500 }, () => second.arrival(reader('ada')))
  expect(waits.filter((wait) => wait !== undefined)).toHaveLength(1_000)
  await vi.advanceTimersByTimeAsync(500)
  for (const wait of waits) await wait
  expect(second.arrival(reader('ada'))).toBeDefined()
  vi.useRealTimers()
  expect(fixture().reads.arrival(reader('ada'))).toBeUndefined()
})

test('where other gateways cannot be told, this one knows all the same and says so once for what it could not tell', async () => {
  const warn = vi.fn<(facts: unknown, said?: unknown) => void>()
  const { reads } = fixture({ tell: () => Promise.reject(new Error('away')), log: { warn } })
  reads.note(reader('ada'), connection('sun'))
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1))
  expect(reads.of(reader('ada')).size).toBe(1)
})
