/** The egress proxy as a child sees it: over its socket, with real servers behind it; names are answered as the test says. */
import type * as dns from 'node:dns'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { connect as connectNet, createServer as createNet, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createExceptions } from '../exceptions.ts'
import { startEgressProxy, type EgressProxyParts } from './egress-proxy.ts'
import { createSharedLookups } from './egress-rules.ts'

/** `held`: names whose answer waits, and how to give it. */
const names = vi.hoisted(() => ({ answers: new Map<string, string[]>(), held: new Map<string, (() => void)[]>() }))
vi.mock('node:dns', async (original) => ({
  ...(await original<typeof dns>()),
  lookup(name: string, _options: object, callback: (error: Error | null, found: dns.LookupAddress[]) => void) {
    const [next, ...later] = names.answers.get(name) ?? []
    const held = names.held.get(name)
    if (held !== undefined && next !== undefined)
      return void held.push(() => callback(null, [{ address: next, family: 4 }]))
    if (later.length > 0) names.answers.set(name, later)
    if (next === undefined) process.nextTick(callback, new Error(`no address for ${name}`), [])
    else process.nextTick(callback, null, [{ address: next, family: next.includes(':') ? 6 : 4 }])
  },
}))
beforeEach(() => {
  names.answers.clear()
  names.held.clear()
})

/** The loopback addresses stand for an outside: the tests let the proxy reach 127.0.0.1 by a name of this network. */
const OUTSIDE = createExceptions({ networks: [], hosts: ['*.example.com', 'example.org'] })

async function start(parts: Partial<EgressProxyParts>) {
  const folder = await mkdtemp(join(tmpdir(), 'egress-'))
  const refused: string[] = []
  const path = join(folder, 'proxy.sock')
  const proxy = await startEgressProxy({
    network: 'public',
    exceptions: OUTSIDE,
    refused: (sentence) => refused.push(sentence),
    ...parts,
    path,
  })
  return {
    path,
    refused,
    async [Symbol.asyncDispose]() {
      await proxy.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

/** Answers with what it was sent. */
const plainServer = () =>
  createServer((asked, answer) => {
    const body: Buffer[] = []
    asked
      .on('data', (chunk: Buffer) => body.push(chunk))
      .on('end', () => {
        const { method, url, headers } = asked
        answer
          .writeHead(200, { connection: 'close', 'x-seen': '1' })
          .end(JSON.stringify({ method, url, headers, body: Buffer.concat(body).toString() }))
      })
  })

/** Echoes bytes, as a stand-in for a TLS server: a tunnel is not decrypted. */
const echoServer = () => createNet((socket) => socket.on('error', () => undefined).pipe(socket))

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

function ask(socketPath: string, path: string, options: object = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, agent: false, ...options }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }))
    })
    sent.on('error', reject).end(body)
  })
}

function tunnel(socketPath: string, authority: string): Promise<Answer & { socket: Duplex }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method: 'CONNECT', path: authority, agent: false })
    sent.on('connect', (answer, socket, head) =>
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        text: head.toString(),
        socket,
      }),
    )
    sent.on('error', reject).end()
  })
}

/** Sends the start of TLS through a tunnel: whether the other side sent it back, as the echo does. */
function tlsReaches(socket: Duplex, servername: string): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve(false)).on('error', () => undefined)
    socket.once('data', () => resolve(true))
    const pair = createNet((raw) => raw.on('error', () => undefined).once('data', (hello) => socket.write(hello)))
    pair.listen(0, '127.0.0.1', () => {
      const client = connectTls({ port: (pair.address() as AddressInfo).port, host: '127.0.0.1', servername })
      client.on('error', () => undefined)
      socket.once('close', () => void (client.destroy(), pair.close()))
    })
  })
}

