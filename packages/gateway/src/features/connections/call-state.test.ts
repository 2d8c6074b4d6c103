import { ConnectionSettings } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { checkConnection } from '../../cli/doctor.ts'
import type { CallAccount } from '../../credentials/call-accounts.ts'
import { callStateOf, type CallFacts } from './call-state.ts'

const KINDS = {
  native: { connector: 'native', vendor: 'github', url: 'https://api.github.com' },
  openapi: { connector: 'openapi', url: 'https://shop.example' },
  remote: { connector: 'mcp.http', url: 'https://mcp.example/' },
} as const

/** As it is when its tools are known, which for two of the kinds needs no request to its server. */
const rowOf = (kind: keyof typeof KINDS, auth: object, status = 'connected') => ({
  settings: ConnectionSettings.parse({ ...KINDS[kind], auth }),
  enabled: true,
  status,
  status_reason: status === 'connected' ? null : 'HTTP 401',
})

const account = (words: Partial<CallAccount> = {}): CallAccount => ({
  connection_id: 'con_1' as CallAccount['connection_id'],
  ...{ own: true, kind: 'oauth', account: 'default', is_default: true, problem: null, proven: true },
  ...words,
})
const facts = (words: Partial<CallFacts> & Pick<CallFacts, 'row'>): CallFacts => ({
  ...{ hasOwnHeader: false, accounts: [], people: 0, members: 12, hasApp: true },
  ...words,
})

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('what is said of a connection (%s)', (kind) => {
  const oauth = rowOf(kind, { kind: 'oauth', provider: kind === 'native' ? 'github' : undefined })
  const key = rowOf(kind, { kind: 'key' })
  test.each<[string, CallFacts, object]>([
    [
      'needs an OAuth app before anybody can sign in',
      facts({ row: oauth, hasApp: false }),
      { status: 'needs_auth', needs: 'app' },
    ],
    ['needs an account while nobody has one', facts({ row: oauth }), { status: 'needs_auth', needs: 'account' }],
    [
      'needs an account of this caller where only others have one',
      facts({ row: oauth, people: 3 }),
      {
        status: 'needs_auth',
        needs: 'account',
        people: { connected: 3, members: 12 },
        reason: expect.stringContaining('(3 of 12)'),
      },
    ],
    ['needs a key', facts({ row: key }), { status: 'needs_auth', needs: 'account' }],
    [
      'is refused',
      facts({ row: oauth, accounts: [account({ problem: 'the server refuses it' })] }),
      { needs: 'credential' },
    ],
    [
      'is connected by an account of their own',
      facts({ row: oauth, accounts: [account()] }),
      { status: 'connected', needs: null },
    ],
    [
      'is connected by the shared one',
      facts({ row: oauth, accounts: [account({ own: false })] }),
      { status: 'connected', needs: null },
    ],
    [
      'is refused by an own account that is lost, though the shared one works: calls use the own',
      facts({ row: oauth, accounts: [account({ problem: 'gone' }), account({ own: false })] }),
      { needs: 'credential' },
    ],
    [
      'is connected by an own account where the shared one is lost',
      facts({
        row: { ...oauth, status: 'needs_auth' },
        accounts: [account(), account({ own: false, problem: 'gone' })],
      }),
      { status: 'connected', needs: null },
    ],
    ['is off', facts({ row: { ...oauth, enabled: false } }), { status: 'disabled', needs: null }],
    [
      'is off, and what was noted of its sandbox is not told',
      facts({ row: { ...oauth, enabled: false, status_reason: 'It could not read /home/ann.' } }),
      { status: 'disabled', reason: null },
    ],
    [
      'is served by no account of another way in',
      facts({ row: key, accounts: [account({ kind: 'oauth' })] }),
      { status: 'needs_auth', needs: 'account' },
    ],
    [
      'is not called connected by a key that nobody has tried',
      facts({ row: key, accounts: [account({ kind: 'key', proven: false })] }),
      { status: kind === 'remote' ? 'connected' : 'new', needs: null },
    ],
    [
      'does not respond',
      facts({ row: { ...oauth, status: 'error' }, accounts: [account()] }),
      { status: 'error', needs: null },
    ],
  ])('%s', (_, found, expected) => {
    const state = callStateOf(found)
    expect(state).toMatchObject(expected)
    // `toolway doctor` is of the same mind, for nobody in particular.
    const [line] = checkConnection({ alias: 'web' }, state)
    const isSomebodys = (state.people?.connected ?? 0) > 0 && state.needs === 'account'
    expect(line?.state === 'good').toBe(state.status === 'connected' || isSomebodys)
    if (state.needs !== null) expect(state.reason?.length ?? 0).toBeGreaterThan(5)
  })
})

test('a server that asks for nothing is connected without any account, and one that then does is not', () => {
  const auto = { kind: 'auto' }
  expect(callStateOf(facts({ row: rowOf('remote', auto) }))).toMatchObject({ status: 'connected', people: null })
  expect(callStateOf(facts({ row: rowOf('remote', auto, 'needs_auth') }))).toMatchObject({ needs: 'account' })
  expect(callStateOf(facts({ row: rowOf('remote', auto), people: 1 }))).toMatchObject({ needs: 'account' })
  const headed = facts({ row: rowOf('remote', auto, 'needs_auth'), hasOwnHeader: true })
  expect(callStateOf(headed)).toMatchObject({ status: 'needs_auth', needs: 'credential' })
  const keyed = facts({ row: rowOf('remote', auto, 'needs_auth'), hasOwnKey: true })
  expect(callStateOf(keyed)).toMatchObject({ status: 'needs_auth', needs: 'credential' })
  // Somebody has signed in all the same: then it is accounts that it wants.
  expect(callStateOf({ ...keyed, people: 1 })).toMatchObject({ needs: 'account' })
})
