/** Streams between gateways: each holds its own log of one session, and hears of the others by the change feed of one database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault, type OrganizationId } from '@toolway/contract'
import type { Message } from '@toolway/protocol'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Db } from '../db/db.ts'
import { CHANNEL } from '../db/changes/change-feed.ts'
import { describeEachPostgres } from '../testing/database.ts'
import { createTestVault } from '../testing/gateway.ts'
import { addTestOrganization } from '../testing/organization.ts'
import { PATIENCE_MS } from '../testing/patience.ts'
import { createSessions, type Session } from './sessions.ts'
import { createLentStreams } from './lent-streams.ts'
import { createRemoteStreams } from './remote-streams.ts'
import { removeOldReaders, type StreamReaderNotice } from './stream-reader-rows.ts'
import { storeSessions } from './stored-sessions.ts'

const vault = createTestVault()
const hash = (id: string) => vault.hash(`session ${id}`)
const OPENING = { revision: '2025-11-25', capabilities: {}, client: undefined } as const
const FACTS = { ...OPENING, logLevel: undefined, watched: {}, pages: [] }
const Count = z.object({ readers: z.int(), events: z.int() })
const said = (method: string): Message => ({ jsonrpc: '2.0', method })

interface TownParts {
  readonly db: Db
  readonly organizationId: OrganizationId
}

const storeSession = ({ db, organizationId }: TownParts, id: string) =>
  db.system((sql) =>
    storeSessions(sql, [
      {
        ...FACTS,
        ...{
          hash: hash(id),
          organizationId,
          owner: 'ada',
          principal: 'ada',
          toolset: undefined,
          connection: undefined,
        },
        ...{ openedAt: new Date(), seenAt: new Date() },
      },
    ]),
  )

/** A gateway: the sessions that live in it, and both ends of streams. */
async function startGateway({ db, organizationId }: TownParts, name: string, patience = PATIENCE_MS) {
  await using parts = new AsyncDisposableStack()
  const sessions = createSessions({ now: Date.now, onEnd() {} })
  parts.defer(() => sessions.close())
  const held = new Map<string, Session>()
  let silence: PromiseWithResolvers<void> | undefined
  const asking = new Set<Promise<unknown>>()
  const organization: Db['organization'] = async (...words) => {
    await silence?.promise
    const answer = db.organization(...words)
    asking.add(answer)
    return answer.finally(() => asking.delete(answer))
  }
  const remote = createRemoteStreams({
    ...{ db: { organization }, hash, patience },
    open: (sealed, reader, at) => vault.open(sealed, `${reader} ${at}`),
  })
  const lent = createLentStreams({
    db,
    sessionOf: (hashed) => held.get(hashed),
    seal: (text, reader, at) => vault.seal(text, `${reader} ${at}`),
    log: { warn: (...words: unknown[]) => console.error(words) },
  })
  let deaf = false
  const listener = await db.listen(
    CHANNEL,
    (notice) => {
      if (notice.kind !== 'payload' || deaf) return
      const told = JSON.parse(notice.payload) as StreamReaderNotice
      lent.hear(told)
      remote.hear(told)
    },
    name,
  )
  parts.defer(() => listener.close())
  parts.defer(() => lent.close())
  const owned = parts.move()
  return {
    ...{ remote, lent },
    /** The session lives here too. */
    hold(id: string) {
      const session = sessions.revive('ada', id, FACTS)
      held.set(hash(id).toString('hex'), session)
      return session
    },
    fallSilent: () => void (deaf = true),
    /** Its readers ask the database for nothing more, also not of their own accord, until it is told to go on. */
    async stopReading() {
      silence = Promise.withResolvers<void>()
      // One that began just now is among them after this turn.
      await sleep(0)
      await Promise.allSettled(asking)
      return silence.resolve
    },
    /** Resumes a stream, and reads it until its end or until `leaves` is aborted. */
    async read(session: string, event: string, leaves = new AbortController()) {
      const [, stream = '', after = ''] = /^(.*)\.(\d+)$/.exec(event) ?? []
      const found = await remote.resume({ organizationId, session, stream, after: Number(after) }, leaves.signal)
      const frames: string[] = []
      const heard = () =>
        frames.flatMap((frame) => {
          const data = /^data: (.+)$/m.exec(frame)?.[1]
          const id = /^id: (.*)$/m.exec(frame)?.[1]
          return data === undefined ? [] : [`${id?.split('.')[1]} ${(JSON.parse(data) as { method: string }).method}`]
        })
      const over = found.pass({ write: (frame) => void frames.push(frame), end() {} }, true)
      return { frames, heard, over, leave: () => leaves.abort() }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const rowsIn = async ({ db }: TownParts) => {
  const [row] = await db.system(
    (sql) => sql(Count)`
      select (select count(*)::int from stream_readers) as readers, (select count(*)::int from stream_reader_events) as events`,
  )
  return row
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (thrown: unknown) => Fault.of(thrown).code,
  )

describeEachPostgres('a stream that is resumed at another gateway', (createDatabase) => {
  /** `impatient`: the third one waits for a holder that never answers, and no longer than it must. */
  const town = async ({ impatient = false } = {}) => {
    const database = await createDatabase()
    const { db } = database
    const { id: organizationId } = await addTestOrganization(db, 'acme')
    const parts = { db, organizationId }
    await storeSession(parts, 's1')
    const [a, b] = [await startGateway(parts, 'a'), await startGateway(parts, 'b')]
    const c = await startGateway(parts, 'c', impatient ? 1_500 : undefined)
    return {
      ...{ parts, a, b, c },
      async [Symbol.asyncDispose]() {
        for (const gateway of [a, b, c]) await gateway[Symbol.asyncDispose]()
        await database[Symbol.asyncDispose]()
      },
    }
  }

  test('brings what came after, then whatever comes, and ends with the stream; nothing stays', async () => {
    await using all = await town()
    const stream = all.a.hold('s1').events.open()
    for (const word of ['one', 'two', 'three']) stream.say(said(word))
    const reading = await all.b.read('s1', `${stream.name}.1`)
    await expect.poll(reading.heard).toEqual(['2 two', '3 three'])
    expect(reading.frames[0]).toMatch(new RegExp(`^id: ${stream.name}.1\nretry: `))
    stream.say(said('four'))
    await expect.poll(reading.heard).toEqual(['2 two', '3 three', '4 four'])
    stream.say(said('answer'))
    stream.finish()
    await reading.over
    expect(reading.heard()).toEqual(['2 two', '3 three', '4 four', '5 answer'])
    await expect.poll(() => rowsIn(all.parts)).toEqual({ readers: 0, events: 0 })
    await expect.poll(() => all.a.lent.size).toBe(0)
    // Its holder goes on knowing a stream that was read to its end.
    expect(await codeOf(all.c.read('s1', `${stream.name}.5`))).toBe('stream.ended')
    const again = await all.c.read('s1', `${stream.name}.3`)
    await again.over
    expect(again.heard()).toEqual(['4 four', '5 answer'])
  })

  test('goes to the reader that came last, here, there or at its holder, with nothing twice', async () => {
    await using all = await town()
    const { events } = all.a.hold('s1')
    const stream = events.open()
    stream.say(said('one'))
    const first = await all.b.read('s1', `${stream.name}.0`)
    await expect.poll(first.heard).toEqual(['1 one'])
    const second = await all.c.read('s1', `${stream.name}.1`)
    await first.over
    stream.say(said('two'))
    await expect.poll(second.heard).toEqual(['2 two'])
    const local: string[] = []
    stream.attach({ write: (frame) => void local.push(frame), end() {} }, { after: 2, sendsPrimingEvent: false })
    await second.over
    stream.say(said('three'))
    expect(local.join('')).toContain('three')
    expect([first.heard(), second.heard()]).toEqual([['1 one'], ['2 two']])
    await expect.poll(() => rowsIn(all.parts)).toEqual({ readers: 0, events: 0 })
  })

  test('is let go by its holder when the client leaves, and resumed again from where it was', async () => {
    await using all = await town()
    const stream = all.a.hold('s1').events.open()
    const first = await all.b.read('s1', `${stream.name}.0`)
    stream.say(said('one'))
    await expect.poll(first.heard).toEqual(['1 one'])
    first.leave()
    await first.over
    await expect.poll(() => all.a.lent.size).toBe(0)
    await expect.poll(() => rowsIn(all.parts)).toEqual({ readers: 0, events: 0 })
    stream.say(said('two'))
    const second = await all.b.read('s1', `${stream.name}.1`)
    await expect.poll(second.heard).toEqual(['2 two'])
    second.leave()
  })

  test('is gone where its holder is, where events are lost, and in another session, without a difference', async () => {
    await using all = await town({ impatient: true })
    await storeSession(all.parts, 's2')
    const { events } = all.a.hold('s1')
    const stream = events.open()
    stream.say(said('one'))
    all.a.hold('s2')
    const other = all.b.hold('s2').events.open()
    expect(await codeOf(all.c.read('s1', `${other.name}.0`))).toBe('stream.gone')
    expect(await codeOf(all.c.read('s1', 'aaaaaaaaaaaa-p1.0'))).toBe('stream.gone')
    expect(await codeOf(all.c.read('s3', `${stream.name}.0`))).toBe('stream.gone')
    expect(await codeOf(all.c.read('s1', `${stream.name}.7`))).toBe('stream.gone')
    for (let at = 0; at < 120; at++) stream.say(said('more'))
    expect(await codeOf(all.c.read('s1', `${stream.name}.1`))).toBe('stream.gone')
    // A holder that does not renew its lease is gone, whatever it began.
    const begun = await all.b.read('s1', `${stream.name}.100`)
    await expect.poll(() => begun.heard().length).toBe(21)
    let ended = false
    void begun.over.then(() => (ended = true))
    // Its holder is there and renews the lease: it is taken away until the reader has seen it gone.
    await expect
      .poll(async () => {
        await all.parts.db.system(
          (sql) => sql(z.object({}))`update stream_readers set held_until = now() - interval '1 second', state = state`,
        )
        return ended
      })
      .toBe(true)
    all.a.fallSilent()
    expect(await codeOf(all.c.read('s1', `${stream.name}.100`))).toBe('stream.gone')
    await expect.poll(() => rowsIn(all.parts)).toEqual({ readers: 0, events: 0 })
  })

  test('is not waited for where no other gateway is', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id: organizationId } = await addTestOrganization(db, 'acme')
    const parts = { db, organizationId }
    await storeSession(parts, 's1')
    await using only = await startGateway(parts, 'a')
    const heard: string[] = []
    const listener = await db.listen(
      CHANNEL,
      (notice) => void (notice.kind === 'payload' && heard.push(notice.payload)),
    )
    expect(await codeOf(only.read('s1', 'aaaaaaaaaaaa-p1.0'))).toBe('stream.gone')
    await db.system((sql) => sql(z.object({ said: z.string() }))`select announce_change('{}')::text as said`)
    await expect.poll(() => heard.at(-1)).toBe('{}')
    expect(heard.filter((payload) => payload.includes('stream_readers'))).toEqual([])
    await listener.close()
  })

  test('waits for a reader that takes nothing, with a bounded number of rows, and goes with its lease and its session', async () => {
    await using all = await town()
    const stream = all.a.hold('s1').events.open()
    const reading = await all.b.read('s1', `${stream.name}.0`)
    const readOn = await all.b.stopReading()
    for (let at = 0; at < 60; at++) stream.say(said('a'))
    await expect.poll(async () => (await rowsIn(all.parts))?.events).toBe(60)
    for (let at = 0; at < 60; at++) stream.say(said('b'))
    await sleep(500)
    expect((await rowsIn(all.parts))?.events).toBeLessThanOrEqual(100)
    await all.parts.db.system((sql) => sql(z.object({}))`update stream_readers set read_until = now()`)
    await all.parts.db.system(removeOldReaders)
    expect(await rowsIn(all.parts)).toEqual({ readers: 0, events: 0 })
    await expect.poll(() => all.a.lent.size).toBe(0)
    reading.leave()
    readOn()
    await reading.over
    const again = await all.c.read('s1', `${stream.name}.100`)
    await expect.poll(() => again.heard().length).toBe(20)
    await all.parts.db.system((sql) => sql(z.object({}))`delete from sessions`)
    await again.over
    expect(await rowsIn(all.parts)).toEqual({ readers: 0, events: 0 })
  })
})
