/** Commands on the local installation and at the same gateway over HTTP, after `toolway login`: both do and print the same. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeInstallation, type Installation, type Ran } from './installation.ts'

const PASSWORD = 'a long enough password'

let here: Installation
const elsewhere = () => ({ TOOLWAY_DATA: join(here.folder, 'elsewhere') })
const near = (...words: string[]) => here.run(words)
const far = (...words: string[]) => here.run(words, { settings: elsewhere() })

beforeAll(async () => {
  here = await makeInstallation()
  const { address } = await here.start()
  const input = PASSWORD
  const email = 'ada@example.com'
  const added = await here.run(['user', 'add', email, '--password-stdin', '--platform-admin'], { input })
  expect(added).toMatchObject({ code: 0 })
  const words = ['login', '--url', address, '--email', email, '--password-stdin']
  expect(await here.run(words, { input, settings: elsewhere() })).toMatchObject({ code: 0 })
  while (!/^Tools: [1-9]/m.test((await near('toolset', 'show', 'read-only')).out)) await sleep(100)
})
afterAll(() => here[Symbol.asyncDispose]())

/** The same words here and there; what both print. */
async function both(...words: string[]): Promise<Ran> {
  const ran = await near(...words)
  expect(await far(...words), words.join(' ')).toEqual(ran)
  return ran
}

test('toolsets', async () => {
  expect(await far('toolset', 'add', 'sums', '--include', 'demo__calc*')).toMatchObject({
    code: 0,
    out: 'Made the toolset sums: 1 tool, 1 listed. Clients find it at /o/default/t/sums/mcp.\n',
  })
  expect((await both('toolset', 'add', 'sums')).err).toContain('There is a toolset "sums" already')
  expect((await near('toolset', 'change', 'sums', '--for-role', 'tenant_admin')).code).toBe(0)
  expect((await both('toolset', 'show', 'sums')).out).toContain('"audience":{"roles":["tenant_admin"]}')
  await both('toolset', 'list', '--json')
  expect((await far('toolset', 'remove', 'sums')).out).toBe('Removed the toolset sums.\n')
  expect((await both('toolset', 'remove', 'sums')).err).toContain('`toolway toolset list` shows them')
})
