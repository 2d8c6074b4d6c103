import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { testEntry } from '../../testing/record-entry.ts'
import { ENDED_BEFORE, type Entry } from '../records.ts'
import { createJournal, placeOf, type Journal } from './journal.ts'
import { createRecordWriter, MOST_IN_MEMORY, type RecordWriter, type RecordWriterParts } from './writer.ts'

vi.mock('./journal.ts', { spy: true })

const PASSED = new Error('the database is away')
const many = (count: number) => Array.from({ length: count }, (_, at) => testEntry({ request_id: `r-${at}` }))
const begun = (entry: Entry): Entry => ({ ...entry, ...ENDED_BEFORE })

/** A database that takes what it has not yet, unless it is away. */
function makeDatabase() {
  const rows = new Map<string, Entry>()
  const batches: number[] = []
  const state = { away: false }
  const alive = new Set<string>()
  return {
    rows,
    batches,
    state,
    alive,
    store: (entries: readonly Entry[]) => {
      if (state.away) return Promise.reject(PASSED)
      if (entries.some(({ method }) => method === 'refused'))
        return Promise.reject(Object.assign(new Error('bad row'), { code: '23514' }))
      batches.push(entries.length)
      for (const entry of entries) if (!rows.has(entry.id)) rows.set(entry.id, entry)
      return Promise.resolve()
    },
  }
}

