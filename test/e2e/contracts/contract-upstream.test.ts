/** The cache of a contract backend: contents, duration and scope, over real HTTP, with a clock of the test. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Fault } from '@toolway/contract'
import { MODERN, type JsonObject } from '@toolway/protocol'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createContractUpstream } from '../../../packages/gateway/src/upstreams/contract/contract-upstream.ts'
import type { Ask, ContractTarget, Upstream } from '../../../packages/gateway/src/upstreams/upstream.ts'
import { startContractBackend, type ContractBackend } from '../peers/contract-backend/backend.ts'
import { contractPack } from '../peers/contract-backend/contracts.ts'

let parts: AsyncDisposableStack
let backend: ContractBackend
let clock = 0
let notes: { facts: Record<string, unknown>; message: string }[]
beforeEach(async () => {
  parts = new AsyncDisposableStack()
  backend = parts.use(await startContractBackend())
  clock = 1_000_000
  notes = []
})
afterEach(() => parts.disposeAsync())

const SECOND = 1000
function open(words: Partial<ContractTarget> = {}): Upstream {
  const upstream = createContractUpstream({
    reach: {
      connectionId: 'con_1',
      alias: 'cwr',
      timeout: 5,
      revision: undefined,
      pinned: false,
      wire: {
        url: backend.url,
        private: true,
        headers: {},
        organization: 'acme',
        contractsFor: 300 * SECOND,
        facetsFor: 600 * SECOND,
        staleFor: 3600 * SECOND,
        onBehalf: false,
        exposes: 'agent',
        sideEffects: false,
        allows: [],
        aliases: {},
        facets: true,
        ...words,
      },
    },
    now: () => clock,
    onNote: (facts, message) => void notes.push({ facts, message }),
    onStateChange() {},
  })
  parts.defer(() => upstream.close())
  return upstream
}

const asking = (method: string, params: JsonObject = {}, more: Partial<Ask> = {}): Ask => ({
  method,
  params,
  caller: { revision: MODERN, capabilities: {}, client: {}, logLevel: undefined },
  session: undefined,
  owner: 'somebody',
  headerParameters: [],
  signal: AbortSignal.timeout(20_000),
  onNotification() {},
  onQuestion: () => Promise.reject(new Error('nobody is asked')),
  ...more,
})
const list = async (upstream: Upstream) => {
  const answer = await upstream.ask(asking('tools/list'))
  return JSON.stringify('result' in answer ? answer.result['tools'] : answer)
}
/** A redirect and what it leads to are one fetch. */
const fetches = () => backend.asked('contracts').filter(({ path }) => path.endsWith('/')).length
const lookUps = () => backend.asked('metadata').length / 2
const review = (upstream: Upstream, filters: JsonObject, onBehalf?: string) =>
  upstream.review?.({
    tool: 'search_assets',
    name: 'search_assets',
    arguments: { query: 'x', facet_filters: filters },
    correlationId: undefined,
    onBehalf,
  }) ?? Promise.resolve()
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'passed',
    (thrown: unknown) => Fault.of(thrown).code,
  )

describe('contracts', () => {
  test('S1-LST-08: are fetched once for fifty who ask together, kept for 300 s, and stale for a stated time with a line in the log', async () => {
    const upstream = open()
    const lists = await Promise.all(Array.from({ length: 50 }, () => list(upstream)))
    expect(new Set(lists).size).toBe(1)
    expect(fetches()).toBe(1)
    clock += 299 * SECOND
    await list(upstream)
    expect(fetches()).toBe(1)
    clock += SECOND
    await list(upstream)
    expect(fetches()).toBe(2)

    backend.state.modes.contracts = 'failing'
    clock += 300 * SECOND
    expect(await Promise.all([list(upstream), list(upstream)])).toEqual([lists[0], lists[0]])
    const stale = () => notes.filter(({ facts }) => facts['what'] === 'contracts')
    expect(stale()).toHaveLength(1)
    expect(stale()[0]).toMatchObject({
      facts: { age_s: 300 },
      message: expect.stringContaining('the previous ones are used'),
    })
    // No caller waits for a fetch that has just failed.
    const failed = fetches()
    await list(upstream)
    expect(fetches()).toBe(failed)
    clock += 3301 * SECOND
    await expect(list(upstream)).rejects.toMatchObject({ code: 'upstream.unreachable' })
    backend.state.modes.contracts = 'well'
    expect(await list(upstream)).toBe(lists[0])

    // The cache belongs to one connection, and so to one organization.
    await list(open({ organization: 'globex' }))
    expect(backend.asked('contracts').at(-1)?.query).toEqual({ org_id: 'globex' })
  })

  test('S1-LST-09: are listed in one order, whatever order they come in', async () => {
    const before = await list(open())
    backend.state.contracts = contractPack().toReversed()
    expect(await list(open())).toBe(before)
  })

  test('that are there no more are no tools, also for whoever saw them', async () => {
    const upstream = open()
    await list(upstream)
    backend.state.contracts = contractPack().map((one) => (one.name === 'get' ? { ...one, side_effects: true } : one))
    clock += 300 * SECOND
    const call = upstream.ask(asking('tools/call', { name: 'get', arguments: { item_type: 'asset', item_id: 'x' } }))
    expect(await codeOf(call)).toBe('tool.unknown')
    expect(backend.asked('execute')).toEqual([])
  })

  test('are told of when they change, to whoever watches', async () => {
    const upstream = open({ contractsFor: 50 })
    await upstream.introduce(AbortSignal.timeout(20_000))
    const stop = new AbortController()
    const told = new Promise<string>((resolve) => upstream.watch(resolve, stop.signal))
    // The clock of its own does not go by itself.
    const tick = setInterval(() => (clock += 100), 20)
    backend.state.contracts = contractPack().slice(1)
    expect(await told).toBe('tools')
    clearInterval(tick)
    stop.abort()
  })
})

