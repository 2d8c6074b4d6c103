import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { base64Of, base64UrlOf, textOf } from './base64.ts'
import { withoutUnset, graphql } from './graphql.ts'
import { compile } from './operation.ts'
import { offset } from './paging.ts'
import { rest, signed } from './rest.ts'
import { bool, free, get, many, num, one, prose, shape, str, strs } from './shape.ts'
import type { ApiRequest, Json, Tool, VendorAnswer } from './tool.ts'
import { definitionOf, vendor } from './vendor.ts'
import { quotaOf, retryAfterOf } from './waits.ts'

const answer = (facts: Partial<VendorAnswer>): VendorAnswer => ({
  status: 200,
  headers: {},
  body: {},
  at: 1_000_000,
  ...facts,
})
const WORDS = { accept: 'application/json', lists: 'repeat', body: 'json' } as const

function first(tool: Tool, input: Json): ApiRequest {
  const { value } = tool.run(input, 'key-1').next()
  if (!('kind' in value) || value.kind !== 'api') throw new Error('no request')
  return value as ApiRequest
}

describe('a route', () => {
  test('puts arguments into the path, the query or the body', () => {
    const { operation } = compile('POST /a/{id}?dry', { id: 1, dry: true, name: 'n', left: undefined }, WORDS)
    expect(operation.placed.map(({ name, in: where }) => [name, where])).toEqual([
      ['id', 'path'],
      ['dry', 'query'],
    ])
    expect(operation.body?.members.map(({ name }) => name)).toEqual(['name'])
  })

  test('keeps the slashes of {+path}, each part as a value of its own', () => {
    const compiled = compile('GET /c/{+path}', { path: '/src//a b/../x' }, WORDS)
    expect(compiled.operation.path).toBe('/c/{path.0}/{path.1}/{path.2}/{path.3}')
    expect(Object.values(compiled.arguments)).toEqual(['src', 'a b', '..', 'x'])
    expect(() => compile('GET /c/{+path}', { path: '//' }, WORDS)).toThrow(/must not be empty/)
  })
})

describe('a tool that looks something up', () => {
  const { ask } = rest({ base: 'https://a.example' })
  const place = {
    input: { site: z.string().optional() },
    *find({ site }: Json) {
      if (typeof site === 'string') return { id: site }
      return { id: String(get((yield* ask('GET /sites')).body, 'id')) }
    },
  }
  const { read, write } = rest({
    base: 'https://a.example/{id}/{host}',
    place,
    paging: offset('', 'from', { name: 'max_items', as: 'maxItems', default: 10, max: 20 }),
  })

  test('fills the base address, and sends neither the place nor our name of the size', () => {
    const tool = read('GET /x', { says: '', input: { q: z.string() }, list: shape({ id: str() }) })
    const run = tool.run({ q: 'a', max_items: 5, cursor: '5' }, 'key-1')
    expect(run.next().value).toMatchObject({ base: 'https://a.example', repeat: 'read' })
    const { value } = run.next(answer({ body: { id: 'a/b' } }))
    expect(value).toMatchObject({
      base: 'https://a.example/a%2Fb/{host}',
      arguments: { q: 'a', maxItems: 5, from: 5 },
    })
    expect(Object.keys((value as ApiRequest).arguments)).toHaveLength(3)
    expect(first(tool, { q: 'a', site: 's' }).base).toBe('https://a.example/s/{host}')
  })

  test('adds what its requests before find to its own', () => {
    const tool = write('POST /x/{parent}', {
      says: '',
      input: { name: z.string() },
      *before({ name }) {
        return { parent: get((yield* ask('GET /p', { name })).body, 'id') }
      },
      send: ({ name }) => ({ name }),
    })
    const run = tool.run({ name: 'n', site: 's' }, 'key-1')
    run.next()
    expect(run.next(answer({ body: { id: 7 } })).value).toMatchObject({
      repeat: 'never',
      arguments: { name: 'n', parent: 7 },
    })
  })
})

describe('a shape', () => {
  const Inner = shape({ id: str() })
  const Thing = shape({
    id: str(),
    n: num('a.n'),
    on: bool(),
    tags: strs('tags[].name'),
    inner: one(Inner),
    all: many(Inner, 'all', 1),
    rest: free(),
    body: prose('body', 3),
  })

  test('reads what is there and leaves out the rest', () => {
    const value = {
      id: 7,
      a: { n: '3' },
      on: true,
      tags: [{ name: 'x' }, {}],
      inner: { id: 1, more: 1 },
      all: [{ id: 1 }, { id: 2 }],
      rest: { k: 1 },
      body: 'abcd',
    }
    expect(Thing.read(value)).toEqual({
      id: '7',
      n: 3,
      on: true,
      tags: ['x'],
      inner: { id: '1' },
      all: [{ id: '1' }],
      rest: { k: 1 },
      body: 'abc… (1 more characters)',
    })
    expect(Thing.read({ id: null, a: 'x', tags: 'x', inner: [], all: {}, rest: [], body: '' })).toEqual({})
    expect(Thing.read(undefined)).toEqual({})
  })

  test('does not read inherited members', () => expect(get({}, 'constructor.name')).toBeUndefined())
})

