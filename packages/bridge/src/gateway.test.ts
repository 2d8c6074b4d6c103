import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { createGateway, type Patience } from './gateway.ts'
import { createWire, Lost } from './wire.ts'

type Act = (request: IncomingMessage, response: ServerResponse) => void

/** A server that does one thing after the other, and what was sent to it. */
async function serve(...acts: Act[]) {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      bodies.push(body)
      ;(acts.shift() ?? say(200, {}))(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
const say =
  (status: number, value: unknown): Act =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
const faultOf = (fault: string) => ({ jsonrpc: '2.0', error: { code: -32003, message: 'no', data: { fault } } })

async function reach(url: URL, patience: Patience = { atStart: 20_000, later: 20_000 }) {
  const told: string[] = []
  const wire = await createWire({ url, key: 'k', version: '1', proxies: undefined })
  const gateway = createGateway({
    wire,
    address: url.href,
    patience,
    tell: (line) => told.push(line),
    room: () => undefined,
  })
  return { gateway, told, [Symbol.dispose]: () => wire.close() }
}
/** A port that a server had may be another's by now. */
const NOBODY = new URL('http://127.0.0.1:9/mcp')
const POST = { method: 'POST', headers: {}, body: '{"a":1}' } as const
const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe('a gateway', () => {
  test('that says that it did not take a request is sent it again', async () => {
    await using server = await serve(say(503, faultOf('gateway.draining')), say(503, faultOf('gateway.not-ready')))
    using there = await reach(server.url)
    expect((await there.gateway.reach(POST)).status).toBe(200)
    expect(server.bodies).toEqual([POST.body, POST.body, POST.body])
  })

  test('that fails otherwise is not', async () => {
    await using server = await serve(say(503, faultOf('upstream.busy')), (_, response) => response.destroy())
    using there = await reach(server.url)
    expect((await there.gateway.reach(POST)).status).toBe(503)
    expect(await thrownBy(there.gateway.reach(POST))).toBeInstanceOf(Lost)
    expect(server.bodies).toHaveLength(2)
  })

  test('that breaks off in the middle of its answer has lost it', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"half":')
      setTimeout(() => response.destroy(), 10)
    })
    using there = await reach(server.url)
    expect(await thrownBy(there.gateway.reach(POST))).toBeInstanceOf(Lost)
    expect(server.bodies).toHaveLength(1)
  })

  test('that never comes is given up, in words', async () => {
    using there = await reach(NOBODY, { atStart: 2_000, later: 0 })
    const thrown = await thrownBy(there.gateway.reach(POST))
    expect(thrown).toBeInstanceOf(Fault)
    expect((thrown as Fault).message).toBe(`No gateway is responding at ${NOBODY.href}: nothing is listening there.`)
    expect(there.told).toEqual([
      `No gateway is responding at ${NOBODY.href} (nothing is listening there); trying again.`,
    ])
  })

  test('that nobody waits for any more is not asked again', async () => {
    using there = await reach(NOBODY)
    const leaving = new AbortController()
    const asked = thrownBy(there.gateway.reach({ ...POST, signal: leaving.signal }))
    await expect.poll(() => there.told.length).toBe(1)
    leaving.abort()
    expect(await asked).toMatchObject({ name: 'AbortError' })
  })

  test('that falls silent where it should not is let go', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    })
    using there = await reach(server.url)
    const { stream } = await there.gateway.attempt({ method: 'GET', headers: {}, silence: 1_000 })
    const texts: string[] = []
    const hearing = async () => {
      for await (const text of stream?.texts ?? []) texts.push(text)
    }
    expect(await thrownBy(hearing())).toBeInstanceOf(Lost)
    expect(texts).toEqual(['1'])
  })
})
