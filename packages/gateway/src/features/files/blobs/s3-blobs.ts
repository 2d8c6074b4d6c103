/**
 * Content in an S3-compatible object store: `<prefix><organization>/<file>`, written as a multipart upload whose parts are remembered
 * in the row of the file. Frames that do not fill a part yet are in memory, at most one part of each upload, and in an object
 * `<file>.tail` while nobody sends.
 *
 * The address of the store is the operator's (`TOOLWAY_FILES_S3_ENDPOINT`), so it is reached directly and may be private. The library
 * is loaded when a store is set.
 */
import { randomUUID } from 'node:crypto'
import { Fault } from '@toolway/contract'
import type { S3Settings } from '../../../config/files.ts'
import { SEALED_FRAME } from '../content/frames.ts'
import { storeFault, type Blobs, type Draft, type PartMemory, type Resumed } from './blobs.ts'
import type * as Library from '../../../lib/s3-client.ts'

/** Frames of a part: a little over the 5 MiB that a part has at least. An upload has ten thousand parts at most. */
const PART_FRAMES = 80
const PART = PART_FRAMES * SEALED_FRAME
/** The head of a `.tail`: the number of parts before it, and of whole frames in it. */
const HEAD = 16
const TIMES = { connectionTimeout: 5_000, requestTimeout: 60_000, throwOnRequestTimeout: true }

interface Store {
  readonly library: typeof Library
  readonly client: Library.S3Client
  readonly bucket: string
}

export async function createS3Blobs(settings: S3Settings): Promise<Blobs & { close(): void }> {
  const library = await import('../../../lib/s3-client.ts')
  const { endpoint, region, pathStyle, credentials, bucket, prefix } = settings
  const client = new library.S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    credentials,
    forcePathStyle: pathStyle,
    maxAttempts: 3,
    requestHandler: TIMES,
    // Content is authenticated by its frames; stores besides AWS know no such checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const store: Store = { library, client, bucket }
  return {
    where: `s3://${bucket}/${prefix}`,
    begin: async (key, memory) => createDraft(store, `${prefix}${key}`, { memory, etags: [], upload: undefined }),
    resume: (key, memory) => faulty(() => resume(store, `${prefix}${key}`, memory)),
    read: (key, start, end, signal) => readRange(store, `${prefix}${key}`, { start, end, signal }),
    remove: (key, parts) =>
      faulty(async () => {
        const Key = `${prefix}${key}`
        if (parts !== undefined)
          await client
            .send(new library.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId: parts.upload }))
            .catch(unlessGone)
        for (const name of [Key, `${Key}.tail`])
          await client.send(new library.DeleteObjectCommand({ Bucket: bucket, Key: name })).catch(unlessGone)
      }),
    keys: () => listKeys(store, prefix),
    look: () =>
      faulty(async () => {
        const probe = { Bucket: bucket, Key: `${prefix}.look-${randomUUID()}` }
        await client.send(new library.PutObjectCommand({ ...probe, Body: 'look' }))
        await client.send(new library.DeleteObjectCommand(probe))
      }),
    async glance() {
      for await (const _ of listKeys(store, prefix)) return
    },
    close: () => client.destroy(),
  }
}

async function faulty<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    throw s3Fault(thrown)
  }
}

/** Errors of the service by their code, and of the line by that of the operating system; never with an address or a key. */
function s3Fault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  const { name, code, $metadata } = thrown as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } }
  if (name === 'QuotaExceeded' || name === 'XMinioStorageFull' || $metadata?.httpStatusCode === 507)
    return new Fault('file.full', {}, { cause: thrown })
  if (code !== undefined) return storeFault(thrown)
  return new Fault('file.away', { problem: `the object store responds with ${name ?? 'an error'}` }, { cause: thrown })
}

