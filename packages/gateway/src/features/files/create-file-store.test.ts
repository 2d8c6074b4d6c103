/** The file store on a real database and a real folder: what goes in comes out, to its owner alone, and nothing changed does. */
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allOf, MIB, openFileHouse, piecesOf } from './file-house.test.fixture.ts'
import type { Blobs } from './blobs/blobs.ts'
import { FRAME, SEALED_FRAME } from './content/frames.ts'
import type { NewFile } from '../../snapshot/ports/file-store.ts'
import { createFileSweep } from './file-sweep.ts'

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const plain: NewFile = { name: 'report.pdf', mediaType: 'application/pdf', origin: { kind: 'upload' } }

test('content of every length around a frame comes out as it went in, whole and in ranges', async () => {
  await using house = await openFileHouse()
  const { store, ann } = house
  for (const length of [0, 1, FRAME - 1, FRAME, FRAME + 1, 3 * FRAME, 200_000]) {
    const bytes = randomBytes(length)
    const file = await store.put(ann, plain, piecesOf(bytes))
    expect(file).toMatchObject({ size: length, sha256: hashOf(bytes), name: 'report.pdf' })
    expect(file.uri).toBe(`toolway://files/${file.id}`)
    expect((await allOf((await store.open(ann, file.id)).content)).equals(bytes), `${length}`).toBe(true)
    for (const [start, end] of [
      [0, 0],
      [FRAME - 1, FRAME],
      [FRAME, 2 * FRAME - 1],
      [length - 1, length - 1],
      [10, undefined],
    ] as const) {
      if (start < 0 || start >= length) continue
      const part = await allOf((await store.open(ann, file.id, { start, end })).content)
      expect(part.equals(bytes.subarray(start, (end ?? length) + 1)), `${length}: ${start}-${end}`).toBe(true)
    }
    await expect(store.open(ann, file.id, { start: length })).rejects.toMatchObject({ code: 'file.range' })
  }
})

test('a file is its owner’s: for another member and another organization it does not exist', async () => {
  await using house = await openFileHouse()
  const { store, ann, bob, stranger } = house
  const { id } = await store.put(ann, plain, piecesOf(randomBytes(10)))
  for (const other of [bob, stranger]) {
    expect(await store.find(other, id)).toBeUndefined()
    await expect(store.open(other, id)).rejects.toMatchObject({ code: 'file.unknown' })
    expect(await store.remove(other, id)).toBe(false)
  }
  expect(await store.find(ann, id)).toMatchObject({ id, size: 10 })
  expect(await store.remove(ann, id)).toBe(true)
  expect(await store.find(ann, id)).toBeUndefined()
})

test('nothing of the content is readable on disk', async () => {
  await using house = await openFileHouse()
  const word = 'a sentence that nobody else writes. '
  const { id } = await house.store.put(house.ann, plain, piecesOf(Buffer.from(word.repeat(5_000))))
  const stored = await readFile(join(house.folder, house.ann.organizationId, id))
  expect(stored.includes('nobody else writes')).toBe(false)
})

test('content that was changed, cut, reordered or exchanged is not given out', async () => {
  await using house = await openFileHouse()
  const { store, ann, stranger, folder } = house
  const bytes = randomBytes(4 * FRAME + 100)
  const file = await store.put(ann, plain, piecesOf(bytes))
  const theirs = await store.put(stranger, plain, piecesOf(randomBytes(bytes.length)))
  const path = join(folder, ann.organizationId, file.id)
  const other = await readFile(join(folder, stranger.organizationId, theirs.id))
  const good = await readFile(path)
  const frame = (index: number) => good.subarray(index * SEALED_FRAME, (index + 1) * SEALED_FRAME)
  const flipped = (at: number) => {
    const copy = Buffer.from(good)
    copy[at] = (copy[at] ?? 0) ^ 1
    return copy
  }
  const attacks: Record<string, Buffer> = {
    'a bit of a nonce': flipped(2 * SEALED_FRAME + 3),
    'a bit of a body': flipped(2 * SEALED_FRAME + 5_000),
    'a bit of a tag': flipped(3 * SEALED_FRAME - 1),
    'a bit of the last frame': flipped(good.length - 20),
    'cut at a frame': good.subarray(0, 4 * SEALED_FRAME),
    'cut inside a frame': good.subarray(0, good.length - 1),
    'cut to nothing': Buffer.alloc(0),
    'two frames exchanged': Buffer.concat([frame(0), frame(2), frame(1), frame(3), frame(4)]),
    'a frame twice': Buffer.concat([frame(0), frame(0), frame(2), frame(3), frame(4)]),
    'a frame left out': Buffer.concat([frame(0), frame(2), frame(3), frame(4)]),
    'a frame of another file': Buffer.concat([
      frame(0),
      other.subarray(SEALED_FRAME, 2 * SEALED_FRAME),
      good.subarray(2 * SEALED_FRAME),
    ]),
    'the file of another organization': other,
  }
  for (const [attack, content] of Object.entries(attacks)) {
    await writeFile(path, content)
    const opened = await store.open(ann, file.id)
    const seen: Uint8Array[] = []
    const read = (async () => {
      for await (const piece of opened.content) seen.push(piece)
    })()
    await expect(read, attack).rejects.toMatchObject({ code: 'file.damaged' })
    const given = Buffer.concat(seen)
    expect(given.equals(bytes.subarray(0, given.length)), attack).toBe(true)
  }
  await writeFile(path, good)
  expect((await allOf((await store.open(ann, file.id)).content)).equals(bytes)).toBe(true)
})

