import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Fault } from '@toolway/contract'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type * as agent from './agent.ts'
import { createExceptions } from './exceptions.ts'
import { createGuardedFetch, type GuardedFetchLimits } from './guarded-fetch.ts'

/** A server with a certificate that everybody knows is not at hand: what one answers is put in its place, by origin. */
const secure = vi.hoisted(() => ({ answers: new Map<string, string>() }))
vi.mock('./agent.ts', async (original) => {
  const real = await original<typeof agent>()
  return {
    ...real,
    createPool(origin: string, options: agent.PoolOptions) {
      const location = secure.answers.get(origin)
      if (location === undefined) return real.createPool(origin, options)
      const body = { async *[Symbol.asyncIterator]() {}, destroy() {} }
      return {
        request: () => Promise.resolve({ statusCode: 302, headers: { location }, body }),
        destroy: () => Promise.resolve(),
      }
    },
  }
})
beforeEach(() => secure.answers.clear())

type Serve = (request: IncomingMessage, response: ServerResponse) => void

async function listen(serve: Serve) {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    asked,
    paths: () => asked.map(({ url }) => url),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

const to =
  (location: string, status = 302): Serve =>
  (_, response) =>
    void response.writeHead(status, { location }).end()

const fetchWith = (limits: GuardedFetchLimits = {}) =>
  createGuardedFetch({ alias: 'x', privateOrigins: 'any' }, { patience: 5_000, ...limits })

/** The status, the code of the fault, or that it failed. */
const outcome = (asking: Promise<Response>): Promise<number | string> =>
  asking.then(
    ({ status }) => status,
    (thrown: unknown) => (thrown instanceof Fault ? thrown.code : 'failed'),
  )

describe('a redirect', () => {
  const onward: Serve = ({ url = '' }, response) => {
    const step = Number(url.slice(1))
    if (step > 0) response.writeHead(307, { location: `/${step - 1}` }).end()
    else response.end('there')
  }

  test('is the answer where nobody said that it is followed', async () => {
    await using server = await listen(onward)
    expect(await outcome(fetchWith()(`${server.origin}/1`, {}))).toBe(307)
    expect(server.paths()).toEqual(['/1'])
  })

  test('is followed three times at most, however many are allowed', async () => {
    await using server = await listen(onward)
    const asking = fetchWith({ redirects: 50 })
    expect(await (await asking(`${server.origin}/3`, {})).text()).toBe('there')
    expect(await outcome(asking(`${server.origin}/4`, {}))).toBe(307)
    expect(server.paths().slice(4)).toEqual(['/4', '/3', '/2', '/1'])
  })

  test('of what is written is never followed', async () => {
    await using server = await listen(onward)
    const asking = fetchWith({ redirects: 3 })
    expect(await outcome(asking(`${server.origin}/1`, { method: 'POST', body: 'code=canary' }))).toBe(307)
    expect(server.paths()).toEqual(['/1'])
  })

  test('to another origin takes no header along that opens or names anything', async () => {
    await using second = await listen((_, response) => void response.end('there'))
    await using first = await listen(to(`${second.origin}/`))
    const headers = { authorization: 'Bearer canary', cookie: 'canary', 'x-api-key': 'canary', accept: 'text/plain' }
    await fetchWith({ redirects: 1 })(`${first.origin}/`, { headers })
    expect(first.asked[0]?.headers.authorization).toBe('Bearer canary')
    expect(second.asked[0]?.headers.accept).toBe('text/plain')
    expect(JSON.stringify(second.asked[0]?.headers)).not.toContain('canary')
  })

  test('to the same origin keeps them', async () => {
    await using server = await listen(onward)
    await fetchWith({ redirects: 1 })(`${server.origin}/1`, { headers: { authorization: 'Bearer own' } })
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer own', 'Bearer own'])
  })

  test('U-23: is judged like the first address: it leads to no metadata, and into no network that is not excepted', async () => {
    await using inner = await listen((_, response) => void response.end('secret'))
    const exceptions = createExceptions({ networks: [], hosts: ['localhost'] })
    const asking = createGuardedFetch({ alias: 'x', privateOrigins: [], exceptions }, { redirects: 3 })
    await using open = await listen(({ url }, response) => {
      response.writeHead(302, { location: url === '/in' ? `${inner.origin}/` : 'http://169.254.169.254/latest/' }).end()
    })
    expect(await outcome(asking(`http://localhost:${open.port}/in`, {}))).toBe('egress.refused')
    expect(await outcome(asking(`http://localhost:${open.port}/cloud`, {}))).toBe('egress.refused')
    expect([open.asked.length, inner.asked.length]).toEqual([2, 0])
  })

  test('into another part of a private network needs leave for that part, too', async () => {
    await using inner = await listen((_, response) => void response.end('secret'))
    await using open = await listen(({ url = '' }, response) =>
      url === '/own'
        ? void response.end('own')
        : to(url === '/near' ? '/own' : `${inner.origin}/`)({} as never, response),
    )
    const asking = createGuardedFetch({ alias: 'x', privateOrigins: [open.origin] }, { redirects: 3 })
    expect(await (await asking(`${open.origin}/near`, {})).text()).toBe('own')
    expect(await outcome(asking(`${open.origin}/away`, {}))).toBe('egress.refused')
    expect(await outcome(asking(inner.origin, {}))).toBe('egress.refused')
    expect(inner.asked).toEqual([])
    const both = createGuardedFetch({ alias: 'x', privateOrigins: [open.origin, inner.origin] }, { redirects: 3 })
    expect(await (await both(`${open.origin}/away`, {})).text()).toBe('secret')
  })

  test('never leads from https to http, to another scheme, or to a name with a password', async () => {
    await using server = await listen((_, response) => void response.end('plain'))
    const asking = fetchWith({ redirects: 3 })
    for (const location of [
      `${server.origin}/`,
      'file:///etc/passwd',
      'https://u:p@elsewhere.example/',
      'http://[',
      '',
    ]) {
      secure.answers.set('https://safe.example', location)
      expect({ location, outcome: await outcome(asking('https://safe.example/', {})) }).toEqual({
        location,
        outcome: 302,
      })
    }
    expect(server.asked).toEqual([])
  })
})

describe('an answer', () => {
  test('that is larger than it may be is not read to its end', async () => {
    await using server = await listen((_, response) => void response.end('x'.repeat(2_000)))
    expect(await outcome(fetchWith({ mostBytes: 1_999 })(server.origin, {}))).toBe('result.too-large')
    expect(await outcome(fetchWith({ mostBytes: 2_000 })(server.origin, {}))).toBe(200)
  })

  test('that is packed is refused and never unpacked, because a few bytes of it may be anything', async () => {
    await using server = await listen((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20 * 1024 * 1024)))
    })
    expect(await outcome(fetchWith()(server.origin, { headers: { 'accept-encoding': 'gzip' } }))).toBe('failed')
    expect(server.asked[0]?.headers['accept-encoding']).toBe('identity')
  })

  test('whose headers are endless is refused', async () => {
    await using server = await listen(
      (_, response) => void response.writeHead(200, { 'x-long': 'x'.repeat(40_000) }).end(),
    )
    expect(await outcome(fetchWith()(server.origin, {}))).toBe('failed')
  })

  test('that drips for ever is given up, also for whoever brought a signal of their own', async () => {
    const drips = new Set<NodeJS.Timeout>()
    await using server = await listen((_, response) => {
      response.writeHead(200)
      drips.add(setInterval(() => response.write('x'), 10))
    })
    const asking = fetchWith({ patience: 150 })
    expect(await outcome(asking(server.origin, {}))).toBe('failed')
    expect(await outcome(asking(server.origin, { signal: new AbortController().signal }))).toBe('failed')
    for (const drip of drips) clearInterval(drip)
  })

  test('that never begins is given up', async () => {
    await using server = await listen(() => {})
    expect(await outcome(fetchWith({ patience: 100 })(server.origin, {}))).toBe('failed')
  })
})

describe('what is asked for', () => {
  test('is http and https and nothing else, without a password in the address', async () => {
    for (const address of [
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      'data:text/plain,x',
      'http://u:p@127.0.0.1/',
      'nothing',
    ])
      expect({ address, outcome: await outcome(fetchWith()(address, {})) }).toEqual({
        address,
        outcome: 'egress.refused',
      })
  })

  test('is what ends a token, too', async () => {
    await using server = await listen((_, response) => void response.writeHead(204).end())
    expect(await outcome(fetchWith()(`${server.origin}/token`, { method: 'DELETE', body: '{}' }))).toBe(204)
    expect(server.asked[0]?.method).toBe('DELETE')
    await expect(fetchWith()(server.origin, { method: 'PATCH' })).rejects.toThrow(TypeError)
  })
})
