/**
 * Files in a real S3-compatible store, through the whole gateway. Where nobody built the server (`npm run counterparts`), the one test
 * says so; no requirement rests on this file.
 */
// @module-tag long
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { findS3Server, startS3Server, type S3Server } from '../peers/servers/s3-server.ts'

const MIB = 1024 * 1024
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const Made = z.looseObject({ id: z.string(), upload: z.object({ url: z.string() }) })

const ask = ({ address, key }: TestGateway, path: string, method = 'GET', body?: unknown) =>
  fetch(`${address}/api/v1/organizations/default/files${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const add = async (gateway: TestGateway, bytes: Uint8Array) =>
  Made.parse(await (await ask(gateway, '', 'POST', { name: 'big', size: bytes.length, sha256: hashOf(bytes) })).json())
const patch = (url: string, offset: number, bytes: Uint8Array) =>
  fetch(url, {
    method: 'PATCH',
    headers: { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    body: bytes,
  })
const offsetOf = async (url: string) => Number((await fetch(url, { method: 'HEAD' })).headers.get('upload-offset'))
const download = async (gateway: TestGateway, id: string, range?: string) => {
  const { url } = (await (await ask(gateway, `/${id}/download`, 'POST')).json()) as { url: string }
  return fetch(url, range === undefined ? {} : { headers: { range } })
}
const objectsIn = async ({ folder }: S3Server): Promise<string[]> =>
  (await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

const binary = findS3Server()

if (binary === undefined)
  test('files in an S3 store: no server is there; `npm run counterparts` builds one where Go is', () => {
    console.log('No S3 server is there, so the tests with one were not run: `npm run counterparts` builds it.')
    expect(binary).toBeUndefined()
  })
else
  describe('files in an S3 store', () => {
    test('an upload in pieces, over a restart of the gateway, is stored sealed and comes out whole and in ranges', async () => {
      await using s3 = await startS3Server(binary)
      await using gateway = await startTestGateway({ settings: s3.settings })
      const bytes = randomBytes(21 * MIB + 12_345)
      const { id, upload } = await add(gateway, bytes)
      let offset = 0
      for (const length of [100, 3 * MIB, 7 * MIB, MIB + 17]) {
        expect((await patch(upload.url, offset, bytes.subarray(offset, offset + length))).status).toBe(204)
        offset += length
        expect(await offsetOf(upload.url)).toBe(offset)
      }
      await gateway.restart()
      expect(await offsetOf(upload.url)).toBe(offset)
      expect((await patch(upload.url, offset, bytes.subarray(offset))).status).toBe(204)
      const whole = Buffer.from(await (await download(gateway, id)).arrayBuffer())
      expect(whole.equals(bytes)).toBe(true)
      const [start, end] = [9 * MIB - 5, 9 * MIB + 5]
      const part = await download(gateway, id, `bytes=${start}-${end}`)
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(start, end + 1))).toBe(true)
      const [object, ...others] = await objectsIn(s3)
      expect(others).toEqual([])
      expect((await readFile(object ?? '')).includes(bytes.subarray(5_000, 5_032))).toBe(false)
    })

    test('a removed file leaves no object, complete or not', async () => {
      await using s3 = await startS3Server(binary)
      await using gateway = await startTestGateway({ settings: s3.settings })
      const bytes = randomBytes(10 * MIB)
      const [small, whole, half] = [
        await add(gateway, bytes.subarray(0, 10)),
        await add(gateway, bytes),
        await add(gateway, bytes),
      ]
      await patch(small.upload.url, 0, bytes.subarray(0, 10))
      await patch(whole.upload.url, 0, bytes)
      await patch(half.upload.url, 0, bytes.subarray(0, 9 * MIB))
      for (const { id } of [small, whole, half]) expect((await ask(gateway, `/${id}`, 'DELETE')).status).toBe(204)
      await expect.poll(() => objectsIn(s3)).toEqual([])
    })

    test('while the store is away transfers fail with what to do, and the upload goes on afterwards', async () => {
      await using s3 = await startS3Server(binary)
      await using gateway = await startTestGateway({ settings: s3.settings })
      const bytes = randomBytes(12 * MIB)
      const { id, upload } = await add(gateway, bytes)
      await patch(upload.url, 0, bytes.subarray(0, 9 * MIB))
      await s3.stop()
      const refused = await patch(upload.url, 9 * MIB, bytes.subarray(9 * MIB))
      expect(refused.status).toBe(503)
      expect(await refused.json()).toMatchObject({ code: 'file.away', phase: 'open', mend: expect.any(String) })
      await s3.start()
      const offset = await offsetOf(upload.url)
      expect(offset).toBe(9 * MIB)
      expect((await patch(upload.url, offset, bytes.subarray(offset))).status).toBe(204)
      expect(Buffer.from(await (await download(gateway, id)).arrayBuffer()).equals(bytes)).toBe(true)
    })

    test('a wrong secret is refused by the store, and no secret or address is in the answer', async () => {
      await using s3 = await startS3Server(binary)
      const settings = { ...s3.settings, AWS_SECRET_ACCESS_KEY: 'another secret entirely' }
      await using gateway = await startTestGateway({ settings })
      const { upload } = await add(gateway, randomBytes(10))
      const refused = await patch(upload.url, 0, randomBytes(10))
      const text = await refused.text()
      expect([refused.status, text.includes('file.away')]).toEqual([503, true])
      expect(`${text} ${JSON.stringify(gateway.log)}`).not.toContain('another secret entirely')
      expect(text).not.toContain(s3.endpoint)
    })
  })
