import { Fault } from '@toolway/contract'
import fc from 'fast-check'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation, Placed } from '@toolway/contract/http-operation'
import { requestOf } from './request.ts'

const base = new URL('https://api.example.com/v1/')
const placed = (one: Partial<Placed> & Pick<Placed, 'in'>): Placed => ({
  argument: 'a',
  name: 'a',
  style: one.in === 'path' || one.in === 'header' ? 'simple' : 'form',
  explode: one.in === 'query' || one.in === 'cookie',
  reserved: false,
  json: false,
  ...one,
})
const operation = (one: Partial<Operation>): Operation => ({
  name: 'tool',
  method: 'GET',
  path: '/things',
  placed: [],
  body: undefined,
  accept: 'application/json',
  structured: false,
  ...one,
})
const made = (one: Partial<Operation>, given: object, at = base) =>
  requestOf(operation(one), given as never, { alias: 'shop', base: at, key: undefined })

const COLOURS = { R: 100, G: 200, B: 150 }
const LIST = ['blue', 'black', 'brown']

describe('each style is written as the specification shows it', () => {
  // OpenAPI 3.1, parameter object, style examples: empty is left to what each side makes of it.
  test.each([
    ['matrix', false, 'blue', ';a=blue'],
    ['matrix', false, LIST, ';a=blue,black,brown'],
    ['matrix', false, COLOURS, ';a=R,100,G,200,B,150'],
    ['matrix', true, LIST, ';a=blue;a=black;a=brown'],
    ['matrix', true, COLOURS, ';R=100;G=200;B=150'],
    ['label', false, 'blue', '.blue'],
    ['label', false, LIST, '.blue,black,brown'],
    ['label', true, LIST, '.blue.black.brown'],
    ['label', false, COLOURS, '.R,100,G,200,B,150'],
    ['label', true, COLOURS, '.R=100.G=200.B=150'],
    ['simple', false, 'blue', 'blue'],
    ['simple', false, LIST, 'blue,black,brown'],
    ['simple', false, COLOURS, 'R,100,G,200,B,150'],
    ['simple', true, COLOURS, 'R=100,G=200,B=150'],
  ] as const)('path %s, explode %s: %j', (style, explode, value, written) => {
    const { path } = made({ path: '/things/{a}', placed: [placed({ in: 'path', style, explode })] }, { a: value })
    expect(path).toBe(`/v1/things/${written}`)
  })

  test.each([
    ['form', true, 'blue', 'a=blue'],
    ['form', true, LIST, 'a=blue&a=black&a=brown'],
    ['form', false, LIST, 'a=blue,black,brown'],
    ['form', true, COLOURS, 'R=100&G=200&B=150'],
    ['form', false, COLOURS, 'a=R,100,G,200,B,150'],
    ['spaceDelimited', false, LIST, 'a=blue%20black%20brown'],
    ['pipeDelimited', false, LIST, 'a=blue%7Cblack%7Cbrown'],
    ['deepObject', true, COLOURS, 'a%5BR%5D=100&a%5BG%5D=200&a%5BB%5D=150'],
  ] as const)('query %s, explode %s: %j', (style, explode, value, written) => {
    expect(made({ placed: [placed({ in: 'query', style, explode })] }, { a: value }).path).toBe(`/v1/things?${written}`)
  })

  test('headers, cookies, JSON and reserved characters', () => {
    expect(made({ placed: [placed({ in: 'header', name: 'X-A' })] }, { a: LIST }).headers['x-a']).toBe(
      'blue,black,brown',
    )
    expect(made({ placed: [placed({ in: 'cookie' })] }, { a: 'x; b=1' }).headers['cookie']).toBe('a=x%3B%20b%3D1')
    expect(made({ placed: [placed({ in: 'query', json: true })] }, { a: { b: [1] } }).path).toContain(
      'a=%7B%22b%22%3A%5B1%5D%7D',
    )
    expect(made({ placed: [placed({ in: 'query', reserved: true })] }, { a: '/x?y:z&b#c' }).path).toBe(
      '/v1/things?a=/x?y:z%26b%23c',
    )
  })

  test('bodies: JSON, forms with repeated names and deep ones, and parts without files', () => {
    const members = [
      { argument: 'a', name: 'a', deep: false },
      { argument: 'body_b', name: 'b', deep: true },
    ]
    const body = { required: true, whole: undefined, members }
    const given = { a: ['x', 'y&z'], body_b: { c: 1 } }
    const post = (kind: 'json' | 'form' | 'multipart', media: string) =>
      made({ method: 'POST', body: { ...body, kind, media } }, given)
    expect(post('json', 'application/json').body).toBe('{"a":["x","y&z"],"b":{"c":1}}')
    expect(post('form', 'application/x-www-form-urlencoded').body).toBe('a=x&a=y%26z&b%5Bc%5D=1')
    const parts = post('multipart', 'multipart/form-data')
    expect(parts.headers['content-type']).toMatch(/^multipart\/form-data; boundary=toolway-/)
    expect(parts.body).toContain('name="b"\r\nContent-Type: application/json\r\n\r\n{"c":1}\r\n')
    const file = { kind: 'bytes', media: 'application/pdf', required: true, whole: 'content', members: [] } as const
    expect(made({ method: 'PUT', body: file }, { content: 'AP8B' }).body).toEqual(Buffer.from([0, 255, 1]))
  })
})

