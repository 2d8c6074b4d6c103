/** Uploads in pieces: where they stand after every way to break off, and that only what was declared becomes a file. */
import { createHash, randomBytes } from 'node:crypto'
import { appendFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allOf, openFileHouse, piecesOf } from './file-house.test.fixture.ts'
import { FRAME } from './content/frames.ts'
import { openRow } from './open-row.ts'
import { createUploads, type UploadRow } from './uploads.ts'

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
type House = Awaited<ReturnType<typeof openFileHouse>>
const ready = async () => {}

async function openUpload(house: House, bytes: Buffer, sha256?: string): Promise<UploadRow> {
  const { db, parts, ann } = house
  const file = { name: 'big.bin', size: bytes.length, sha256, origin: { kind: 'upload' as const } }
  const row = await db.organization(ann.organizationId, (sql) => openRow(sql, parts, ann, file))
  return { ...row, size: bytes.length }
}
const never = new AbortController().signal
const append = (house: House, row: UploadRow, offset: number, bytes: Buffer, length?: number) =>
  house.uploads.append(row, { offset, content: piecesOf(bytes, length), signal: never, onReady: ready })

test('pieces of any length make the file, and it is there once the last one came', async () => {
  await using house = await openFileHouse()
  const bytes = randomBytes(3 * FRAME + 17)
  const row = await openUpload(house, bytes, hashOf(bytes))
  let offset = 0
  for (const length of [1, 9, FRAME - 10, FRAME, 100, FRAME - 300]) {
    offset = await append(house, row, offset, bytes.subarray(offset, offset + length), 1_000)
    expect(await house.uploads.offset(row, ready)).toBe(offset)
    expect(await house.store.find(house.ann, row.id)).toBeUndefined()
  }
  expect(await append(house, row, offset, bytes.subarray(offset))).toBe(bytes.length)
  expect(await house.store.find(house.ann, row.id)).toMatchObject({ sha256: hashOf(bytes), size: bytes.length })
  expect((await allOf((await house.store.open(house.ann, row.id)).content)).equals(bytes)).toBe(true)
})

test('an upload of no bytes is a file after its first request', async () => {
  await using house = await openFileHouse()
  const row = await openUpload(house, Buffer.alloc(0))
  expect(await append(house, row, 0, Buffer.alloc(0))).toBe(0)
  expect(await house.store.find(house.ann, row.id)).toMatchObject({ size: 0, sha256: hashOf(Buffer.alloc(0)) })
})

test('a piece for another place is refused with the place where the upload stands', async () => {
  await using house = await openFileHouse()
  const bytes = randomBytes(100)
  const row = await openUpload(house, bytes)
  await append(house, row, 0, bytes.subarray(0, 40))
  for (const offset of [0, 39, 41, 100])
    await expect(append(house, row, offset, bytes.subarray(40))).rejects.toMatchObject({
      code: 'file.offset',
      facts: { offset: 40 },
    })
})

test('content with another hash than declared is not a file, and gone', async () => {
  await using house = await openFileHouse()
  const bytes = randomBytes(100)
  const row = await openUpload(house, bytes, hashOf(randomBytes(100)))
  await expect(append(house, row, 0, bytes)).rejects.toMatchObject({ code: 'file.mismatch', facts: { fact: 'sha256' } })
  expect(await house.store.find(house.ann, row.id)).toBeUndefined()
  await expect(append(house, row, 0, bytes)).rejects.toThrow()
})

test('more than declared is refused, and the upload goes on as it was', async () => {
  await using house = await openFileHouse()
  const bytes = randomBytes(100)
  const row = await openUpload(house, bytes)
  const much = Buffer.concat([bytes, Buffer.of(1)])
  await expect(append(house, row, 0, much, 60)).rejects.toMatchObject({
    code: 'file.mismatch',
    facts: { fact: 'size' },
  })
  expect(await house.uploads.offset(row, ready)).toBe(60)
  expect(await append(house, row, 60, bytes.subarray(60))).toBe(100)
})

test('what came before the sender broke off is kept, and another process goes on there', async () => {
  await using house = await openFileHouse()
  const bytes = randomBytes(2 * FRAME)
  const row = await openUpload(house, bytes, hashOf(bytes))
  const broken = async function* () {
    yield bytes.subarray(0, FRAME + 1_000)
    throw new Error('the line broke')
  }
  const breaking = { offset: 0, content: broken(), signal: never, onReady: ready }
  await expect(house.uploads.append(row, breaking)).rejects.toThrow('the line broke')
  // Another process knows no hash so far: it is computed from what is stored.
  const other = createUploads(house.parts)
  const offset = await other.offset(row, ready)
  expect(offset).toBe(FRAME + 1_000)
  const rest = { offset, content: piecesOf(bytes.subarray(offset)), signal: never, onReady: ready }
  expect(await other.append(row, rest)).toBe(bytes.length)
  expect(await house.store.find(house.ann, row.id)).toMatchObject({ sha256: hashOf(bytes) })
})

test('half a frame on the disk, as a killed process leaves it, is not taken for content', async () => {
  await using house = await openFileHouse()
  const bytes = randomBytes(3 * FRAME)
  const row = await openUpload(house, bytes, hashOf(bytes))
  await append(house, row, 0, bytes.subarray(0, 2 * FRAME + 10))
  const path = join(house.folder, `${row.storage_key}.part`)
  await appendFile(path, randomBytes(500))
  expect(await createUploads(house.parts).offset(row, ready)).toBe(2 * FRAME + 10)
  await truncate(path, FRAME + 100)
  const offset = await createUploads(house.parts).offset(row, ready)
  expect(offset).toBe(FRAME)
  expect(await append(house, row, offset, bytes.subarray(offset))).toBe(bytes.length)
  expect((await allOf((await house.store.open(house.ann, row.id)).content)).equals(bytes)).toBe(true)
})

test('a process that was killed after the last byte is completed by the next one that asks', async () => {
  await using house = await openFileHouse()
  const bytes = randomBytes(FRAME + 1)
  const row = await openUpload(house, bytes, hashOf(bytes))
  const killed = async () => {
    throw new Error('killed before the row was written')
  }
  const last = { offset: 0, content: piecesOf(bytes), signal: never, onReady: killed }
  await expect(house.uploads.append(row, last)).rejects.toThrow('killed')
  expect(await house.store.find(house.ann, row.id)).toBeUndefined()
  expect(await createUploads(house.parts).offset(row, ready)).toBe(bytes.length)
  expect(await house.store.find(house.ann, row.id)).toMatchObject({ sha256: hashOf(bytes) })
})

test('one gateway at a time writes an upload; at the same gateway the newest request does', async () => {
  await using house = await openFileHouse()
  const bytes = randomBytes(1_000)
  const row = await openUpload(house, bytes)
  const begun = Promise.withResolvers<void>()
  const hanging = async function* () {
    yield bytes.subarray(0, 300)
    begun.resolve()
    await new Promise(() => {})
  }
  const first = house.uploads.append(row, { offset: 0, content: hanging(), signal: never, onReady: ready })
  const ended = first.then(
    () => undefined,
    (thrown: Error) => thrown.name,
  )
  await begun.promise
  await expect(createUploads(house.parts).offset(row, ready)).rejects.toMatchObject({ code: 'file.busy' })
  const offset = await house.uploads.offset(row, ready)
  expect(await ended).toBe('AbortError')
  expect(offset).toBe(300)
  expect(await append(house, row, 300, bytes.subarray(300))).toBe(1_000)
})
