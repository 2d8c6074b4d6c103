import { expect, test } from 'vitest'
import { withoutPrefix, withPrefix } from './organization-path.ts'

const at = (path: string) => new URL(path, 'http://gateway.test')
const shown = ({ pathname, search, hash }: URL) => pathname + search + hash

test.each([
  ['/o/acme', '/?org=acme'],
  ['/o/acme/connections/crm?tab=tools', '/connections/crm?tab=tools&org=acme'],
  ['/o/acme/records?actor_id=key_1#main', '/records?actor_id=key_1&org=acme#main'],
])('the organization is in the path: %s', (path, inside) => {
  expect(shown(withoutPrefix(at(path)))).toBe(inside)
  expect(shown(withPrefix(at(inside)))).toBe(path)
})

test.each(['/', '/connections?search=a', '/o/', '/o/a%2Fb/keys', '/other/o/acme'])(
  'an address that names none stays as it is: %s',
  (path) => {
    expect(shown(withoutPrefix(at(path)))).toBe(path)
    expect(shown(withPrefix(at(path)))).toBe(path)
  },
)

test('a parameter that is no name of an organization never becomes a path', () => {
  expect(shown(withPrefix(at('/keys?org=..%2F..')))).toBe('/keys?org=..%2F..')
})
