import { ConnectionAuth } from '@toolway/contract'
import { expect, test } from 'vitest'
import { authTypeOf, NO_ACCOUNTS } from './auth-type.ts'

test('a connection is let in as it is set, and as it has turned out where nobody said', () => {
  const auth = (kind: ConnectionAuth['kind']) => ({
    auth: ConnectionAuth.parse({ kind }),
    headers: [],
    status: 'connected',
  })
  expect(authTypeOf(auth('oauth'))).toBe('oauth')
  expect(authTypeOf(auth('key'))).toBe('api_key')
  expect(authTypeOf(auth('none'))).toBe('none')
  expect(authTypeOf({ ...auth('none'), headers: ['Authorization'] })).toBe('api_key')
  expect(authTypeOf(auth('auto'))).toBe('none')
  expect(authTypeOf({ ...auth('auto'), status: 'needs_auth' })).toBe('oauth')
  expect(authTypeOf(auth('auto'), { ...NO_ACCOUNTS, oauth: true })).toBe('oauth')
  expect(authTypeOf({ auth: null, headers: [], status: 'connected' })).toBe('none')
})
