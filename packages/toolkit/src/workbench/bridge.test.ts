/** The bridge: its workbench is opened when it is first needed, kept, and opened anew only where it has ended. */
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Workspace } from '../files/workspace.ts'
import { WorkbenchBridge } from './bridge.ts'
import { RemoteFailure } from './remote-failure.ts'
import type { Workbench, WorkbenchClient } from './workbench.ts'

let root: string
let workspace: Workspace
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'bridge-')))
  workspace = await Workspace.open([root])
  await writeFile(join(root, 'a.txt'), 'content')
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  await rm(root, { recursive: true, force: true })
})

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Workbenches in memory, and how they were opened. */
function inMemory() {
  const opened: { user: string | undefined; session: string | undefined }[] = []
  const files = new Map<string, Buffer>()
  const ended = new Set<string>()
  const forgotten: string[] = []
  const client: WorkbenchClient = {
    open(user, named) {
      opened.push({ user, session: named })
      const session = named ?? `own-${opened.length}`
      const check = () => {
        if (ended.has(session)) throw new RemoteFailure(`Session ${session} not found.`, { kind: 'session' })
      }
      const at = (path: string) => `${session}:${path}`
      const described = (bytes: Buffer | undefined) =>
        bytes === undefined ? undefined : { size: bytes.length, sha256: hashOf(bytes) }
      const bench: Workbench = {
        session,
        parts: { write: 4, read: 4 },
        async stat(path) {
          check()
          return described(files.get(at(path)))
        },
        async statPart(path) {
          check()
          return described(files.get(at(`${path}.part`)))
        },
        async writePart(path, offset, bytes) {
          const held = files.get(at(`${path}.part`)) ?? Buffer.alloc(0)
          files.set(at(`${path}.part`), Buffer.concat([held.subarray(0, offset), bytes]))
        },
        async finish(path) {
          files.set(at(path), files.get(at(`${path}.part`)) ?? Buffer.alloc(0))
          files.delete(at(`${path}.part`))
        },
        async readPart(path, offset, size) {
          return files.get(at(path))?.subarray(offset, offset + size) ?? Buffer.alloc(0)
        },
      }
      return Promise.resolve(bench)
    },
    async forget(_user, session) {
      forgotten.push(session)
    },
  }
  return { client, opened, files, ended, forgotten }
}

const transferOf = (more: object = {}) => ({
  workspace,
  localPath: 'a.txt',
  remotePath: '/home/user/a.txt',
  signal: new AbortController().signal,
  progress() {},
  ...more,
})

test('S4-TK-16: a bridge is made of a client and a user, opens its sandbox lazily and once, and carries files both ways', async () => {
  const { client, opened, files } = inMemory()
  const bridge = new WorkbenchBridge(client, 'ada')
  expect(opened).toEqual([])
  const up = await bridge.upload(transferOf())
  expect(up).toMatchObject({
    localPath: join(root, 'a.txt'),
    remotePath: '/home/user/a.txt',
    sessionId: 'own-1',
    size: 7,
  })
  const down = await bridge.download(transferOf({ localPath: 'b/c.txt' }))
  expect(down).toMatchObject({ localPath: join(root, 'b/c.txt'), verified: true })
  expect(await readFile(join(root, 'b/c.txt'), 'utf8')).toBe('content')
  // One sandbox for both, and another only for a session that is named.
  expect(opened).toEqual([{ user: 'ada', session: undefined }])
  await bridge.upload(transferOf({ sessionId: 'trs_other' }))
  expect(opened.at(-1)).toEqual({ user: 'ada', session: 'trs_other' })
  expect([...files.keys()]).toEqual(['own-1:/home/user/a.txt', 'trs_other:/home/user/a.txt'])
})

test('a sandbox that has ended is opened anew once; one that the caller named is told as ended', async () => {
  const { client, opened, ended, forgotten } = inMemory()
  const bridge = new WorkbenchBridge(client)
  await bridge.upload(transferOf())
  ended.add('own-1')
  expect(await bridge.upload(transferOf())).toMatchObject({ sessionId: 'own-2' })
  expect([opened.length, forgotten]).toEqual([2, ['own-1']])
  ended.add('trs_named')
  await expect(bridge.upload(transferOf({ sessionId: 'trs_named' }))).rejects.toThrow('trs_named not found')
})

test('a sandbox that cannot be opened is tried again by the next transfer', async () => {
  const { client } = inMemory()
  let isAway = true
  const bridge = new WorkbenchBridge({
    open: (...given) => (isAway ? Promise.reject(new RemoteFailure('Away.')) : client.open(...given)),
  })
  await expect(bridge.upload(transferOf())).rejects.toThrow('Away.')
  isAway = false
  expect(await bridge.upload(transferOf())).toMatchObject({ size: 7 })
})

test('what an earlier upload left is continued where the file begins with it, and not elsewhere', async () => {
  const { client, files } = inMemory()
  const bridge = new WorkbenchBridge(client)
  const session = { sessionId: 's' }
  files.set('s:/home/user/a.txt.part', Buffer.from('cont'))
  expect(await bridge.upload(transferOf(session))).toMatchObject({ resumedAt: 4 })
  files.set('s:/home/user/a.txt.part', Buffer.from('CONT'))
  expect(await bridge.upload(transferOf(session))).toMatchObject({ resumedAt: 0 })
  expect(files.get('s:/home/user/a.txt')?.toString()).toBe('content')
})

test('of two uploads into one remote file at once, one carries it and the other is told to wait', async () => {
  const { client, files } = inMemory()
  await writeFile(join(root, 'b.txt'), 'another content')
  // The first to arrive stays in the middle of its transfer until the other has its answer, however fast either is.
  const refusal = Promise.withResolvers<void>()
  const bridge = new WorkbenchBridge({
    async open(...session) {
      const bench = await client.open(...session)
      return { ...bench, finish: (...parts) => refusal.promise.then(() => bench.finish(...parts)) }
    },
  })
  const uploads = [bridge.upload(transferOf()), bridge.upload(transferOf({ localPath: 'b.txt' }))]
  await Promise.race(uploads.map((upload) => upload.catch(() => refusal.resolve())))
  const both = await Promise.allSettled(uploads)
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refused = both.find((one) => one.status === 'rejected')?.reason as unknown
  expect(refused).toMatchObject({ code: 'UNAVAILABLE', facts: { retryable: true } })
  expect(['content', 'another content']).toContain(files.get('own-1:/home/user/a.txt')?.toString())
  // It is free again.
  expect(await bridge.upload(transferOf({ localPath: 'b.txt' }))).toMatchObject({ size: 15 })
})
