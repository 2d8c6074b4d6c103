/**
 * Uploads through a gateway in a process of its own: killed in the middle of them, and of large files. Nothing half is given out, each
 * upload goes on where it was saved, and memory does not grow with the size of a file.
 */
// @module-tag long
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request, type ClientRequest } from 'node:http'
import { expect, test } from 'vitest'
import { makeInstallation, type Running } from '../cli/installation.ts'
import { findS3Server, startS3Server } from '../e2e/peers/servers/s3-server.ts'
import { LARGE_MIB, MIB, MOST_GROWTH_MIB } from '../setup/large-files.ts'
import { memoryOf, watchMemory } from '../setup/process-memory.ts'

interface Source {
  readonly size: number
  /** Bytes from there on, which look random and are the same each time. */
  from(start: number): AsyncGenerator<Buffer>
}

/** Content of any size without holding it: the key stream of AES in counter mode. */
function sourceOf(size: number): Source {
  const key = randomBytes(32)
  const zeros = Buffer.alloc(MIB)
  return {
    size,
    async *from(start) {
      const counter = Buffer.alloc(16)
      counter.writeBigUInt64BE(BigInt(Math.floor(start / 16)), 8)
      const cipher = createCipheriv('aes-256-ctr', key, counter)
      cipher.update(Buffer.alloc(start % 16))
      for (let at = start; at < size;) {
        const chunk = cipher.update(zeros.subarray(0, Math.min(MIB, size - at)))
        at += chunk.length
        yield chunk
      }
    },
  }
}

const hashOf = async (pieces: AsyncIterable<Uint8Array>) => {
  const hash = createHash('sha256')
  for await (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

/** Resolves when what was written went out, or the line is broken. */
const drained = (outgoing: ClientRequest) =>
  new Promise<void>((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done)
      resolve()
    }
    outgoing.on('drain', done).on('close', done)
  })

/** Sends from an offset to the end, or until the line breaks; the status, or undefined. */
async function send(url: string, source: Source, offset: number, onSent: (bytes: number) => void = () => {}) {
  const outgoing = request(url, {
    method: 'PATCH',
    headers: {
      'content-type': 'application/offset+octet-stream',
      'upload-offset': offset,
      'content-length': source.size - offset,
    },
  })
  const answered = once(outgoing, 'response').then(
    ([response]: { statusCode: number; resume(): void }[]) => {
      response?.resume()
      return response?.statusCode
    },
    () => undefined,
  )
  let sent = 0
  let broken = false
  outgoing.on('error', () => (broken = true))
  for await (const chunk of source.from(offset)) {
    if (broken) break
    if (!outgoing.write(chunk)) await drained(outgoing)
    onSent((sent += chunk.length))
  }
  outgoing.end()
  return answered
}

async function client(running: Running, key: string) {
  const ask = async (path: string, method: string, body?: unknown) => {
    const answer = await fetch(`${running.address}/api/v1/organizations/default/files${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  return {
    ask,
    async add(source: Source, sha256: string) {
      const { body } = await ask('', 'POST', { name: 'big.bin', size: source.size, sha256, link_seconds: 86_400 })
      return { id: String(body['id']), url: (body['upload'] as { url: string }).url }
    },
    async download(id: string) {
      const { body } = await ask(`/${id}/download`, 'POST')
      return fetch(String(body['url']))
    },
  }
}

const offsetAt = async (url: string) => {
  const head = await fetch(url, { method: 'HEAD' })
  expect(head.status).toBe(200)
  return Number(head.headers.get('upload-offset'))
}

test('a gateway killed three times in mid-upload gives out nothing half, and the upload goes on each time', async () => {
  await using here = await makeInstallation()
  let running = await here.start()
  const { key } = await here.firstSecrets()
  const source = sourceOf(80 * MIB)
  const sha256 = await hashOf(source.from(0))
  const { id, url } = await (await client(running, key)).add(source, sha256)
  const path = new URL(url).pathname
  let offset = 0
  for (let kill = 0; kill < 3; kill++) {
    const killAt = (10 + kill) * MIB
    const port = running.address
    await send(`${port}${path}`, source, offset, (sent) => {
      if (sent >= killAt) running.signal('SIGKILL')
    })
    await running.ended
    running = await here.start()
    const { status } = await (await client(running, key)).ask(`/${id}/download`, 'POST')
    expect(status, 'an upload that is not complete is not a file').toBe(404)
    // The lease of the killed process lasts for seconds.
    await expect.poll(async () => (await fetch(`${running.address}${path}`, { method: 'HEAD' })).status).toBe(200)
    const now = await offsetAt(`${running.address}${path}`)
    expect(now).toBeGreaterThanOrEqual(offset)
    expect(now).toBeLessThan(source.size)
    offset = now
  }
  expect(offset).toBeGreaterThan(0)
  expect(await send(`${running.address}${path}`, source, offset)).toBe(204)
  const answer = await (await client(running, key)).download(id)
  expect(await hashOf(answer.body as AsyncIterable<Uint8Array>)).toBe(sha256)
  await running.stop()
})

async function largeThrough(settings: Record<string, string>) {
  await using here = await makeInstallation(settings)
  const running = await here.start()
  const { key } = await here.firstSecrets()
  const files = await client(running, key)
  // Everything that a transfer needs once is there before the measuring.
  const small = sourceOf(40 * MIB)
  const first = await files.add(small, await hashOf(small.from(0)))
  await send(first.url, small, 0)
  await hashOf((await files.download(first.id)).body as AsyncIterable<Uint8Array>)

  const source = sourceOf(LARGE_MIB * MIB)
  const sha256 = await hashOf(source.from(0))
  const { id, url } = await files.add(source, sha256)
  const before = await memoryOf(running.pid)
  const watched = watchMemory(running.pid)
  const began = performance.now()
  expect(await send(url, source, 0)).toBe(204)
  const sent = performance.now()
  const answer = await files.download(id)
  expect(await hashOf(answer.body as AsyncIterable<Uint8Array>)).toBe(sha256)
  const most = watched()
  const seconds = [sent - began, performance.now() - sent].map((ms) => (ms / 1000).toFixed(1))
  console.log(
    `${LARGE_MIB} MiB: up in ${seconds[0]} s, down in ${seconds[1]} s; memory ${before.toFixed(0)} MiB before, at most ${most.toFixed(0)} MiB`,
  )
  await running.stop()
  return most - before
}

test('a large file goes in and out of a folder while memory grows by less than 64 MiB', async () => {
  expect(await largeThrough({})).toBeLessThan(MOST_GROWTH_MIB)
})

const binary = findS3Server()
if (binary !== undefined)
  test('a large file goes in and out of an S3 store while memory grows by less than 64 MiB', async () => {
    await using s3 = await startS3Server(binary)
    expect(await largeThrough(s3.settings)).toBeLessThan(MOST_GROWTH_MIB)
  })
