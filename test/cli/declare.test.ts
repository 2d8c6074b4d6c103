/** A declaration file is the truth for what it names: start after start, and for nothing else. */
// @module-tag long
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findEmbeddedPostgres } from '../../packages/gateway/src/db/embedded-postgres.ts'
import pg from 'pg'
import { expect, test } from 'vitest'
import { ask, callTool, textIn } from '../fault/caller.ts'
import { makeInstallation, type Installation } from './installation.ts'

const CHILD = join(import.meta.dirname, '../fault/faulty-child.script.ts')
const key = (digit: string) => `uru_${digit.repeat(64)}`
const patiently = { interval: 50 }

const WHOLE = `
connections:
  child:
    title: A child
    command: '${process.execPath}'
    args: ['${CHILD}', well]
    environment: { TOKEN: { env: CHILD_TOKEN } }
    revision: '2025-11-25'
toolsets:
  few:
    connections: [child]
    include: ['child__g*']
keys:
  everything: { value: '${key('a')}' }
  narrow: { value: { env: NARROW_KEY }, toolset: few }
organizations:
  acme:
    name: Acme
    connections:
      other: { url: 'http://127.0.0.1:1/mcp', enabled: false }
    keys:
      theirs: { value: '${key('c')}' }
`
const SECRETS = { CHILD_TOKEN: 'hunter2hunter2', NARROW_KEY: key('b') }

async function rows({ data }: Installation, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(await findEmbeddedPostgres({ directory: data }))
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
const everything = async (here: Installation) => ({
  connections: await rows(here, 'select id, alias, origin, updated_at from connections order by alias'),
  keys: await rows(here, 'select id, name, origin from keys order by name'),
  toolsets: await rows(here, 'select id, slug from toolsets order by slug'),
  organizations: await rows(here, 'select id, slug, name from organizations order by slug'),
})

test(
  'declares organizations, connections, toolsets and keys; unchanged it changes nothing, and what it no longer names is gone',
  { timeout: 300_000 },
  async () => {
    await using here = await makeInstallation(SECRETS)
    const file = join(here.folder, 'toolway.yaml')
    await writeFile(file, WHOLE)
    const settings = { TOOLWAY_CONFIG: file }

    const first = await here.start(settings)
    const names = async (url: string, own: string) => {
      const { status, message } = await ask({ url, key: own }, 'tools/list')
      const tools = (message.result?.['tools'] ?? []) as { name: string }[]
      return status === 200 ? tools.map(({ name }) => name) : status
    }
    const joined = `${first.address}/mcp`
    await expect
      .poll(() => names(joined, key('a')), patiently)
      .toEqual(expect.arrayContaining(['child__good', 'child__silent', 'demo__calculate']))
    // A key of a toolset sees that and nothing else; one of another organization sees nothing of this.
    expect(await names(joined, key('b'))).toEqual(['child__good', 'child__garbage'])
    expect(await names(`${first.address}/o/default/t/default/mcp`, key('b'))).toBe(404)
    expect(await names(joined, key('c'))).toEqual([])
    expect(await names(`${first.address}/o/default/t/few/mcp`, key('c'))).toBe(404)
    expect(textIn(await callTool({ url: joined, key: key('b') }, 'child__good'))).toBe('done')
    expect(await here.run(['connection', 'remove', 'child'])).toMatchObject({
      code: 1,
      err: 'The connection "child" is defined in the TOOLWAY_CONFIG file: remove it there.\n',
    })
    expect(await first.stop()).toBe(0)
    expect(first.err()).not.toMatch(/hunter2|uru_[0-9a-f]{64}/)

    const second = await here.start(settings)
    const before = await everything(here)
    expect(before.connections.map(({ alias, origin }) => [alias, origin])).toEqual([
      ['child', 'file'],
      ['demo', 'first run'],
      ['other', 'file'],
    ])
    await second.stop()
    const third = await here.start(settings)
    expect(await everything(here)).toEqual(before)
    await third.stop()

    // A value that changed is taken over, even one whose end looks the same; a new secret makes a new connection of the old one.
    const rotated = `uru_${'d'.repeat(60)}aaaa`
    await writeFile(file, WHOLE.replace(key('a'), rotated))
    const fourth = await here.start({ ...settings, CHILD_TOKEN: 'another-secret' })
    const after = await everything(here)
    const at = (all: typeof before, alias: string) => all.connections.find((one) => one['alias'] === alias)
    expect(at(after, 'child')?.['id']).toBe(at(before, 'child')?.['id'])
    expect(at(after, 'child')?.['updated_at']).not.toEqual(at(before, 'child')?.['updated_at'])
    expect(at(after, 'other')).toEqual(at(before, 'other'))
    expect(await names(`${fourth.address}/mcp`, key('a'))).toBe(401)
    await expect.poll(() => names(`${fourth.address}/mcp`, rotated), patiently).toContain('child__good')
    await fourth.stop()

    await writeFile(file, 'connections: {}\n')
    const fifth = await here.start(settings)
    const left = await everything(here)
    expect(left.connections.map(({ alias }) => alias)).toEqual(['demo'])
    expect(left.keys.map(({ name }) => name)).toEqual(['command line', 'first'])
    expect(left.toolsets).toEqual([])
    await fifth.stop()
  },
)
