/**
 * The environment and limits of a server that is started here: its own environment, a memory limit, and an end that includes all
 * the processes it started.
 */
// @module-tag long
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { callTool, type RawPeer } from '../peers/clients/raw-client.ts'
import { until } from '../peers/until.ts'

const SCRIPT = join(import.meta.dirname, '../peers/servers/greedy.script.ts')
const World = z.object({ environment: z.record(z.string(), z.string()), cwd: z.string(), born: z.number() })
/** On the command line of a server and of what it starts: its process ids are those of its own namespace. */
const markOf = (alias: string) => `greedy-${alias}-${process.pid}`

/** Processes of this machine that have the mark on their command line. */
function marked(mark: string): number {
  const words = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    } catch {
      return [] // it ended while we looked
    }
  }
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && words(name).includes(mark)).length
}
const greedy = (alias: string) => ({
  alias,
  wire: {
    kind: 'process' as const,
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', SCRIPT, markOf(alias)],
    environment: { DECLARED: `for ${alias}` },
  },
})

let gateway: TestGateway
beforeAll(async () => {
  vi.stubEnv('SECRET_KEY', 'planted in the gateway')
  gateway = await openGateway({
    connections: ['one', 'other', 'filling', 'bearing', 'shouting'].map(greedy),
    settings: { TOOLWAY_CHILD_MEMORY: '256' },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

const peer = (): RawPeer => ({ url: gateway.url, key: gateway.key, era: 'modern' })
const call = async (tool: string, mebibytes = 0) =>
  (await callTool(peer(), tool, { mebibytes })).answer.result?.content?.[0]?.text ?? ''
const worldOf = async (alias: string) => World.parse(JSON.parse(await call(`${alias}__world`)))
const reasonOf = (alias: string) =>
  gateway.log.filter(
    ({ message, facts }) => message === 'a stdio server ended' && String(facts['child']).startsWith(`${alias}.`),
  )

describe('S3-EXT-08: a server that is started here', () => {
  test('sees PATH, LANG, a home, folders and an npm cache of its own, what was declared, and nothing else', async () => {
    const worlds = await Promise.all(['one', 'other'].map(worldOf))
    for (const [at, { environment, cwd }] of worlds.entries()) {
      const { PATH, LANG, HOME = '', TMPDIR, npm_config_cache, ...rest } = environment
      // The way out of a confined server.
      const declared = Object.entries(rest).filter(([name]) => !/_proxy$/i.test(name) && name !== 'NODE_USE_ENV_PROXY')
      expect(declared).toEqual([['DECLARED', `for ${at === 0 ? 'one' : 'other'}`]])
      expect(PATH).toBe(process.env['PATH'])
      expect(LANG).toBeTypeOf('string')
      expect(TMPDIR).toMatch(/^\/tmp\/toolway-\w{6}$/)
      for (const folder of [npm_config_cache, cwd]) expect(folder?.startsWith(`${HOME}/`)).toBe(true)
      expect(JSON.stringify(environment)).not.toContain('planted')
    }
    expect(new Set(worlds.map(({ environment }) => environment['HOME'])).size).toBe(2)
  })

  test('may hold so much memory: one that holds more is ended with the reason, and is there again', async () => {
    const { born } = await worldOf('filling')
    expect(await call('filling__fill', 50)).toBe('done')
    expect((await worldOf('filling')).born).toBe(born)
    await call('filling__fill', 300)
    await until('the reason is told', () =>
      reasonOf('filling').some(({ facts }) => facts['reason'] === 'TOO_MUCH_MEMORY'),
    )
    expect((await worldOf('filling')).born).not.toBe(born)
    expect(reasonOf('one')).toEqual([])
  })

  test('answers for the memory of what it started too, and that ends with it', async () => {
    await call('bearing__bear', 1)
    expect(marked(markOf('bearing'))).toBeGreaterThan(1)
    await call('bearing__bear', 300)
    await until('all of it is ended', () => marked(markOf('bearing')) === 0)
    await until('the reason is told', () => reasonOf('bearing').length > 0)
    expect(reasonOf('bearing').map(({ facts }) => facts['reason'])).toEqual(['TOO_MUCH_MEMORY'])
  })

  test('may say lines of 8 MiB: one that says a longer one is ended with the reason', async () => {
    expect(await call('shouting__shout', 9)).toContain('a line that is longer than the limit, and was stopped')
    await until('it is ended', () => marked(markOf('shouting')) === 0)
    await until('the reason is told', () => reasonOf('shouting').length > 0)
    expect(reasonOf('shouting').map(({ facts }) => facts['reason'])).toEqual(['LINE_TOO_LONG'])
  })
})