describe('effects and repetition', () => {
  const { read, write, destroy } = rest({ base: 'https://a.example', headers: { 'x-v': '1' } })
  test('a read is repeated, a write with a key only', () => {
    expect(first(read('GET /a', { says: 'A.' }), {}).repeat).toBe('read')
    expect(first(write('POST /a', { says: 'A.' }), {}).repeat).toBe('never')
    expect(first(destroy('DELETE /a', { says: 'A.' }), {}).repeat).toBe('never')
    const keyed = first(write('POST /a', { says: 'A.', once: 'idempotency-key' }), {})
    expect([keyed.repeat, keyed.headers]).toEqual(['keyed', { 'x-v': '1', 'idempotency-key': 'key-1' }])
  })

  test('arguments that the tool does not have are refused before anything is sent', () => {
    const tool = read('GET /a/{id}', { says: 'A.', input: { id: z.string() } })
    expect(() => tool.run({ id: 'x', other: 1 }, 'k').next()).toThrow(/other/i)
    expect(() => tool.run({}, 'k').next()).toThrow(/id/)
  })
})

test('a GraphQL document is made of the route and the shape', () => {
  const { read, write } = graphql({
    base: 'https://a.example',
    path: '/graphql',
    size: { name: 'first', default: 5, max: 9 },
  })
  const Thing = shape({ id: str(), team: str('team.key'), tags: strs('tags.nodes[].name') })
  const tool = read('query team(id: String!).things(first: Int, after: String)', {
    says: 'A.',
    input: { id: z.string() },
    list: Thing,
  })
  expect(first(tool, { id: 'x' }).arguments).toEqual({
    query:
      'query($id: String!, $first: Int, $after: String) { team(id: $id) { things(first: $first, after: $after) { nodes { id team { key } tags { nodes { name } } } pageInfo { hasNextPage endCursor } } } }',
    variables: { id: 'x', first: 5 },
  })
  expect(
    first(write('mutation thingArchive(id: String!)', { says: 'A.', input: { id: z.string() } }), { id: 'x' })
      .arguments,
  ).toMatchObject({
    query: 'mutation($id: String!) { thingArchive(id: $id) { success } }',
  })
  expect(withoutUnset({ a: undefined, b: { c: undefined }, d: { e: { f: 1, g: undefined } }, h: null, i: [] })).toEqual(
    {
      d: { e: { f: 1 } },
      h: null,
      i: [],
    },
  )
})

test('waits are read from numbers, dates, bodies and resets', () => {
  expect(retryAfterOf(answer({ headers: { 'retry-after': '1.2' } }))).toBe(2)
  expect(retryAfterOf(answer({ headers: { 'retry-after': 'Thu, 01 Jan 1970 00:17:10 GMT' } }))).toBe(30)
  expect(retryAfterOf(answer({ body: { retry_after: 0.3 } }))).toBe(1)
  expect(
    retryAfterOf(answer({ headers: { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '1795435290' } })),
  ).toBeUndefined()
  expect(retryAfterOf(answer({ headers: { 'retry-after': '99999999' } }))).toBe(86_400)
  const headers = { left: 'l', resets: 'r' }
  const given = answer({ headers: { l: '5', r: '60' } })
  expect(quotaOf(given, { ...headers, unit: 'from-now' })).toEqual({ left: 5, resetsAt: 1_060_000 })
  expect(quotaOf(given, { ...headers, unit: 'seconds' })).toEqual({ left: 5, resetsAt: 60_000 })
  expect(quotaOf(answer({}), { ...headers, unit: 'seconds' })).toBeUndefined()
})

test('a signed address is asked without the credential and over https only', () => {
  const refuse = (problem: string) => new Error(problem)
  const run = signed({ address: 'https://files.example/x?sig=a%2Bb' }, refuse)
  expect(run.next().value).toMatchObject({ kind: 'signed', address: 'https://files.example/x?sig=a%2Bb', headers: {} })
  expect(() => run.next(answer({ status: 403 }))).toThrow('HTTP 403')
  expect(() => signed({ address: 'http://files.example/x' }, refuse).next()).toThrow('not https')
  expect(() => signed({ address: 'https://a@files.example/x' }, refuse).next()).toThrow('not https')
})

test('base64 carries every letter', () => {
  expect(textOf(base64Of('Grüße ✓'))).toBe('Grüße ✓')
  expect(textOf(base64UrlOf('Grüße ✓??'))).toBe('Grüße ✓??')
  expect(textOf('//79')).toBeUndefined()
})

test('a definition is what clients list', () => {
  const { read } = rest({ base: 'https://a.example' })
  const tools = { get: read('GET /a', { says: 'Get it.', output: shape({ id: str() }) }) }
  const acme = vendor({
    id: 'acme',
    auth: { provider: 'acme' },
    scopes: {},
    whoami: 'get',
    tools,
  })
  expect([...acme.tools.keys()]).toEqual(['acme_get'])
  expect(definitionOf('acme_get', acme.whoami)).toEqual({
    name: 'acme_get',
    description: 'Get it.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
  })
})
