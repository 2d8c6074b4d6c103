import { describe, expect, test } from 'vitest'
import { link, nextAddress, odata, offset, page, token, valuesOf } from './paging.ts'
import type { VendorAnswer } from './tool.ts'

const BASE = 'https://api.example.com/v1'
const size = { name: 'limit', default: 2, max: 50 }
const answer = (body: unknown, headers = {}): VendorAnswer => ({ status: 200, headers, body, at: 0 })

describe('a Link header', () => {
  const pages = link('page')
  test.each([
    [`<${BASE}/x?page=2&per_page=10>; rel="next", <${BASE}/x?page=9>; rel="last"`, '2'],
    [`<${BASE}/x?page=1>; rel="prev", <${BASE}/x?page=3>; rel="next"`, '3'],
    [`<${BASE}/x?page=9>; rel="last"`, undefined],
    [`</v1/x?page=4>; rel=next`, '4'],
    ['<http://api.example.com/v1/x?page=5>; rel=next', '5'],
  ])('%s', (header, cursor) => expect(pages.next(answer([], { link: header }), {}, BASE)).toBe(cursor))

  test.each([
    'https://evil.example/x?page=2',
    'https://api.example.com:8443/x?page=2',
    'ftp://api.example.com/x?page=2',
    'https://me@api.example.com/x?page=2',
  ])('refuses %s', (address) =>
    expect(() => pages.next(answer([], { link: `<${address}>; rel="next"` }), {}, BASE)).toThrow(
      /does not lead to the server/,
    ),
  )
})

test('a next address gives its paging values only', () => {
  const cursor = odata(size).next(
    answer({ '@odata.nextLink': `${BASE}/me/messages?$skip=10&$skiptoken=a%3Db&$filter=evil` }),
    {},
    BASE,
  )
  expect(cursor).toBe('%24skiptoken=a%3Db&%24skip=10')
  expect(valuesOf(odata(size), cursor ?? '')).toEqual({ $skiptoken: 'a=b', $skip: '10' })
  expect(nextAddress('_links.next', 'cursor').next(answer({ _links: { next: '/wiki/x?cursor=abc' } }), {}, BASE)).toBe(
    'abc',
  )
})

test.each(['$filter=evil', '$skip=1&$filter=evil', 'nothing', ''])('the forged cursor "%s" is refused', (cursor) => {
  expect(() => valuesOf(odata(size), cursor)).toThrow(/not one that this tool returned/)
})

test('a token ends where it is empty or where nothing is left', () => {
  const pages = token('next', 'after', size, 'has_more')
  expect(pages.next(answer({ next: 'a', has_more: true }), {}, BASE)).toBe('a')
  expect(pages.next(answer({ next: 'a', has_more: false }), {}, BASE)).toBeUndefined()
  expect(pages.next(answer({ next: '' }), {}, BASE)).toBeUndefined()
})

test('an offset counts the items', () => {
  const pages = offset('values', 'startAt', size, { total: 'total', last: 'isLast' })
  expect(pages.next(answer({ values: [1, 2], total: 5 }), { startAt: 2 }, BASE)).toBe('4')
  expect(pages.next(answer({ values: [1], total: 5 }), { startAt: 4 }, BASE)).toBeUndefined()
  expect(pages.next(answer({ values: [1, 2], isLast: true }), {}, BASE)).toBeUndefined()
  expect(pages.next(answer({ values: [1] }), { limit: 2 }, BASE)).toBeUndefined()
  expect(valuesOf(pages, '4')).toEqual({ startAt: 4 })
  expect(() => valuesOf(pages, '-4')).toThrow(/cursor/)
})

test('a page number ends at the last page', () => {
  const pages = page('paging.pages', 'page', size)
  expect(pages.next(answer({ paging: { pages: 3 } }), { page: 2 }, BASE)).toBe('3')
  expect(pages.next(answer({ paging: { pages: 3 } }), { page: 3 }, BASE)).toBeUndefined()
})
