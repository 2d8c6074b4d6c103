import { expect, test } from 'vitest'
import type { Notice } from '../db/db.ts'
import { hearDatabaseNotifications } from './database-notifications.ts'

/** Records the notifications of the database, and their effects. */
async function fixture() {
  const done: string[] = []
  let hear: (notice: Notice) => void = () => {}
  const note =
    (what: string) =>
    (...words: readonly unknown[]): undefined =>
      void done.push([what, ...words.filter((word) => word !== undefined)].join(' '))
  const later = (what: string) => () => Promise.resolve(note(what)())
  const core = {
    db: {
      listen: (_: string, onNotice: (notice: Notice) => void) => {
        hear = onNotice
        return Promise.resolve({ close: () => Promise.resolve() })
      },
      system: () => Promise.resolve([]),
    },
    log: { debug: note('log'), info: note('log'), warn: note('log'), error: note('log') },
    opened: { defer: () => {} },
    counters: { loseChanges() {} },
  } as unknown as Parameters<typeof hearDatabaseNotifications>[0]
  await hearDatabaseNotifications(core, {
    outboxOwner: 'a-test',
    upstreams: { stop: later('stop') },
    keepSessions: { endedElsewhere: note('session') },
    pages: { hear: ({ reader, connection }) => note('page')(reader, connection) },
    sharedStreams: { hear: ({ reader, state }) => note('stream')(reader, state), lost: note('streams lost') },
    identity: { forget: note('keys') },
    ended: { add: note('sign-in') },
    open: { recheck: note('recheck') },
    snapshots: {
      signal: (id, changed) => note('snapshot')(id, changed?.table, changed?.ids?.join(' and '), changed?.version),
      settled: () => Promise.resolve(),
    },
    credentials: { changed: note('credentials') },
    events: {
      hear: ({ alert, event, records }) => note('event')(records === true ? 'records' : (alert ?? event?.action)),
      lost: note('events lost'),
    },
    approvals: { hear: (id) => note('approval')(id) },
    wakeWebhooks: note('webhooks'),
    wakeStreams: () => {},
    stream: undefined,
    reloadPeople: (ids) => Promise.resolve(note('people')(ids?.join(' and '))),
    reloadRules: later('rules'),
    reloadVault: undefined,
  })
  const said = (facts: object) => {
    done.length = 0
    hear({ kind: 'payload', payload: JSON.stringify(facts) })
    return [...done]
  }
  return { said, hear: () => hear, done }
}

test('a change of credentials or OAuth apps drops what is open of them, and loads no organization anew', async () => {
  const { said } = await fixture()
  expect(said({ organization: 'org_1', table: 'credentials' })).toEqual(['credentials org_1'])
  expect(said({ organization: 'org_1', table: 'oauth_apps' })).toEqual(['credentials org_1'])
  expect(said({ organization: 'org_1', table: 'alerts' })).toEqual([])
  expect(said({ organization: 'org_1', table: 'oauth_flows' })).toEqual([])
  expect(said({ organization: 'org_1', table: 'connections' })).toEqual(['snapshot org_1 connections'])
  const named = { organization: 'org_1', table: 'connections', ids: ['con_1', 'con_2'] }
  expect(said(named)).toEqual(['snapshot org_1 connections con_1 and con_2'])
  expect(said({ organization: 'org_1', version: 7 })).toEqual(['snapshot org_1 7'])
})

test('changed people whom a notice names are read anew, and all where it names none', async () => {
  const { said } = await fixture()
  expect(said({ table: 'users', ids: ['usr_1', 'usr_2'] })).toEqual(['people usr_1 and usr_2'])
  expect(said({ table: 'users' })).toEqual(['people'])
})

test('a page of an app that was read at another gateway ends no session', async () => {
  const { said } = await fixture()
  const page = { organization: 'org_1', reader: 'ab', connection: 'con_1' }
  expect(said({ table: 'sessions', page })).toEqual(['page ab con_1'])
  expect(said({ table: 'sessions', ended: 'ab' })).toEqual(['session ab'])
})

test('what happened to a connection, and an alert, is told to followers and webhooks, and loads nothing', async () => {
  const { said } = await fixture()
  const event = { id: 'con_1', action: 'updated' }
  expect(said({ organization: 'org_1', event })).toEqual(['event updated', 'webhooks'])
  expect(said({ organization: 'org_1', alert: 'alr_1' })).toEqual(['event alr_1', 'webhooks'])
})

test('new records are told to followers alone', async () => {
  const { said } = await fixture()
  expect(said({ organization: 'org_1', records: true })).toEqual(['event records'])
})

test('after a break of the line, everything may have changed, credentials too', async () => {
  const { hear, done } = await fixture()
  hear()({ kind: 'reconnected' })
  expect(done).toEqual(expect.arrayContaining(['credentials', 'snapshot', 'keys', 'events lost', 'webhooks']))
})