const isRefused = (work: () => unknown): boolean => {
  try {
    work()
    return false
  } catch (thrown) {
    if (thrown instanceof Fault && ['params.shape', 'openapi.outside'].includes(thrown.code)) return true
    throw thrown
  }
}

describe('a hostile value', () => {
  const path = { path: '/repos/{a}/issues', placed: [placed({ in: 'path' as const })] }
  test.each([
    '..',
    '.',
    '../../admin',
    '..\\..\\admin',
    '%2e%2e',
    '%252e%252e%252f',
    '..;/x',
    '',
    'a\r\nHost: evil',
    'a\0b',
    './x',
    ['..'],
    [],
    {},
    { '..': 1 },
  ])('in a path, %j, is refused', (value) => {
    expect(isRefused(() => made(path, { a: value }))).toBe(true)
  })

  test.each([
    ['a/b', 'a%2Fb'],
    ['?x=1#y', '%3Fx%3D1%23y'],
    ['@evil.com', '%40evil.com'],
    ['a b', 'a%20b'],
    ['\ud800', '%EF%BF%BD'],
  ])('in a path, %j, keeps its place', (value, written) => {
    expect(made(path, { a: value }).path).toBe(`/v1/repos/${written}/issues`)
  })

  test('in a header is refused where it is more than a line, and none speaks for the credential', () => {
    const inHeader = { placed: [placed({ in: 'header' as const, name: 'X-A' })] }
    expect(isRefused(() => made(inHeader, { a: 'x\r\nAuthorization: y' }))).toBe(true)
    expect(isRefused(() => made(inHeader, { a: 'ü' }))).toBe(true)
  })

  test('in a query cannot name another parameter, nor what the address of the connection says', () => {
    const query = { in: 'query' as const }
    const two = { placed: [placed({ ...query }), placed({ ...query, argument: 'owner', name: 'owner' })] }
    expect(isRefused(() => made(two, { a: { owner: 'eve' }, owner: 'ada' }))).toBe(true)
    expect(isRefused(() => made(two, { a: { OWNER: 'eve' } }))).toBe(true)
    const at = new URL('https://api.example.com/v1?tenant=acme')
    expect(isRefused(() => made(two, { a: { tenant: 'other' } }, at))).toBe(true)
    expect(made(two, { a: { a: '1', b: '2' }, owner: 'ada' }, at).path).toBe('/v1/things?tenant=acme&a=1&b=2&owner=ada')
  })

  test('in a cookie cannot name the key', () => {
    const key = { in: 'cookie' as const, name: 'session', value: 's3cret' }
    const one = operation({ placed: [placed({ in: 'cookie' })] })
    expect(isRefused(() => requestOf(one, { a: { session: 'mine' } }, { alias: 'shop', base, key }))).toBe(true)
    const { headers } = requestOf(one, { a: { b: 'c' } }, { alias: 'shop', base, key })
    expect(headers['cookie']).toBe('b=c; session=s3cret')
  })

  test('in a query cannot name the key', () => {
    const key = { in: 'query' as const, name: 'api_key', value: 's3cret' }
    const given = { a: { api_key: 'mine' } }
    const one = operation({ placed: [placed({ in: 'query' })] })
    expect(isRefused(() => requestOf(one, given, { alias: 'shop', base, key }))).toBe(true)
    expect(requestOf(one, { a: { b: 'c' } }, { alias: 'shop', base, key }).path).toBe('/v1/things?b=c&api_key=s3cret')
  })

  test('never leads outside the base, whatever it is and wherever it goes', () => {
    const nasty = fc.oneof(
      fc.string({
        unit: fc.constantFrom(
          '.',
          '/',
          '\\',
          '%',
          '2',
          'e',
          'E',
          'f',
          '?',
          '#',
          '@',
          ':',
          ';',
          '\r',
          '\n',
          '\t',
          '\0',
          'a',
          '&',
          '=',
          '\u2028',
          '．',
          '／',
        ),
      }),
      fc.string({ unit: 'binary' }),
    )
    const value = fc.oneof(nasty, fc.array(nasty, { maxLength: 3 }), fc.dictionary(nasty, nasty, { maxKeys: 3 }))
    const style = fc.constantFrom('simple', 'label', 'matrix') as fc.Arbitrary<Placed['style']>
    fc.assert(
      fc.property(value, value, style, fc.boolean(), (inPath, inQuery, style, explode) => {
        const one = {
          path: '/repos/{a}/issues/{c}',
          placed: [
            placed({ in: 'path', style, explode }),
            placed({ in: 'path', argument: 'c', name: 'c', style, explode }),
            placed({ in: 'query', argument: 'b', name: 'b', explode }),
          ],
        }
        let path: string
        try {
          path = made(one, { a: inPath, c: inPath, b: inQuery }).path
        } catch (thrown) {
          if (thrown instanceof Fault) return
          throw thrown
        }
        const read = new URL(path, 'https://api.example.com')
        expect(read.host).toBe('api.example.com')
        expect(read.pathname.split('/').slice(0, 3)).toEqual(['', 'v1', 'repos'])
        expect(read.pathname.split('/')).toHaveLength(6)
        expect(read.hash).toBe('')
        for (const part of decodeURIComponent(read.pathname).split('/')) expect(['.', '..']).not.toContain(part)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('through a real server', () => {
  let address = ''
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x')
    response.end(
      JSON.stringify({ path: url.pathname.split('/').map(decodeURIComponent), query: [...url.searchParams] }),
    )
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())))

  test('what was said is what arrives', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(text, fc.array(text, { minLength: 1, maxLength: 4 }), async (one, list) => {
        const at = new URL(`${address}/v1`)
        const both = {
          path: '/r/{a}/x',
          placed: [placed({ in: 'path' }), placed({ in: 'query', argument: 'b', name: 'b[]' })],
        }
        let path: string
        try {
          path = made(both, { a: one, b: list }, at).path
        } catch (thrown) {
          if (thrown instanceof Fault) return
          throw thrown
        }
        const heard = (await (await fetch(at.origin + path)).json()) as { path: string[]; query: [string, string][] }
        expect(heard.path).toEqual(['', 'v1', 'r', one.toWellFormed(), 'x'])
        expect(heard.query).toEqual(list.map((value) => ['b[]', value.toWellFormed()]))
      }),
      { numRuns: 100 },
    )
  })
})

test('the query that stands in the path of an operation goes with every call, and nothing names its parameters again', () => {
  const path = '/things'
  const filter = placed({ in: 'query', argument: 'filter', name: 'filter' })
  expect(made({ path, query: 'beta=true', placed: [filter] }, { filter: { a: 1 } }).path).toBe(
    '/v1/things?beta=true&a=1',
  )
  expect(isRefused(() => made({ path, query: 'beta=true', placed: [filter] }, { filter: { beta: 1 } }))).toBe(true)
})
