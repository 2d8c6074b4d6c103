import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createTestDatabase } from '../testing/database.ts'
import { createDb, type DbParts } from './db.ts'
import { DatabaseUnreachable } from './unreachable.ts'

const One = z.object({ one: z.int() })

/** Takes connections as a server that stands still does: nothing is ever answered. */
async function startStandstill() {
  const sockets = new Set<Socket>()
  let taken = 0
  const server = createServer((socket) => {
    taken++
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    connection: { host: '127.0.0.1', port, user: 'toolway', database: 'toolway' },
    taken: () => taken,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const watched = (parts: DbParts) => {
  const db = createDb(parts)
  db.presence.watch()
  db.presence.serve()
  return { db, [Symbol.asyncDispose]: () => db.close() }
}

test('what needs a database that stands still is refused at once and opens no connection', async () => {
  await using still = await startStandstill()
  await using own = watched({ connection: still.connection })
  const { presence } = own.db
  expect(presence.known().responds).toBe(true)
  await expect.poll(() => presence.known().responds).toBe(false)
  expect(presence.awayFor()).toBeGreaterThan(0)
  const before = still.taken()
  const asked = Array.from({ length: 20 }, () => own.db.system(async () => {}).catch((thrown: unknown) => thrown))
  const refused = await Promise.all(asked)
  expect(refused.every((thrown) => thrown instanceof DatabaseUnreachable)).toBe(true)
  // The looks alone go on.
  expect(still.taken() - before).toBeLessThanOrEqual(1)
})

/** Breaks the first connection without a word, and refuses every further one in words, as a role that may not log in is refused. */
async function startRefusing() {
  const fields = ['SFATAL', 'C28000', 'Mrole "toolway" is not permitted to log in', '']
    .map((field) => `${field}\0`)
    .join('')
  const refusal = Buffer.concat([Buffer.from('E\0\0\0\0'), Buffer.from(fields)])
  refusal.writeInt32BE(refusal.length - 1, 1)
  let taken = 0
  const server = createServer((socket) => {
    const isFirst = taken++ === 0
    socket.on('error', () => {}).once('data', () => (isFirst ? socket.destroy() : socket.end(refusal)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    connection: { host: '127.0.0.1', port, user: 'toolway', database: 'toolway' },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

test('a database that broke off and then refuses the sign-in is told as that, and not as silent', async () => {
  await using refusing = await startRefusing()
  await using own = watched({ connection: refusing.connection })
  const { db } = own
  const problem = async () => {
    const thrown = await db.system(async () => {}).catch((reason: unknown) => reason)
    return thrown instanceof DatabaseUnreachable ? thrown.message : String(thrown)
  }
  await expect.poll(problem).toContain('it refuses the gateway’s sign-in')
})

test('what needs the database goes on where only the direct way to it stands still', async () => {
  await using database = await createTestDatabase()
  await using still = await startStandstill()
  await using own = watched({ connection: database.connection, direct: still.connection })
  let failed = 0
  await expect
    .poll(async () => {
      await own.db.presence.look().catch(() => failed++)
      return failed
    })
    .toBeGreaterThan(0)
  expect(await own.db.system((sql) => sql(One)`select 1 as one`)).toEqual([{ one: 1 }])
})

test('whoever waits for the database hears that it is back', async () => {
  await using database = await createTestDatabase()
  await using own = watched({ connection: database.connection })
  const { db } = own
  await db.presence.look()
  let back = 0
  db.presence.onBack(() => back++)
  const cut = db.system((sql) => sql(z.object({}))`select pg_terminate_backend(pg_backend_pid())`)
  await expect(cut).rejects.toBeInstanceOf(DatabaseUnreachable)
  await expect.poll(() => back).toBe(1)
  expect(db.presence.awayFor()).toBe(0)
})
