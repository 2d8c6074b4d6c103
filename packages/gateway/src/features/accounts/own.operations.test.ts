import { ConnectionSettings, type ConnectionId } from '@toolway/contract'
import { expect, test } from 'vitest'
import type { PlacedAccount } from './account-form.ts'
import { ownRowsOf, toOwnAccount, type OwnConnection } from './own.operations.ts'

const connection = (alias: string, { enabled = true, kind = 'oauth' } = {}): OwnConnection => ({
  ...{ id: alias as ConnectionId, alias, title: 'GitHub', enabled },
  settings: ConnectionSettings.parse({ connector: 'mcp.http', url: 'https://mcp.example/mcp', auth: { kind } }),
})
const account = (alias: string, user: string | null, words: object = {}) =>
  ({
    ...{ id: `${alias} ${user}`, connection: alias, user_id: user, problem: null, expires_at: null, renewable: true },
    ...{ active: true, failures: 0 },
    ...words,
  }) as unknown as PlacedAccount

const well = { status: 'connected', needs: null, reason: null } as const

test('a connection that a shared account serves is shared, and what needs its member comes first', () => {
  const needs = { 'github-2': 'account', gitlab: 'app', mail: 'credential' } as const
  const rows = ownRowsOf(
    [
      ...['github', 'github-2', 'github-3', 'gitlab', 'mail'].map((alias) => connection(alias)),
      ...[connection('open'), connection('off', { enabled: false }), connection('off-with-own', { enabled: false })],
    ],
    [
      ...[account('github', null), account('github-3', 'ada'), account('github-3', null), account('off', null)],
      ...[account('mail', 'ada', { problem: 'it was revoked' }), account('off-with-own', 'ada')],
    ],
    ({ alias }) => ({ ...well, needs: needs[alias as keyof typeof needs] ?? null }),
  )
  expect(rows.map(({ kind, row: { alias } }) => `${kind} ${alias}`)).toEqual([
    ...['needed github-2', 'needed mail', 'no_app gitlab', 'yours github-3', 'yours off-with-own', 'shared github'],
  ])
})

test('several accounts of a member are a row each, and one that ran out is needed', () => {
  const ended = account('mail', 'ada', { expires_at: new Date(0), renewable: false })
  const rows = ownRowsOf([connection('mail')], [account('mail', 'ada'), account('mail', 'ada'), ended], () => well)
  expect(rows.map(({ kind }) => kind)).toEqual(['needed', 'yours', 'yours'])
})

test('what the sandbox of a program keeps from it is not told with its account', () => {
  const state = { status: 'connected', needs: null, reason: 'It could not read /home/ann.' } as const
  const row = { kind: 'shared', row: connection('tool'), state, account: undefined } as const
  expect(toOwnAccount(row, () => undefined).connection.status_reason).toBeNull()
})
