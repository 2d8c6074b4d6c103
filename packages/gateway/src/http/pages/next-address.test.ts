import { expect, test } from 'vitest'
import { nextOf } from './next-address.ts'

test.each(['/', '/sign-ins', '/a/b?c=d&e=%2F#f', '/oauth/authorize?redirect_uri=https%3A%2F%2Fx.example%2Fcb'])(
  '%j is a place here',
  (path) => expect(nextOf(path)).toBe(path),
)

test.each([
  undefined,
  '',
  'a',
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  'javascript:alert(1)',
  ' //evil.example',
  `/${'x'.repeat(5000)}`,
  '/sign-in',
  '/sign-in/provider/idp_1',
  '/sign-in/%6fidc',
  '/%73ign-in/oidc?x=1',
  '/a/../sign-in/oidc',
])('%j leads away, or nowhere', (path) => expect(nextOf(path)).toBeUndefined())