describe('facets', () => {
  test('S1-FAC-02: are kept for ten minutes', async () => {
    const upstream = open()
    await list(upstream)
    await Promise.all([review(upstream, { agency: 'GSA' }), review(upstream, { agency: 'DOD' })])
    expect(lookUps()).toBe(1)
    clock += 599 * SECOND
    await review(upstream, { agency: 'GSA' })
    expect(lookUps()).toBe(1)
    clock += SECOND
    await review(upstream, { agency: 'GSA' })
    expect(lookUps()).toBe(2)
  })

  test('that cannot be fetched anew are used up to a stated age, and then let nothing pass', async () => {
    const upstream = open({ staleFor: 1200 * SECOND })
    await list(upstream)
    await review(upstream, { agency: 'GSA' })
    backend.state.modes.metadata = 'failing'
    clock += 601 * SECOND
    expect(await codeOf(review(upstream, { agency: 'GSA' }))).toBe('passed')
    expect(await codeOf(review(upstream, { fake: 1 }))).toBe('arguments.invalid')
    expect(notes.filter(({ facts }) => facts['what'] === 'facets')).toMatchObject([{ facts: { age_s: 601 } }])
    clock += 600 * SECOND
    expect(await codeOf(review(upstream, { agency: 'GSA' }))).toBe('metadata.unavailable')
    backend.state.modes.metadata = 'well'
    expect(await codeOf(review(upstream, { agency: 'GSA' }))).toBe('passed')
  })

  test('of nobody let nothing pass: an organization without any has none to filter by', async () => {
    const upstream = open({ organization: 'unknown-one' })
    await list(upstream)
    expect(await codeOf(review(upstream, { agency: 'GSA' }))).toBe('arguments.invalid')
    expect(await codeOf(review(upstream, {}))).toBe('passed')
  })

  test('are looked up for the member where the backend decides by the member, and kept for that one alone', async () => {
    const upstream = open({ onBehalf: true })
    await list(upstream)
    await review(upstream, { agency: 'GSA' }, 'ada@example.com')
    await review(upstream, { agency: 'GSA' }, 'ada@example.com')
    await review(upstream, { agency: 'GSA' }, 'bob@example.com')
    const asked = backend.asked('metadata').map(({ headers }) => headers['x-on-behalf-of'])
    expect(asked).toEqual(['ada@example.com', 'ada@example.com', 'bob@example.com', 'bob@example.com'])
    // Elsewhere nobody's name leaves.
    await review(open(), { agency: 'GSA' }, 'ada@example.com')
    expect(backend.asked('metadata').at(-1)?.headers['x-on-behalf-of']).toBeUndefined()
  })

  test('are looked for wherever filters stand, and only there', async () => {
    const upstream = open()
    await list(upstream)
    const nested = upstream.review?.({
      tool: 'search_assets',
      name: 'search_assets',
      arguments: { query: 'x', more: [{ facet_filters: { custom: { fake_field: 1 } } }] },
      correlationId: undefined,
      onBehalf: undefined,
    })
    await expect(nested).rejects.toMatchObject({
      data: { errors: [{ path: '/more/0/facet_filters/custom/fake_field' }] },
    })
    expect(
      upstream.review?.({
        tool: 't',
        name: 't',
        arguments: { query: 'x' },
        correlationId: undefined,
        onBehalf: undefined,
      }),
    ).toBeUndefined()
  })
})