async function fixture() {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-outbox-'))
  const directory = join(folder, 'outbox')
  const database = makeDatabase()
  const lost: number[] = []
  const said: string[] = []
  const say = (_: object, message: string) => void said.push(message)
  const log = { debug: say, info: say, warn: say, error: say }
  const begin = (more: Partial<RecordWriterParts> = {}): RecordWriter =>
    createRecordWriter({
      directory,
      store: database.store,
      holds: async (owner) => database.alive.has(owner),
      log,
      now: Date.now,
      onLoss: (count) => void lost.push(count),
      ...more,
    })
  const files = () => readdir(directory).catch(() => [])
  const ids = () => [...database.rows.keys()]
  return {
    directory,
    ...database,
    lost,
    said,
    begin,
    files,
    ids,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The files of a process that was killed: the same lines under the number of one that does not live. */
async function asLeftBehind(directory: string, lines: readonly string[], name = `${placeOf()}-4194304-00000000`) {
  await writeFile(join(directory, `${name}-000000001`), lines.join('\n'))
}
const line = (mark: 'i' | 'f', entry: Entry) => mark + JSON.stringify(entry)

afterEach(() => void vi.useRealTimers())

describe('the outbox of a gateway elsewhere', () => {
  const ELSEWHERE = 'abcdefabcdef-7-00000000'

  test('is taken over when it was silent and is alive in no database, and never before', async () => {
    await using held = await fixture()
    const [ended, open] = [testEntry(), testEntry()]
    await mkdir(held.directory, { recursive: true })
    await asLeftBehind(held.directory, [line('f', ended), line('i', begun(open)), ''], ELSEWHERE)
    const look = async () => {
      const writer = held.begin()
      await writer.flush()
      await writer.close()
      return held.ids().toSorted()
    }
    // It gave a sign of life a moment ago.
    expect(await look()).toEqual([])
    // It is stopped, and lives: its connection with the database says so.
    const longAgo = new Date(Date.now() - 3_600_000)
    await utimes(join(held.directory, `${ELSEWHERE}-000000001`), longAgo, longAgo)
    held.alive.add(ELSEWHERE)
    expect(await look()).toEqual([])
    held.alive.delete(ELSEWHERE)
    expect(await look()).toEqual([ended.id, open.id].toSorted())
    expect(await held.files()).toEqual([])
  })

  test('writes to a new file where its own was taken over while it was stopped', async () => {
    await using held = await fixture()
    const [before, after] = [testEntry(), testEntry()]
    vi.useFakeTimers({ toFake: ['Date'] })
    const writer = held.begin()
    await writer.intend(begun(before))
    for (const name of await held.files()) await rm(join(held.directory, name))
    vi.setSystemTime(Date.now() + 120_000)
    await writer.intend(begun(after))
    const names = await held.files()
    expect(names).toHaveLength(1)
    expect(await readFile(join(held.directory, names[0] ?? ''), 'utf8')).toContain(after.id)
    await writer.close()
  })
})

describe('the outbox', () => {
  test('writes together what came together, in order, and keeps no file of what is stored', async () => {
    await using held = await fixture()
    const writer = held.begin()
    const entries = many(2_500)
    const intents = await Promise.all(entries.map((entry) => writer.intend(begun(entry))))
    entries.forEach((entry, at) => writer.write(entry, undefined, intents[at]))
    expect(held.ids()).toEqual([])
    await writer.flush()
    expect(held.ids()).toEqual(entries.map(({ id }) => id))
    expect(Math.max(...held.batches)).toBeLessThanOrEqual(1_000)
    await writer.close()
    expect(await held.files()).toEqual([])
  })

  test('keeps count of what comes while it stores', async () => {
    await using held = await fixture()
    const entries = many(40)
    const store = async (batch: readonly Entry[]) => {
      await held.store(batch)
      for (const entry of entries.splice(0, 3)) writer.write(entry, undefined, await writer.intend(begun(entry)))
    }
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const writer = createRecordWriter({
      holds: async () => false,
      directory: held.directory,
      store,
      log,
      now: Date.now,
      onLoss() {},
    })
    writer.write(testEntry())
    await writer.flush()
    await writer.close()
    expect(held.rows.size).toBe(41)
    expect(await held.files()).toEqual([])
  })

  /** A writer with a database that needs `takes` milliseconds for a batch, and one record for each millisecond that passes. */
  async function trickle(takes: number, isAway = false) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const held = await fixture()
    const counted: number[] = []
    let attempts = 0
    const writer = held.begin({
      store: async (batch) => {
        attempts++
        await new Promise((done) => setTimeout(done, takes))
        if (isAway) throw PASSED
        await held.store(batch)
      },
      onStored: (count) => void counted.push(count),
    })
    return {
      counted,
      attempts: () => attempts,
      waiting: () => writer.waiting,
      async pass(milliseconds: number) {
        for (let at = 0; at < milliseconds; at++) {
          writer.write(testEntry())
          await vi.advanceTimersByTimeAsync(1)
        }
      },
      async [Symbol.asyncDispose]() {
        const closing = writer.close()
        await vi.advanceTimersByTimeAsync(60_000)
        await closing
        await held[Symbol.asyncDispose]()
      },
    }
  }

  test('waits for company between two batches, however steadily records come, and counts both', async () => {
    const steady = await trickle(1)
    await steady.pass(1_000)
    // Ten to twenty milliseconds apart: not a batch for each record that came while the last one was stored.
    expect(steady.counted.length).toBeGreaterThanOrEqual(40)
    expect(steady.counted.length).toBeLessThanOrEqual(100)
    expect(steady.waiting()).toBeLessThanOrEqual(20)
    // A batch that the disk of a busy machine still works on is counted nowhere until the writer has closed.
    await steady[Symbol.asyncDispose]()
    expect(steady.counted.reduce((sum, count) => sum + count, 0)).toBe(1_000)
  })

  test('lets no rounds pile up behind a slow database, and stores what waits together', async () => {
    await using slow = await trickle(80)
    await slow.pass(2_000)
    expect(slow.counted.length).toBeLessThanOrEqual(25)
    expect(Math.max(...slow.counted)).toBeLessThanOrEqual(100)
    expect(slow.waiting()).toBeLessThanOrEqual(200)
  })

  test('keeps its time between attempts while the database refuses, however steadily records come', async () => {
    await using refused = await trickle(5, true)
    await refused.pass(5_000)
    // After 0.2, 0.4, 0.8, 1.6 s and so on.
    expect(refused.attempts()).toBeLessThanOrEqual(6)
  })

  test('tries again at once when the database is back, however long it was away', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await using held = await fixture()
    const back: (() => void)[] = []
    const writer = held.begin({
      onBack: (listener) => {
        back.push(listener)
        return () => void back.pop()
      },
    })
    await writer.flush()
    held.state.away = true
    writer.write(testEntry())
    await vi.advanceTimersByTimeAsync(60_000)
    held.state.away = false
    for (const tell of back) tell()
    await vi.advanceTimersByTimeAsync(1)
    expect(held.rows.size).toBe(1)
    await writer.close()
    expect(back).toEqual([])
  })

  test('stores a record that comes alone within the rest, and many at once without it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await using held = await fixture()
    const writer = held.begin()
    // The look for what others left reads the disk, which no fake clock moves.
    await writer.flush()
    writer.write(testEntry())
    await vi.advanceTimersByTimeAsync(20)
    expect(held.batches).toEqual([1])
    for (const entry of many(1_500)) writer.write(entry)
    await vi.advanceTimersByTimeAsync(1)
    await vi.waitFor(() => expect(held.rows.size).toBeGreaterThan(1_000))
    await writer.close()
    expect(held.rows.size).toBe(1_501)
  })

  test('is readable by nobody else', async () => {
    await using held = await fixture()
    const writer = held.begin()
    await writer.intend(begun(testEntry()))
    const [name = ''] = await held.files()
    expect((await stat(held.directory)).mode & 0o777).toBe(0o700)
    expect((await stat(join(held.directory, name))).mode & 0o777).toBe(0o600)
    await writer.close()
  })

  test('has an intent on the disk before anything else happens', async () => {
    await using held = await fixture()
    const writer = held.begin()
    const entry = testEntry()
    await writer.intend(begun(entry))
    const [name = ''] = await held.files()
    expect(await readFile(join(held.directory, name), 'utf8')).toBe(`${line('i', begun(entry))}\n`)
    await writer.close()
  })

  test('writes the intents of one turn with one write, and each before its call goes on', async () => {
    await using held = await fixture()
    const writer = held.begin()
    const entries = many(10)
    const journal = vi.mocked(createJournal).mock.results.at(-1)?.value as Journal
    const writes = vi.spyOn(journal, 'append')
    const text = async () => readFile(join(held.directory, (await held.files())[0] ?? ''), 'utf8')
    await Promise.all(
      entries.map(async (entry) => {
        await writer.intend(begun(entry))
        expect(await text()).toContain(`${line('i', begun(entry))}\n`)
      }),
    )
    expect(writes).toHaveBeenCalledTimes(1)
    // A turn that would take much memory is written before its end.
    const large = many(200).map((entry) => writer.intend(begun(entry)))
    expect(writes.mock.calls.length).toBeGreaterThan(3)
    await Promise.all(large)
    await writer.close()
  })

  test('writes what is intended when it ends', async () => {
    await using held = await fixture()
    const writer = held.begin()
    const entry = testEntry()
    const intent = writer.intend(begun(entry))
    await writer.close()
    expect(await intent).toMatchObject({ open: 1 })
    const next = held.begin()
    await next.flush()
    expect(held.rows.get(entry.id)).toMatchObject({ outcome: 'unknown' })
    await next.close()
  })

  test('keeps what was sent with a call whose gateway was gone before the answer', async () => {
    await using held = await fixture()
    const writer = held.begin()
    const entry = begun(testEntry({ payload: 'c2VhbGVk' }))
    await writer.intend(entry)
    await writer.close()
    const next = held.begin()
    await next.flush()
    expect(held.rows.get(entry.id)).toMatchObject({ outcome: 'unknown', payload: 'c2VhbGVk' })
    await next.close()
  })

  test('loses nothing while the database is away, however much comes, and holds only so much of it in memory', async () => {
    await using held = await fixture()
    held.state.away = true
    const writer = held.begin()
    const entries = many(MOST_IN_MEMORY + 15_000)
    for (const entry of entries) writer.write(entry)
    await writer.flush()
    expect(writer.waiting).toBe(MOST_IN_MEMORY)
    held.state.away = false
    await writer.flush()
    expect(held.rows.size).toBe(entries.length)
    expect(held.lost).toEqual([])
    await writer.close()
    expect(await held.files()).toEqual([])
  })

  test('tries again by itself, less and less often, until the database is back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await using held = await fixture()
    held.state.away = true
    const writer = held.begin()
    many(3).forEach((entry) => writer.write(entry))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(held.ids()).toEqual([])
    expect(held.said.length).toBeGreaterThan(3)
    expect(held.said.length).toBeLessThan(30)
    held.state.away = false
    await vi.advanceTimersByTimeAsync(10_000)
    expect(held.rows.size).toBe(3)
    await writer.close()
  })

  test('leaves what it cannot store when it ends to whoever begins next', async () => {
    await using held = await fixture()
    held.state.away = true
    const first = held.begin()
    const [ended, open] = [testEntry(), testEntry()]
    first.write(ended, undefined, await first.intend(begun(ended)))
    await first.intend(begun(open))
    await first.close()
    held.state.away = false
    const second = held.begin()
    await second.flush()
    expect([held.rows.get(ended.id), held.rows.get(open.id)]).toMatchObject([
      { outcome: 'ok' },
      { outcome: 'unknown', code: 'gateway.ended' },
    ])
    await second.close()
    expect([await held.files(), held.lost]).toEqual([[], []])
  })

  test('a killed gateway leaves its records, and of what it had begun that nobody knows how it ended', async () => {
    await using held = await fixture()
    const [stored, ended, open] = [testEntry(), testEntry(), testEntry()]
    held.rows.set(stored.id, stored)
    const lines = [line('i', begun(ended)), line('i', begun(stored)), line('f', ended), line('i', begun(open))]
    // Before the writer begins: it looks for such files once at its begin.
    await mkdir(held.directory, { recursive: true })
    await asLeftBehind(held.directory, [...lines, 'f{"id":"half a li'])
    const writer = held.begin()
    const stays = await writer.intend(begun(testEntry()))
    await writer.flush()
    expect([stored, ended, open].map(({ id }) => held.rows.get(id)?.outcome)).toEqual(['ok', 'ok', 'unknown'])
    expect(held.said).toContain('a line of the outbox cannot be read')
    expect((await held.files()).map((name) => join(held.directory, name))).toEqual([stays.path])
    await writer.close()
  })

  test('takes nothing from a gateway that lives', async () => {
    await using held = await fixture()
    const writer = held.begin()
    await writer.intend(begun(testEntry()))
    const foreign = 'ffffffffffff-1-00000000'
    await asLeftBehind(held.directory, [line('i', begun(testEntry()))], `${placeOf()}-${process.ppid}-00000000`)
    await asLeftBehind(held.directory, [line('i', begun(testEntry()))], `${placeOf()}-${process.pid}-00000000`)
    await asLeftBehind(held.directory, [line('i', begun(testEntry()))], foreign)
    await writer.flush()
    expect(held.ids()).toEqual([])
    expect(await held.files()).toHaveLength(4)
    // On another machine a minute of silence has to do.
    const long = new Date(Date.now() - 61_000)
    await utimes(join(held.directory, `${foreign}-000000001`), long, long)
    const next = held.begin()
    await next.flush()
    expect(held.rows.size).toBe(1)
    expect(await held.files()).toHaveLength(3)
    await next.close()
    await writer.close()
  })

  test('gives up only the row that the database will never take, says so, and keeps it for people', async () => {
    await using held = await fixture()
    const writer = held.begin()
    const refused = testEntry({ method: 'refused' })
    const entries = [...many(700), refused, ...many(200)]
    entries.forEach((entry) => writer.write(entry))
    await writer.flush()
    expect([held.rows.size, held.lost]).toEqual([900, [1]])
    expect(held.said).toContain('the database refuses a record')
    expect(await readFile(join(held.directory, 'refused'), 'utf8')).toBe(`${JSON.stringify(refused)}\n`)
    await writer.close()
    expect(await held.files()).toEqual(['refused'])
  })

  test('refuses a call that it cannot write down, says what to do, and takes calls again when it can', async () => {
    await using held = await fixture()
    await writeFile(held.directory, 'a file stands where the folder should be')
    const writer = held.begin()
    await expect(writer.intend(begun(testEntry()))).rejects.toThrow(
      /The audit record of this call cannot be stored \(EEXIST\)/,
    )
    // An entry without a call to refuse waits in memory.
    const entry = testEntry()
    writer.write(entry)
    await rm(held.directory)
    writer.write(testEntry(), undefined, await writer.intend(begun(testEntry())))
    await writer.flush()
    expect([held.rows.size, held.lost]).toEqual([2, []])
    await writer.close()
  })

  test('cuts its file when everything in it is stored, so that nothing stays that was redacted since', async () => {
    await using held = await fixture()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const writer = held.begin()
    const entry = testEntry()
    writer.write(entry, undefined, await writer.intend(begun(entry)))
    await writer.flush()
    vi.advanceTimersByTime(1_000)
    const [name = ''] = await held.files()
    expect((await stat(join(held.directory, name))).size).toBe(0)
    await writer.close()
  })
})
