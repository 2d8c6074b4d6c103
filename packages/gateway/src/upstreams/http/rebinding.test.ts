/** A name whose owner changes its mind between two questions: what was judged is what is connected to, each time anew. */
import type * as dns from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Fault } from '@toolway/contract'
import { beforeEach, expect, test, vi } from 'vitest'
import { createPool } from './agent.ts'
import { createExceptions, NO_EXCEPTIONS } from './exceptions.ts'

const names = vi.hoisted(() => ({ answers: [] as (string[] | Error)[], asked: 0 }))
vi.mock('node:dns', async (original) => ({
  ...(await original<typeof dns>()),
  lookup(_name: string, _options: object, callback: (error: Error | null, found: dns.LookupAddress[]) => void) {
    names.asked++
    const found = names.answers.shift() ?? []
    if (found instanceof Error) {
      process.nextTick(callback, found, [])
      return
    }
    process.nextTick(
      callback,
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  },
}))
beforeEach(() => Object.assign(names, { answers: [], asked: 0 }))

const METADATA = '169.254.169.254'

async function listen() {
  let reached = 0
  const server = createServer((request, response) => {
    reached++
    response.writeHead(request.url === '/moved' ? 307 : 200, { location: `http://${METADATA}/` }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://innocent.example:${port}`,
    reached: () => reached,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

/** On a connection of its own: the status, or the code of the fault. */
async function reach(origin: string, path = '/', allowPrivate = true, exceptions = NO_EXCEPTIONS): Promise<unknown> {
  const pool = createPool(origin, { alias: 'x', allowPrivate, exceptions, headersTimeout: 5_000 })
  try {
    const { statusCode, body } = await pool.request({ path, method: 'GET' })
    await body.dump()
    return statusCode
  } catch (thrown) {
    return thrown instanceof Fault ? thrown.code : thrown
  } finally {
    await pool.destroy()
  }
}

test('U-23: a name is asked for once for each connection, and what it said is what is connected to', async () => {
  await using server = await listen()
  // Asked a second time, it would lead to the metadata.
  names.answers = [['127.0.0.1'], [METADATA]]
  expect(await reach(server.origin)).toBe(200)
  expect(names.asked).toBe(1)
  expect(await reach(server.origin)).toBe('egress.refused')
  expect(server.reached()).toBe(1)
})

test('U-23: a name with one address that may not be reached is refused whole, in every form of it', async () => {
  await using server = await listen()
  const forms = [
    METADATA,
    '::ffff:169.254.169.254',
    'fe80::1',
    'fd00:ec2::254',
    '2002:a9fe:a9fe::',
    '64:ff9b::a9fe:a9fe',
  ]
  for (const form of forms) {
    names.answers = [['127.0.0.1', form]]
    expect({ form, outcome: await reach(server.origin) }).toEqual({ form, outcome: 'egress.refused' })
  }
  for (const form of ['127.0.0.1', '::1', '10.0.0.1', '192.168.0.1', '::ffff:10.0.0.1', 'fc00::1']) {
    names.answers = [[form]]
    expect({ form, outcome: await reach(server.origin, '/', false) }).toEqual({ form, outcome: 'egress.refused' })
  }
  expect(server.reached()).toBe(0)
})

test('U-23: a name with a public and a private address is refused whole, whichever comes first', async () => {
  await using server = await listen()
  for (const found of [
    ['93.184.215.14', '127.0.0.1'],
    ['127.0.0.1', '93.184.215.14'],
    ['2606:4700:4700::1111', '::1'],
  ]) {
    names.answers = [found]
    expect({ found, outcome: await reach(server.origin, '/', false) }).toEqual({ found, outcome: 'egress.refused' })
  }
  expect(server.reached()).toBe(0)
})

test('U-23: an alias of another name is judged by where it ends, at each connection', async () => {
  await using server = await listen()
  const exceptions = createExceptions({ networks: [], hosts: ['innocent.example'] })
  // The resolver follows the alias; what it hands out is the end of it.
  names.answers = [['127.0.0.1'], [METADATA], ['127.0.0.1']]
  const outcomes = []
  for (const _ of names.answers.slice()) outcomes.push(await reach(server.origin, '/', false, exceptions))
  expect(outcomes).toEqual([200, 'egress.refused', 200])
  names.answers = [['127.0.0.1']]
  expect(await reach(server.origin.replace('innocent', 'other'), '/', false, exceptions)).toBe('egress.refused')
})

test('U-23: a redirect leads nowhere: it is the answer', async () => {
  await using server = await listen()
  names.answers = [['127.0.0.1']]
  expect(await reach(server.origin, '/moved')).toBe(307)
  expect([server.reached(), names.asked]).toEqual([1, 1])
})

test('a name that is unknown and one that leads inside are refused alike, unless private networks are allowed', async () => {
  const origin = 'http://someone.example:1'
  for (const code of ['ENOTFOUND', 'EAI_AGAIN']) {
    const unknown = Object.assign(new Error(`getaddrinfo ${code}`), { code })
    names.answers = [unknown, ['10.0.0.8'], unknown]
    expect(await reach(origin, '/', false)).toBe('egress.refused')
    expect(await reach(origin, '/', false)).toBe('egress.refused')
    expect(await reach(origin, '/', true)).toMatchObject({ code })
  }
})
