/** Requests that a tool sends at the same time: what they cost the connection, and what is refused among them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ApiRequest, Json, VendorAnswer, VendorRequest } from '@toolway/connectors'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBreaker } from '../breaker.ts'
import { createExchange } from './exchange.ts'
import { createToolRunner } from './run-tool.ts'

let status = 200
/** Paths that are answered with 200 whatever the others are answered with. */
let wellFor = ''
const heard: string[] = []
const server = createServer(({ method, url = '' }, response) => {
  heard.push(`${method} ${url}`)
  response.writeHead(url === wellFor ? 200 : status, { 'content-type': 'application/json' }).end('{}')
})
let base: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))))
beforeEach(() => {
  status = 200
  wellFor = ''
  heard.length = 0
})

function request(id: string | undefined, facts: Partial<Pick<ApiRequest, 'repeat'>> = {}): ApiRequest {
  const placed = { ...{ argument: 'id', name: 'id', in: 'path' as const }, style: 'simple', explode: false }
  return {
    ...{ kind: 'api', base, headers: {}, repeat: 'read', arguments: id === undefined ? {} : { id } },
    operation: {
      ...{ name: 'get', method: 'GET', path: '/items/{id}', accept: 'application/json', structured: true },
      ...{ body: undefined, placed: [{ ...placed, reserved: false, json: false }] },
    },
    ...facts,
  } as ApiRequest
}

/** A connection with a tool that sends these requests together. */
function fixture(requests: readonly ApiRequest[], times = 1) {
  const wire = { ...{ title: 'Acme', url: base, own: base, private: true, headers: {} } }
  const key = { header: 'authorization', prefix: 'Bearer ' }
  const load = () => Promise.reject(new Error('not loaded here'))
  const reach = {
    ...{ connectionId: 'con_1', alias: 'acme', timeout: 5, revision: undefined, pinned: false },
    wire: { ...wire, key, load },
  }
  const breaker = createBreaker({ alias: 'acme', patience: 5_000, now: Date.now, onStateChange: () => undefined })
  const exchange = createExchange(reach, breaker)
  const runTool = createToolRunner(reach, exchange)
  let answers: readonly VendorAnswer[] = []
  function* run(): Generator<VendorRequest, Json, VendorAnswer> {
    for (let at = 0; at < times; at++) answers = (yield { kind: 'many', requests }).answers ?? []
    return { done: true }
  }
  const tool = { effect: 'read' as const, scopes: [], run }
  const vendor = { auth: { provider: 'acme' } }
  const asked = { credential: undefined, signal: new AbortController().signal }
  return {
    breaker,
    answers: () => answers,
    call: () => runTool({ vendor, name: 'acme_list', tool, given: {} }, asked),
    [Symbol.asyncDispose]: () => exchange.close(1_000),
  }
}
const six = (facts = {}) => Array.from({ length: 6 }, (_, at) => request(`i${at}`, facts))

describe('requests that a tool sends together', () => {
  test('count as one failure, so that one list does not close the connection for everybody', async () => {
    status = 503
    await using list = fixture(six())
    for (let times = 1; times < 5; times++) {
      await list.call()
      expect([times, list.breaker.closed]).toEqual([times, true])
    }
    await list.call()
    expect(list.breaker.closed).toBe(false)
    expect(heard).toHaveLength(30)
  })

  test('count as an answer where one of them was answered', async () => {
    status = 503
    wellFor = '/items/i2'
    await using list = fixture(six(), 6)
    await list.call()
    expect(list.breaker.closed).toBe(true)
    expect(list.breaker.turn).toBe(6)
  })

  test('cost an item its answer where no request can be made of it, and nothing is sent for it', async () => {
    await using list = fixture([request('..'), request(undefined), request('i1')])
    await list.call()
    expect(list.answers().map((answer) => [answer.status, answer.unsent === true])).toEqual([
      [0, true],
      [0, true],
      [200, false],
    ])
    expect(heard).toEqual(['GET /items/i1'])
  })

  test.each(['never', 'keyed'] as const)('are refused where one may not be sent again (%s)', async (repeat) => {
    await using list = fixture([request('i1'), request('i2', { repeat })])
    await expect(list.call()).rejects.toMatchObject({ code: 'connector.failed' })
    expect(heard).toEqual([])
  })
})