const GONE = new Set(['NoSuchKey', 'NoSuchUpload', 'NotFound'])
const isGone = (thrown: unknown) =>
  GONE.has((thrown as Error).name) ||
  (thrown as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404
function unlessGone(thrown: unknown): undefined {
  if (isGone(thrown)) return undefined
  throw thrown
}

interface DraftStart {
  readonly memory: PartMemory
  readonly etags: readonly string[]
  readonly upload: string | undefined
  /** Frames behind the parts. */
  readonly held?: Buffer
}

function createDraft(store: Store, Key: string, start: DraftStart): Draft {
  const { client, library, bucket: Bucket } = store
  const etags = [...start.etags]
  let upload = start.upload
  // One buffer for all parts, which are sent one after the other.
  const part = Buffer.alloc(PART)
  let size = start.held?.copy(part) ?? 0
  const add = (frame: Buffer) => {
    part.set(frame, size)
    size += frame.length
  }

  async function sendPart(): Promise<void> {
    if (upload === undefined) {
      const made = await client.send(new library.CreateMultipartUploadCommand({ Bucket, Key }))
      upload = made.UploadId ?? ''
      await start.memory.write({ upload, etags })
    }
    const numbered = { Bucket, Key, UploadId: upload, PartNumber: etags.length + 1 }
    const { ETag = '' } = await client.send(
      new library.UploadPartCommand({ ...numbered, Body: part.subarray(0, size) }),
    )
    etags.push(ETag)
    size = 0
    await start.memory.write({ upload, etags })
  }

  return {
    append: (frame) =>
      faulty(async () => {
        add(frame)
        if (size === PART) await sendPart()
      }),
    save: (tail = Buffer.alloc(0)) =>
      faulty(async () => {
        if (size === 0 && tail.length === 0) return
        const head = Buffer.alloc(HEAD)
        head.writeBigUInt64BE(BigInt(etags.length))
        head.writeBigUInt64BE(BigInt(size / SEALED_FRAME), HEAD / 2)
        const Body = Buffer.concat([head, part.subarray(0, size), tail])
        await client.send(new library.PutObjectCommand({ Bucket, Key: `${Key}.tail`, Body }))
      }),
    complete: (last) =>
      faulty(async () => {
        add(last)
        if (upload === undefined)
          await client.send(new library.PutObjectCommand({ Bucket, Key, Body: part.subarray(0, size) }))
        else {
          await sendPart()
          const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
          const MultipartUpload = { Parts }
          await client.send(
            new library.CompleteMultipartUploadCommand({ Bucket, Key, UploadId: upload, MultipartUpload }),
          )
        }
        await client.send(new library.DeleteObjectCommand({ Bucket, Key: `${Key}.tail` })).catch(unlessGone)
      }),
    close: async () => {},
  }
}

async function resume(store: Store, Key: string, memory: PartMemory): Promise<Resumed | undefined> {
  const { client, library, bucket: Bucket } = store
  const found = await client.send(new library.HeadObjectCommand({ Bucket, Key })).catch(unlessGone)
  if (found !== undefined) return undefined
  const { upload, etags = [] } = (await memory.read()) ?? {}
  const { held, frames, tail } = await readTail(store, `${Key}.tail`, etags.length)
  const draft = createDraft(store, Key, { memory, etags, upload, held })
  return { draft, frames: etags.length * PART_FRAMES + frames, tail }
}

const NO_TAIL = { held: Buffer.alloc(0), frames: 0, tail: undefined }

/** The bytes that were saved behind so many parts; nothing where a later part has them. */
async function readTail({ client, library, bucket }: Store, Key: string, parts: number) {
  const found = await client.send(new library.GetObjectCommand({ Bucket: bucket, Key })).catch(unlessGone)
  if (found?.Body === undefined) return NO_TAIL
  const bytes = Buffer.from(await found.Body.transformToByteArray())
  if (bytes.length < HEAD || bytes.readBigUInt64BE() !== BigInt(parts)) return NO_TAIL
  const frames = Number(bytes.readBigUInt64BE(HEAD / 2))
  const end = HEAD + frames * SEALED_FRAME
  if (frames >= PART_FRAMES || bytes.length < end) return NO_TAIL
  return { held: bytes.subarray(HEAD, end), frames, tail: bytes.length > end ? bytes.subarray(end) : undefined }
}

interface Range {
  readonly start: number
  readonly end: number
  readonly signal: AbortSignal | undefined
}

async function* readRange({ client, library, bucket }: Store, Key: string, range: Range): AsyncIterable<Buffer> {
  const { start, end, signal } = range
  const command = new library.GetObjectCommand({ Bucket: bucket, Key, Range: `bytes=${start}-${end - 1}` })
  const options = signal === undefined ? {} : { abortSignal: signal }
  const found = await client.send(command, options).catch((thrown: unknown) => {
    if (isGone(thrown) || (thrown as Error).name === 'InvalidRange') return undefined
    throw s3Fault(thrown)
  })
  if (found?.Body === undefined) return
  try {
    for await (const chunk of found.Body as AsyncIterable<Buffer>) yield chunk
  } catch (thrown) {
    throw s3Fault(thrown)
  }
}

async function* listKeys({ client, library, bucket }: Store, prefix: string) {
  for (let token: string | undefined; ;) {
    const command = new library.ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      ...(token === undefined ? {} : { ContinuationToken: token }),
    })
    const page = await faulty(() => client.send(command))
    for (const { Key = '', LastModified = new Date() } of page.Contents ?? [])
      yield { key: Key.slice(prefix.length).replace(/\.tail$/, ''), changedAt: LastModified }
    token = page.NextContinuationToken
    if (token === undefined) return
  }
}
