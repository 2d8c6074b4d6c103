import { expect, test } from 'vitest'
import { pathOf, targetOf } from './request-target.ts'

test.each([
  ['/mcp', '/mcp', undefined],
  ['/mcp?a=/b?c', '/mcp?a=/b?c', undefined],
  ['//evil/mcp', '//evil/mcp', undefined],
  ['http://a:1/mcp?x', '/mcp?x', 'a:1'],
  ['HTTPS://A', '/', 'A'],
  ['http://a?x', '/?x', 'a'],
  ['http://me@a/mcp', '/mcp', 'me@a'],
  ['http:///mcp', '/mcp', ''],
  ['*', '*', undefined],
  ['ftp://a/mcp', 'ftp://a/mcp', undefined],
])('the target %j is %j at the authority %j', (url, origin, authority) => {
  expect(targetOf(url)).toEqual({ origin, authority })
})

test('a path ends before its query', () => {
  expect(['/mcp', '/mcp?', '/mcp?a?b', '*'].map(pathOf)).toEqual(['/mcp', '/mcp', '/mcp', '*'])
})
