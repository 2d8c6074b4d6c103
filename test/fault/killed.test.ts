/**
 * Tests a gateway that is killed twenty times at different moments: in its first start, in later ones, right after its screen,
 * and under load. Each time no process is left behind, acknowledged changes are stored, and the next start works.
 */
// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises'
import { findEmbeddedPostgres } from '../../packages/gateway/src/db/embedded-postgres.ts'
import pg from 'pg'
import { expect, test } from 'vitest'
import { makeInstallation, type Installation, type Running, type Starting } from '../cli/installation.ts'
import { callTool, requestOf, type Target } from './caller.ts'
import { followFamily } from './family.ts'
import { PATIENCE_MS } from '../../packages/gateway/src/testing/patience.ts'

const KEY_FORM = /uru_[0-9a-f]{64}/

interface Story {
  readonly here: Installation
  /** Names of keys and correlation ids of records that were acknowledged. */
  readonly keys: string[]
  readonly records: string[]
  /** The first key that a start wrote. */
  shown: string | undefined
}

/** When to kill. Each takes a gateway that begins and comes back at the moment. */
type Moment = (begun: Starting, story: Story) => Promise<void>

/** Somewhere in a start: before, in and after initdb, migrations and the screen. */
const starting =
  (least: number, most: number): Moment =>
  async () =>
    sleep(least + Math.random() * (most - least))

const afterTheScreen: Moment = async (begun, story) => {
  await confirm(await begun.ready(), story)
}

const underLoad: Moment = async (begun, story) => {
  const running = await begun.ready()
  const target = await confirm(running, story)
  const name = `key ${story.keys.length}`
  const added = await story.here.run(['key', 'add', name])
  expect(added, added.err).toMatchObject({ code: 0 })
  story.keys.push(name)
  const { correlation } = await callTool(target, 'demo__calculate', { expression: '6*7' })
  await recorded(story, correlation)
  load(target)
  await sleep(50 + Math.random() * 300)
}

const MEMBERS = [/postgres.*-D/, /\/worker\.(?:ts|mjs)/, /toolway-reaper/, /demo-server\.(?:ts|mjs)/]

/** One directory's life. Five kills, each of them also asks whether the start after the last one works. */
const LIVES: readonly (readonly Moment[])[] = [
  [starting(50, 500), starting(100, 700), afterTheScreen, underLoad, underLoad],
  [starting(300, 900), starting(50, 400), underLoad, afterTheScreen, underLoad],
  [starting(500, 1100), underLoad, starting(100, 500), underLoad, underLoad],
  [starting(100, 900), afterTheScreen, starting(300, 800), underLoad, underLoad],
]

/** The screen is there: some start wrote a key, calls work, and whatever was acknowledged before is still there. */
async function confirm(running: Running, story: Story): Promise<Target> {
  story.shown ??= (await story.here.firstSecrets().catch(() => undefined))?.key
  expect(story.shown, 'a key has been shown by now').toMatch(KEY_FORM)
  const target = { url: `${running.address}/mcp`, key: story.shown }
  await expect.poll(async () => (await callTool(target, 'demo__calculate', { expression: '6*7' })).text).toContain('42')
  const kept = await rows(story, 'select name as word from keys union select correlation_id from records')
  expect(kept).toEqual(expect.arrayContaining([...story.keys, ...story.records]))
  return target
}

async function rows({ here }: Story, text: string): Promise<string[]> {
  const connection = await findEmbeddedPostgres({ directory: here.data })
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query<{ word: string }>(text)).rows.map(({ word }) => word)
  } finally {
    await client.end()
  }
}

/** A record counts as acknowledged once it is in the database. */
async function recorded(story: Story, correlation: string): Promise<void> {
  await expect.poll(() => rows(story, 'select correlation_id as word from records')).toContain(correlation)
  story.records.push(correlation)
}

/** Calls without end on eight lines, a call that takes long and a stream that is open: all of them break off with the gateway. */
function load(target: Target): void {
  const forever = async () => {
    for (;;) await callTool(target, 'demo__hash_text', { text: 'x'.repeat(1000) })
  }
  const { headers, body } = requestOf('subscriptions/listen', { notifications: { toolsListChanged: true } }, target.key)
  const stream = fetch(target.url, { method: 'POST', headers, body }).then((response) => response.text())
  const loads = [...Array.from({ length: 8 }, forever), stream, callTool(target, 'demo__wait_for', { seconds: 20 })]
  for (const one of loads) one.catch(() => {})
}

async function kill(story: Story, moment: Moment): Promise<string[]> {
  const begun = story.here.begin()
  const family = followFamily(begun.pid, story.here.data)
  await moment(begun, story)
  // Still, so that nobody is born between the look and the kill.
  begun.signal('SIGSTOP')
  const before = family.alive()
  begun.signal('SIGKILL')
  // A search that finds nobody proves nothing: under load all of them are there.
  if (moment === underLoad) for (const member of MEMBERS) expect(before).toContainEqual(expect.stringMatching(member))
  await begun.ended
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
    if (family.alive().length === 0) return []
    await sleep(50)
  }
  return family.alive()
}

test('killed at any moment, twenty times, it leaves no process behind, loses nothing it acknowledged, and starts again', async () => {
  let kills = 0
  const live = async (moments: readonly Moment[]) => {
    await using here = await makeInstallation({}, { bare: true })
    const story: Story = { here, keys: [], records: [], shown: undefined }
    for (const moment of moments) {
      expect(await kill(story, moment)).toEqual([])
      kills++
    }
    const last = await here.start()
    await confirm(last, story)
    expect(await last.stop()).toBe(0)
    expect(story.keys.length).toBeGreaterThan(0)
  }
  // Two at a time: each is one process that works and several that wait.
  const [first, second, third, fourth] = LIVES.map((moments) => () => live(moments))
  // Each to its end, whatever becomes of the other: what they started ends with them.
  const ends = await Promise.allSettled([first?.().then(second), third?.().then(fourth)])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  expect(kills).toBe(20)
})
