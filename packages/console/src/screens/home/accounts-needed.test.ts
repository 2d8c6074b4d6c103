import { expect, test } from 'vitest'
import { accountsNeededBy } from './accounts-needed.ts'

const connection = (title: string, more: object = {}) =>
  ({ title, enabled: true, needs: 'account', auth: { owners: ['member', 'organization'] }, ...more }) as never

test('a new member is told the services that need an account of theirs, and no others', () => {
  const connections = [
    connection('Mail'),
    connection('Shared', { needs: null }),
    connection('Off', { enabled: false }),
    connection('Ours', { auth: { owners: ['organization'] } }),
    connection('No app', { needs: 'app' }),
    connection('No accounts', { auth: null }),
  ]
  expect(accountsNeededBy('usr_ada', connections, [])).toEqual({ titles: ['Mail'], concerns: true })
  // A key is nobody, and has no account.
  expect(accountsNeededBy(undefined, connections, []).concerns).toBe(false)
})

test('the step is done by who has connected all, and is not there where accounts concern nobody', () => {
  expect(accountsNeededBy('usr_ada', [], [{ user_id: 'usr_ada' }])).toEqual({ titles: [], concerns: true })
  expect(accountsNeededBy('usr_ada', [], [{ user_id: 'usr_bob' }, { user_id: null }]).concerns).toBe(false)
})
