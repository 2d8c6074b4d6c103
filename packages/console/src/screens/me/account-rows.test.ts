import type { AccountInPlace, Connection } from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { accountRowsOf } from './account-rows.ts'

const connection = (alias: string, words: object = {}) =>
  ({
    ...{ alias, title: 'GitHub', enabled: true, status: 'connected', needs: null },
    auth: { kind: 'oauth', owners: ['member', 'organization'], accounts: 'one' },
    ...words,
  }) as unknown as Connection
const account = (alias: string, user: string | null, state = 'good') =>
  ({
    id: `${alias} ${user}`,
    connection: alias,
    owner: user === null ? 'organization' : 'member',
    user_id: user,
    state,
  }) as unknown as AccountInPlace

test('a connection that a shared account serves is shared, and what needs its member comes first', () => {
  const rows = accountRowsOf(
    [
      connection('github'),
      connection('github-2', { needs: 'account', status: 'needs_auth' }),
      connection('github-3'),
      connection('gitlab', { needs: 'app', status: 'needs_auth' }),
      connection('mail', { needs: 'credential', status: 'needs_auth' }),
      connection('open', { auth: null }),
      connection('off', { enabled: false, needs: null, status: 'disabled' }),
    ],
    [
      account('github', null),
      account('github-3', 'ada'),
      account('github-3', null),
      account('mail', 'ada', 'lost'),
      account('github', 'bob'),
    ],
    'ada',
  )
  expect(rows.map(({ kind, connection: { alias } }) => `${kind} ${alias}`)).toEqual([
    ...['needed github-2', 'needed mail', 'noApp gitlab', 'yours github-3', 'shared github'],
  ])
})

test('several accounts of a member are a row each', () => {
  const two = [account('mail', 'ada'), { ...account('mail', 'ada'), id: 'other' }]
  expect(accountRowsOf([connection('mail')], two, 'ada').map(({ kind }) => kind)).toEqual(['yours', 'yours'])
})