test('the key of a file does not open in the row of another', async () => {
  await using house = await openFileHouse()
  const { store, ann, stranger, db } = house
  const mine = await store.put(ann, plain, piecesOf(randomBytes(100)))
  const theirs = await store.put(stranger, plain, piecesOf(randomBytes(100)))
  await db.system(
    (sql) => sql(z.object({}))`
      update files set sealed_key = (select sealed_key from files where id = ${theirs.id}), storage_key = storage_key || 'x'
       where id = ${mine.id}`,
  )
  await expect(store.open(ann, mine.id)).rejects.toThrow()
})

test('what does not have its declared size or hash, breaks off or is too large leaves nothing', async () => {
  await using house = await openFileHouse({ limits: { one: 2 * MIB } })
  const { store, ann, folder, db } = house
  const bytes = randomBytes(100_000)
  const broken = async function* () {
    yield bytes
    throw new Error('the sender is gone')
  }
  await expect(store.put(ann, { ...plain, size: 99_999 }, piecesOf(bytes))).rejects.toMatchObject({
    code: 'file.mismatch',
  })
  await expect(store.put(ann, { ...plain, size: 100_001 }, piecesOf(bytes))).rejects.toMatchObject({
    code: 'file.mismatch',
  })
  await expect(store.put(ann, { ...plain, sha256: 'f'.repeat(64) }, piecesOf(bytes))).rejects.toMatchObject({
    code: 'file.mismatch',
  })
  await expect(store.put(ann, plain, broken())).rejects.toThrow('the sender is gone')
  await expect(store.put(ann, plain, piecesOf(randomBytes(2 * MIB + 1)))).rejects.toMatchObject({
    code: 'file.too-large',
  })
  await expect(store.put(ann, { ...plain, size: 3 * MIB }, piecesOf(bytes))).rejects.toMatchObject({
    code: 'file.too-large',
  })
  const rows = await db.system((sql) => sql(z.object({ id: z.string() }))`select id from files`)
  expect(rows).toEqual([])
  await house.sweep.sweep()
  expect(await readdir(join(folder, ann.organizationId))).toEqual([])
  expect(
    await store.put(ann, { ...plain, size: bytes.length, sha256: hashOf(bytes).toUpperCase() }, piecesOf(bytes)),
  ).toMatchObject({
    size: 100_000,
  })
})

test('the quota counts all files of an organization, declared ones too, and none of another', async () => {
  await using house = await openFileHouse({ limits: { organization: MIB } })
  const { store, ann, bob, stranger, db } = house
  await store.put(ann, plain, piecesOf(randomBytes(0.7 * MIB)))
  const more = { ...plain, size: 0.5 * MIB }
  await expect(store.put(bob, more, piecesOf(randomBytes(more.size)))).rejects.toMatchObject({ code: 'file.quota' })
  await store.put(stranger, more, piecesOf(randomBytes(more.size)))
  await db.system(
    (sql) =>
      sql(
        z.object({}),
      )`update organizations set settings = settings || '{"files_quota_bytes": 4000000}' where slug = 'default'`,
  )
  await store.put(bob, more, piecesOf(randomBytes(more.size)))
})

test('the quota holds against many at once', async () => {
  await using house = await openFileHouse({ limits: { organization: MIB } })
  const { store, ann } = house
  const file = { ...plain, size: 0.3 * MIB }
  const tries = await Promise.allSettled(
    Array.from({ length: 8 }, () => store.put(ann, file, piecesOf(randomBytes(Math.floor(file.size))))),
  )
  expect(tries.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(3)
})

test('an expired file does not exist, and its content is removed', async () => {
  await using house = await openFileHouse()
  const { store, ann, folder, db } = house
  const { id } = await store.put(ann, plain, piecesOf(randomBytes(10)))
  await db.system((sql) => sql(z.object({}))`update files set expires_at = now() - interval '1 second'`)
  expect(await store.find(ann, id)).toBeUndefined()
  await house.sweep.sweep()
  expect(await readdir(join(folder, ann.organizationId))).toEqual([])
})

test('content that cannot be removed keeps no other, and what a killed process left of an upload goes too', async () => {
  await using house = await openFileHouse()
  const { store, ann, folder, parts } = house
  const files = await Promise.all([1, 2, 3].map(() => store.put(ann, plain, piecesOf(randomBytes(10)))))
  const [first, second] = files
  await writeFile(join(folder, ann.organizationId, `${second?.id}.tail.new`), 'half')
  for (const { id } of files) await store.remove(ann, id)
  const key = `${ann.organizationId}/${first?.id}`
  const remove: Blobs['remove'] = async (one, list) => {
    if (one === key) throw new Error('not this one')
    return parts.blobs.remove(one, list)
  }
  const sweep = createFileSweep({ db: house.db, blobs: { ...parts.blobs, remove } })
  await expect(sweep.sweep()).rejects.toThrow('not this one')
  expect(await readdir(join(folder, ann.organizationId))).toEqual([first?.id])
  // The removal is not forgotten.
  await house.db.system((sql) => sql(z.object({}))`update file_removals set try_after = now()`)
  await house.sweep.sweep()
  expect(await readdir(join(folder, ann.organizationId))).toEqual([])
})

test('names and media types are made safe', async () => {
  await using house = await openFileHouse()
  const names: Record<string, string> = {
    '../../etc/passwd': 'passwd',
    'C:\\Users\\a\\x.txt': 'x.txt',
    '..': 'file',
    '': 'file',
    'a\u202Egnp.exe': 'agnp.exe',
    'line\r\nbreak': 'linebreak',
    'quote"<b>.html': 'quote__b_.html',
  }
  for (const [name, safe] of Object.entries(names)) {
    const file = await house.store.put(
      house.ann,
      { ...plain, name, mediaType: 'text/html\r\nx: y' },
      piecesOf(Buffer.of(1)),
    )
    expect(file, name).toMatchObject({ name: safe, mediaType: 'application/octet-stream' })
  }
})