describe('a child with all of the public network', () => {
  test('reaches a host by a request in absolute form, with the Host of the address', async () => {
    await using server = await listen(plainServer())
    await using proxy = await start({})
    names.answers.set('api.example.com', ['127.0.0.1'])
    const headers = { host: 'inside.example', 'proxy-authorization': 'Basic eDp5', connection: 'x-own', 'x-own': '1' }
    const at = `http://api.example.com:${server.port}/a?b=c`
    const { status, text, headers: answered } = await ask(proxy.path, at, { method: 'POST', headers }, 'hello')
    expect([status, answered['x-seen']]).toEqual([200, '1'])
    const seen = JSON.parse(text) as { url: string; body: string; headers: Record<string, string> }
    expect(seen).toMatchObject({ method: 'POST', url: '/a?b=c', body: 'hello' })
    expect(seen.headers['host']).toBe(`api.example.com:${server.port}`)
    expect(Object.keys(seen.headers)).not.toContain('proxy-authorization')
    expect(Object.keys(seen.headers)).not.toContain('x-own')
  })

  test('reaches a host through a tunnel, in both directions', async () => {
    await using server = await listen(echoServer())
    await using proxy = await start({})
    names.answers.set('api.example.com', ['127.0.0.1'])
    const { status, socket } = await tunnel(proxy.path, `api.example.com:${server.port}`)
    expect(status).toBe(200)
    socket.end('any bytes')
    let back = ''
    for await (const chunk of socket) back += String(chunk)
    expect(back).toBe('any bytes')
  })

  test.for([
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '0.0.0.0',
  ])('does not reach %s, by a tunnel or a request', async (host) => {
    await using proxy = await start({})
    const answers = [await tunnel(proxy.path, `${host}:80`), await ask(proxy.path, `http://${host}/latest/meta-data`)]
    expect(answers.map(({ status }) => status)).toEqual([403, 403])
    expect(answers[1]?.text).toContain('is in a network that this server may not reach')
    expect(new Set(proxy.refused).size).toBe(proxy.refused.length)
  })

  test.for(['0x7f.1', '2130706433', '127.1', 'localhost', 'inside.example'])(
    'does not reach this machine as %s',
    async (host) => {
      await using server = await listen(plainServer())
      await using proxy = await start({})
      for (const name of [host, '127.0.0.1']) names.answers.set(name, ['127.0.0.1'])
      expect((await tunnel(proxy.path, `${host}:${server.port}`)).status).toBe(403)
      expect((await ask(proxy.path, `http://${host}:${server.port}/`)).status).toBe(403)
    },
  )

  test('does not reach a public address that is this machine’s own', async () => {
    await using proxy = await start({ ownAddresses: () => ['93.184.215.14'] })
    names.answers.set('me.example', ['93.184.215.14'])
    expect((await tunnel(proxy.path, 'me.example:443')).status).toBe(403)
    expect((await tunnel(proxy.path, '93.184.215.14:443')).status).toBe(403)
    // The same address in the clothes of IPv6.
    expect((await tunnel(proxy.path, '[::ffff:93.184.215.14]:443')).status).toBe(403)
    expect((await ask(proxy.path, 'http://[::ffff:5db8:d70e]/')).status).toBe(403)
  })

  test('is not led inside by a name whose address changes between two questions', async () => {
    await using server = await listen(plainServer())
    await using proxy = await start({ exceptions: createExceptions({ networks: ['127.0.0.1/32'], hosts: [] }) })
    names.answers.set('two.example', ['127.0.0.1', '169.254.169.254'])
    expect((await ask(proxy.path, `http://two.example:${server.port}/`)).status).toBe(200)
    expect((await ask(proxy.path, `http://two.example:${server.port}/`)).status).toBe(403)
  })
})

describe('a child with listed hosts', () => {
  const listed = { network: 'listed', allowHosts: ['api.example.com', '*.files.example.com'] } as const

  test('reaches them by TLS that names them', async () => {
    await using server = await listen(echoServer())
    await using proxy = await start(listed)
    for (const name of ['api.example.com', 'eu.files.example.com']) {
      names.answers.set(name, ['127.0.0.1'])
      const { status, socket } = await tunnel(proxy.path, `${name.toUpperCase()}:${server.port}`)
      expect(status).toBe(200)
      expect(await tlsReaches(socket, name)).toBe(true)
      socket.destroy()
    }
    expect(proxy.refused).toEqual([])
  })

  test.for(['other.example.com', 'files.example.com', 'api.example.com.evil.example', '93.184.215.14'])(
    'does not reach %s',
    async (host) => {
      await using proxy = await start(listed)
      names.answers.set(host, ['93.184.215.14'])
      const { text } = await ask(proxy.path, `http://${host}/`)
      expect(text).toContain('is not among the hosts that this server may reach (allow_hosts)')
      expect((await tunnel(proxy.path, `${host}:443`)).status).toBe(403)
      expect(proxy.refused).toHaveLength(2)
    },
  )

  test('reaches a host that is listed with a port at that port only', async () => {
    await using server = await listen(echoServer())
    await using proxy = await start({ network: 'listed', allowHosts: [`*.example.com:${server.port}`] })
    names.answers.set('api.example.com', ['127.0.0.1'])
    const { status, socket } = await tunnel(proxy.path, `api.example.com:${server.port}`)
    socket.destroy()
    expect([status, (await tunnel(proxy.path, 'api.example.com:443')).status]).toEqual([200, 403])
  })

  test('does not reach a listed name that leads inside', async () => {
    await using proxy = await start({ ...listed, exceptions: createExceptions({ networks: [], hosts: [] }) })
    names.answers.set('api.example.com', ['10.0.0.7'])
    expect((await tunnel(proxy.path, 'api.example.com:443')).status).toBe(403)
  })

  test('does not reach another host of the same address by its name in the handshake', async () => {
    await using server = await listen(echoServer())
    await using proxy = await start(listed)
    names.answers.set('api.example.com', ['127.0.0.1'])
    const { socket } = await tunnel(proxy.path, `api.example.com:${server.port}`)
    expect(await tlsReaches(socket, 'hidden.example.net')).toBe(false)
    expect(proxy.refused.join()).toContain('names a different host than the one requested')
  })

  test('does not carry anything but TLS through a tunnel', async () => {
    await using server = await listen(echoServer())
    await using proxy = await start(listed)
    names.answers.set('api.example.com', ['127.0.0.1'])
    const { socket } = await tunnel(proxy.path, `api.example.com:${server.port}`)
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
    socket.write('GET / HTTP/1.1\r\nHost: hidden.example.net\r\n\r\n')
    await closed
    expect(proxy.refused.join()).toContain('carries TLS only')
  })
})

