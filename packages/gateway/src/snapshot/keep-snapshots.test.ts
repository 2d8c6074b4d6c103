import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Snapshot } from './snapshot.ts'
import { createKeepSnapshots } from './keep-snapshots.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Only what names an organization is looked at here; the rest of a snapshot is the verb's business. */
const snapshotOf = (id: string, slug: string, name: string) =>
  ({ organization: { id, slug, name, active: name !== 'Asleep' } }) as unknown as Snapshot

function fixture() {
  const database = new Map([
    ['org_1', { slug: 'acme', name: 'Acme' }],
    ['org_2', { slug: 'other', name: 'Other' }],
  ])
  const loads: (readonly string[] | undefined)[] = []
  const placed: string[][] = []
  const gone: string[][] = []
  const errors: string[] = []
  const trouble: { load?: (() => Promise<void>) | undefined } = {}
  const jobs = createKeepSnapshots({
    async load(wanted) {
      const ids = wanted && [...wanted.keys()]
      loads.push(ids)
      const rows = [...database].filter(([id]) => ids?.includes(id) ?? true)
      const found = rows.map(([id, { slug, name }]) => snapshotOf(id, slug, name))
      await trouble.load?.()
      return found
    },
    onLoad(loaded, ids) {
      placed.push(loaded.map(({ organization }) => organization.slug))
      gone.push([...ids])
    },
    log: { error: (_, message) => void errors.push(message) },
  })
  const nameOf = (slug: string) => jobs.find({ slug })?.organization.name
  return { database, loads, placed, gone, errors, trouble, jobs, nameOf, [Symbol.dispose]: () => jobs.close() }
}

describe('organizations in memory', () => {
  test('are there after the first load, by id and by slug, and nobody else is', async () => {
    using held = fixture()
    expect(held.jobs.all()).toEqual([])
    await held.jobs.reload()
    expect(held.jobs.find({ id: 'org_1' })?.organization.slug).toBe('acme')
    expect(held.jobs.find({ slug: 'other' })?.organization.id).toBe('org_2')
    for (const name of [{ id: 'org_3' }, { slug: 'gone' }, { slug: '' }, {}, { id: '' }])
      expect(held.jobs.find(name)).toBeUndefined()
    expect(held.jobs.find({ id: 'org_3', slug: 'acme' })).toBeUndefined()
    expect(held.placed).toEqual([['acme', 'other']])
  })

  test('are found by nobody but those who administer them while they are not active', async () => {
    using held = fixture()
    held.database.set('org_1', { slug: 'acme', name: 'Asleep' })
    await held.jobs.reload()
    for (const name of [{ id: 'org_1' }, { slug: 'acme' }]) {
      expect(held.jobs.find(name)).toBeUndefined()
      expect(held.jobs.findAny(name)?.organization.id).toBe('org_1')
    }
  })

  test('change when a change of theirs is signalled, and the others are not loaded for it', async () => {
    using held = fixture()
    await held.jobs.reload()
    const other = held.jobs.find({ slug: 'other' })
    held.database.set('org_1', { slug: 'acme', name: 'Acme Ltd' })
    held.jobs.signal('org_1')
    expect(held.nameOf('acme')).toBe('Acme')
    await vi.advanceTimersByTimeAsync(20)
    expect(held.nameOf('acme')).toBe('Acme Ltd')
    expect(held.loads.at(-1)).toEqual(['org_1'])
    expect(held.jobs.find({ slug: 'other' })).toBe(other)
  })

  test('that did not change are not handed on with one that did', async () => {
    using held = fixture()
    await held.jobs.reload()
    await held.jobs.refresh('org_1')
    held.database.delete('org_2')
    await held.jobs.refresh('org_2')
    await held.jobs.refresh('org_3')
    held.database.delete('org_1')
    await held.jobs.reload()
    expect(held.placed).toEqual([['acme', 'other'], ['acme'], [], [], []])
    expect(held.gone).toEqual([[], [], ['org_2'], [], ['org_1']])
    expect(held.jobs.all()).toEqual([])
  })

  test('come, go and get another slug', async () => {
    using held = fixture()
    await held.jobs.reload()
    held.database.set('org_3', { slug: 'new', name: 'New' })
    held.database.set('org_1', { slug: 'acme-2', name: 'Acme' })
    held.database.delete('org_2')
    for (const id of ['org_1', 'org_2', 'org_3']) held.jobs.signal(id)
    await vi.advanceTimersByTimeAsync(20)
    expect(
      held.jobs
        .all()
        .map(({ organization }) => organization.slug)
        .toSorted(),
    ).toEqual(['acme-2', 'new'])
    for (const slug of ['acme', 'other']) expect(held.jobs.find({ slug })).toBeUndefined()
    expect(held.jobs.find({ id: 'org_2' })).toBeUndefined()
  })

  test('are loaded once for many signals of one change', async () => {
    using held = fixture()
    await held.jobs.reload()
    for (let change = 0; change < 50; change++) held.jobs.signal('org_1')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(held.loads).toEqual([undefined, ['org_1']])
  })

  test('are all loaded when nobody can say what changed, and not one by one besides', async () => {
    using held = fixture()
    await held.jobs.reload()
    held.jobs.signal('org_1')
    held.jobs.signal()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(held.loads).toEqual([undefined, undefined])
  })
})