describe('a call', () => {
  const call = (upstream: Upstream, more: Partial<Ask> = {}) =>
    upstream.ask(asking('tools/call', { name: 'search_assets', arguments: { query: 'x' } }, more))

  test('names the member only where the connection says so', async () => {
    await call(open({ onBehalf: true }), { onBehalf: 'ada@example.com', correlationId: 'c-1' })
    expect(backend.asked('execute').at(-1)?.headers).toMatchObject({
      'x-on-behalf-of': 'ada@example.com',
      'x-correlation-id': 'c-1',
    })
    await call(open(), { onBehalf: 'ada@example.com' })
    expect(backend.asked('execute').at(-1)?.headers['x-on-behalf-of']).toBeUndefined()
    // A value that no header can hold is refused, not omitted: the call would otherwise be one of the gateway itself.
    expect(await codeOf(call(open({ onBehalf: true }), { onBehalf: 'a\r\nx-evil: 1@example.com' }))).toBe(
      'behalf.unknown',
    )
    expect(backend.asked('execute')).toHaveLength(2)
  })

  test('that is given up ends at the backend, and one that takes too long is a time-out', async () => {
    const upstream = open()
    await list(upstream)
    backend.state.modes.execute = 'silent'
    const given = new AbortController()
    const leaving = codeOf(call(upstream, { signal: given.signal }))
    given.abort(new Fault('call.cancelled'))
    expect(await leaving).toBe('call.cancelled')
    expect(await codeOf(call(upstream, { signal: AbortSignal.timeout(100) }))).toBe('upstream.timeout')
  })

  test('after five without any answer is refused at once, until the backend is back', async () => {
    const upstream = open()
    await list(upstream)
    backend.state.modes.execute = 'dropping'
    for (let times = 0; times < 5; times++) expect(await codeOf(call(upstream))).toBe('upstream.lost')
    const sent = backend.asked('execute').length
    expect(await codeOf(call(upstream))).toBe('upstream.resting')
    expect(backend.asked('execute')).toHaveLength(sent)
    backend.state.modes.execute = 'well'
    clock += 10 * SECOND
    expect(await codeOf(call(upstream))).toBe('passed')
  })

  test.each([
    ['nests too deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'contract.malformed'],
    ['is cut off', '{"status": "success", "data": [', 'contract.malformed'],
    ['is larger than anybody takes in', `"${'x'.repeat(33 * 1024 * 1024)}"`, 'result.too-large'],
  ])('whose answer %s ends with a fault, and the next one is as good as ever', async (_, text, code) => {
    const upstream = open()
    backend.state.texts['search_assets'] = text
    expect(await codeOf(call(upstream))).toBe(code)
    backend.state.texts = {}
    expect(await codeOf(call(upstream))).toBe('passed')
  })

  test('of a backend that leads elsewhere goes nowhere: not for contracts, and not for what acts', async () => {
    await using elsewhere = await startContractBackend()
    const leading = createServer((_, response) =>
      response.writeHead(307, { location: `${elsewhere.url}/api/v1/cwr/contracts/` }).end(),
    )
    await new Promise<void>((resolve) => leading.listen(0, '127.0.0.1', resolve))
    parts.defer(() => void leading.close())
    const upstream = open({ url: `http://127.0.0.1:${(leading.address() as AddressInfo).port}` })
    await expect(list(upstream)).rejects.toMatchObject({ code: 'upstream.unreachable' })
    expect(elsewhere.state.requests).toEqual([])
  })

  test('whatever is made up for it never hangs and never crashes', async () => {
    const upstream = open()
    await list(upstream)
    const known = ['search_assets', 'get_content', 'llm_extract', 'query_model']
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...known), fc.dictionary(fc.string(), fc.jsonValue()), async (name, given) => {
        const args = given as JsonObject
        const reviewed = upstream.review?.({
          tool: name,
          name,
          arguments: args,
          correlationId: undefined,
          onBehalf: undefined,
        })
        expect(['passed', 'arguments.invalid']).toContain(await codeOf(Promise.resolve(reviewed)))
        expect(await codeOf(upstream.ask(asking('tools/call', { name, arguments: args })))).toBe('passed')
        expect(backend.asked('execute').at(-1)?.body?.['params']).toMatchObject({ org_id: 'acme' })
      }),
      { numRuns: 60 },
    )
  })

  test('of a backend below a path of its own stays below it', async () => {
    await using below = await startContractBackend({ base: '/curatore' })
    const upstream = open({ url: `${below.url}/` })
    expect(await list(upstream)).toContain('search_assets')
    await call(upstream)
    expect(below.state.requests.map(({ path }) => path)).toEqual([
      '/curatore/api/v1/cwr/contracts',
      '/curatore/api/v1/cwr/contracts/',
      '/curatore/api/v1/cwr/functions/search_assets/execute',
    ])
  })
})