describe('bounds', () => {
  test('connections over the limit are closed, and told once', async () => {
    await using server = await listen(echoServer())
    await using proxy = await start({ connections: 2 })
    names.answers.set('api.example.com', ['127.0.0.1'])
    const at = `api.example.com:${server.port}`
    const open = [await tunnel(proxy.path, at), await tunnel(proxy.path, at)]
    await expect(tunnel(proxy.path, at)).rejects.toThrow()
    await expect(tunnel(proxy.path, at)).rejects.toThrow()
    expect(proxy.refused).toEqual([expect.stringContaining('too many connections open')])
    for (const { socket } of open) socket.destroy()
  })

  test('names whose answer does not come hold two look-ups of a child, and three of all children', async () => {
    const asked: (() => void)[] = []
    names.held.set('silent.example.com', asked)
    names.answers.set('silent.example.com', ['127.0.0.1'])
    const lookups = createSharedLookups()
    await using one = await start({ lookups, connectMs: 200 })
    await using other = await start({ lookups, connectMs: 200 })
    const six = [one, other].flatMap(({ path }) => [1, 2, 3].map(() => tunnel(path, 'silent.example.com:443')))
    // The connections are given up, and their look-ups are not.
    expect((await Promise.all(six)).map(({ status }) => status)).toEqual(Array(6).fill(504))
    expect(asked).toHaveLength(3)
    for (const answer of asked) answer()
  })

  test('a host is not connected to for a client that is gone', async () => {
    let connections = 0
    await using server = await listen(echoServer().on('connection', () => (connections += 1)))
    await using proxy = await start({})
    const held: (() => void)[] = []
    names.held.set('slow.example.com', held)
    names.answers.set('slow.example.com', ['127.0.0.1']).set('api.example.com', ['127.0.0.1'])
    const client = connectNet(proxy.path)
    client.write(`GET http://slow.example.com:${server.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)
    await expect.poll(() => held.length).toBeGreaterThan(0)
    client.destroy()
    // A further one shows that the proxy has seen its end.
    const { socket } = await tunnel(proxy.path, `api.example.com:${server.port}`)
    for (const answer of held) answer()
    socket.write('a')
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    expect(connections).toBe(1)
  })

  test('a tunnel in which nothing moves ends', async () => {
    await using server = await listen(echoServer())
    await using proxy = await start({ idleMs: 50 })
    names.answers.set('api.example.com', ['127.0.0.1'])
    const { socket } = await tunnel(proxy.path, `api.example.com:${server.port}`)
    await new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
  })

  test('a client that opens a tunnel to a listed host and says nothing is ended', async () => {
    await using server = await listen(echoServer())
    await using proxy = await start({ network: 'listed', allowHosts: ['api.example.com'], openingMs: 50 })
    names.answers.set('api.example.com', ['127.0.0.1'])
    const { socket } = await tunnel(proxy.path, `api.example.com:${server.port}`)
    await new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
  })

  test('a host that takes no connection answers 502, what is no request of a proxy 400', async () => {
    await using proxy = await start({})
    names.answers.set('api.example.com', ['127.0.0.1'])
    const server = await listen(plainServer())
    await server[Symbol.asyncDispose]()
    expect((await tunnel(proxy.path, `api.example.com:${server.port}`)).status).toBe(502)
    expect((await ask(proxy.path, `http://api.example.com:${server.port}/`)).status).toBe(502)
    for (const path of ['/', 'https://api.example.com/', 'http://user:word@api.example.com/', 'ftp://api.example.com/'])
      expect((await ask(proxy.path, path)).status, path).toBe(400)
    for (const authority of ['api.example.com', 'api.example.com:0', 'api.example.com:99999', 'a@b:80'])
      expect((await tunnel(proxy.path, authority)).status, authority).toBe(400)
    expect(proxy.refused).toEqual([])
  })

  test('refusals of many hosts are told a bounded number of times', async () => {
    await using proxy = await start({ network: 'listed', allowHosts: [] })
    const client = connectNet(proxy.path)
    client.on('error', () => undefined).resume()
    const all = Array.from({ length: 300 }, (_, at) => `GET http://h${at}.example/ HTTP/1.1\r\nHost: x\r\n\r\n`)
    for (const text of all) await ask(proxy.path, /http:\S+/.exec(text)?.[0] ?? '')
    client.destroy()
    expect(proxy.refused).toHaveLength(200)
  })
})