describe('a load', () => {
  test('that a signal meets half-way is followed by another', async () => {
    using held = fixture()
    await held.jobs.reload()
    const loading = Promise.withResolvers<void>()
    held.trouble.load = () => loading.promise
    held.jobs.signal('org_1')
    await vi.advanceTimersByTimeAsync(20)
    held.trouble.load = undefined
    held.database.set('org_1', { slug: 'acme', name: 'Later' })
    held.jobs.signal('org_1')
    loading.resolve()
    await vi.advanceTimersByTimeAsync(20)
    expect(held.nameOf('acme')).toBe('Later')
  })

  test('that takes longer never puts an older answer over a newer one', async () => {
    using held = fixture()
    await held.jobs.reload()
    const slow = Promise.withResolvers<void>()
    held.trouble.load = () => slow.promise
    const first = held.jobs.refresh('org_1')
    await vi.advanceTimersByTimeAsync(0)
    held.trouble.load = undefined
    held.database.set('org_1', { slug: 'acme', name: 'Newer' })
    const second = held.jobs.refresh('org_1')
    await vi.advanceTimersByTimeAsync(0)
    expect(held.nameOf('acme')).toBe('Acme')
    slow.resolve()
    await Promise.all([first, second])
    expect(held.nameOf('acme')).toBe('Newer')
  })

  test('that fails leaves what is there, says so, and is tried again until it goes well', async () => {
    using held = fixture()
    await held.jobs.reload()
    held.database.set('org_1', { slug: 'acme', name: 'Acme Ltd' })
    held.trouble.load = () => Promise.reject(new Error('database gone'))
    held.jobs.signal('org_1')
    await vi.advanceTimersByTimeAsync(20)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(held.nameOf('acme')).toBe('Acme')
    expect(held.errors).toHaveLength(3)
    held.trouble.load = undefined
    await vi.advanceTimersByTimeAsync(1_000)
    expect(held.nameOf('acme')).toBe('Acme Ltd')
    expect(held.loads.at(-1)).toEqual(['org_1'])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(held.errors).toHaveLength(3)
  })

  test('that somebody waits for rejects for them, and what was asked for is asked again with the next', async () => {
    using held = fixture()
    held.trouble.load = () => Promise.reject(new Error('database gone'))
    await expect(held.jobs.reload()).rejects.toThrow('database gone')
    held.trouble.load = undefined
    await held.jobs.refresh('org_1')
    expect(held.loads).toEqual([undefined, undefined])
    expect(held.jobs.all()).toHaveLength(2)
  })

  test('is not begun once everything closes', async () => {
    using held = fixture()
    await held.jobs.reload()
    held.jobs.signal('org_1')
    held.jobs.close()
    held.jobs.signal('org_2')
    await held.jobs.refresh('org_1')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(held.loads).toEqual([undefined])
    expect(vi.getTimerCount()).toBe(0)
  })
})
