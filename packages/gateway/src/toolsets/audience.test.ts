import { Audience, type PrincipalFacts } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { isFor } from './audience.ts'
import { SUPPLIED, withSupplied } from './supplied-toolsets.ts'

const NOBODY: PrincipalFacts = {
  id: 'key_1',
  kind: 'key',
  role: 'tenant_member',
  email: '',
  groups: [],
  key: '',
  keyId: '',
  client: '',
  clientRegistered: false,
}

describe('an audience', () => {
  const audience = Audience.parse({
    roles: ['tenant_admin'],
    groups: ['finance'],
    members: ['Ada@Example.com'],
    keys: ['batch', 'key_7'],
  })
  test.each<[Partial<PrincipalFacts>, boolean]>([
    [{}, false],
    [{ role: 'tenant_admin' }, true],
    // Said is what is meant: who is more is not in by that.
    [{ role: 'platform_admin' }, false],
    [{ groups: ['sales', 'finance'] }, true],
    [{ groups: ['sales'] }, false],
    [{ email: 'ada@example.com' }, true],
    [{ email: 'eve@example.com' }, false],
    [{ key: 'batch' }, true],
    [{ keyId: 'key_7' }, true],
    [{ key: 'other', keyId: 'key_8' }, false],
  ])('of %j is in: %s', (who, is) => {
    expect(isFor(audience, { ...NOBODY, ...who })).toBe(is)
  })

  test('of groups alone has nobody in of whom no groups are known', () => {
    expect(isFor(Audience.parse({ groups: ['finance'] }), NOBODY)).toBe(false)
  })
})

test('what is made stands in the place of what is supplied, and all are in order', () => {
  const made = [{ slug: 'zebra' }, { slug: 'read-only', own: true }, { slug: 'a' }]
  expect(withSupplied(made).map(({ slug }) => slug)).toEqual(['a', 'admin', 'read-only', 'standard', 'zebra'])
  expect(withSupplied(made).find(({ slug }) => slug === 'read-only')).toEqual({ slug: 'read-only', own: true })
  expect(withSupplied([])).toEqual(SUPPLIED.toSorted((one, other) => (one.slug < other.slug ? -1 : 1)))
})
