/** Organizations and rules by the command line, beside a gateway that runs and hears of them. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, callTool, textIn } from '../fault/caller.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'

let here: Installation
let running: Running
let key: string
beforeAll(async () => {
  here = await makeInstallation()
  running = await here.start()
  key = await here.localKey()
})
afterAll(() => here[Symbol.asyncDispose]())
const patiently = { interval: 50 }

describe('rules', () => {
  test('block a tool at once, say why, and are taken back', async () => {
    const endpoint = { url: `${running.address}/mcp`, key }
    const names = async () => {
      const { message } = await ask(endpoint, 'tools/list')
      return ((message.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
    }
    await expect.poll(names, patiently).toContain('demo__calculate')
    const added = (await here.json(['rule', 'add', '*CALC*', '--reason', 'Nobody counts here'])) as { id: string }
    expect(added).toMatchObject({ action: 'block', tool_name_pattern: '*CALC*', created_by: 'command line' })
    await expect.poll(names, patiently).not.toContain('demo__calculate')
    expect(textIn(await callTool(endpoint, 'demo__calculate', { expression: '1+1' }))).toContain('Nobody counts here')
    expect((await here.run(['rule', 'list'])).out).toMatch(
      new RegExp(`${added.id} +block +\\*CALC\\* +any +yes +Nobody`),
    )
    expect(await here.run(['rule', 'remove', added.id])).toMatchObject({ code: 0, err: '' })
    await expect.poll(names, patiently).toContain('demo__calculate')
    expect(await here.run(['rule', 'remove', added.id])).toMatchObject({
      code: 1,
      err: `There is no rule "${added.id}"; \`toolway rule list\` lists the rules.\n`,
    })
    expect(await here.run(['rule', 'add', 'dele?e', '--reason', 'x'])).toMatchObject({ code: 2, out: '' })
  })
})

describe('organizations', () => {
  test('are made, changed, left out and removed', async () => {
    expect(await here.json(['org', 'add', 'acme', '--name', 'Acme Ltd', '--allow-processes'])).toMatchObject({
      slug: 'acme',
      name: 'Acme Ltd',
      active: true,
      settings: { allow_processes: true },
    })
    expect(await here.run(['org', 'add', 'acme'])).toMatchObject({
      code: 1,
      err: 'An organization "acme" already exists. Choose another slug.\n',
    })
    expect(await here.run(['org', 'add', 'Acme'])).toMatchObject({ code: 2 })
    const made = (await here.json(['key', 'add', 'first', '-o', 'acme'])) as { key: string }
    const endpoint = { url: `${running.address}/o/acme/t/default/mcp`, key: made.key }
    const status = async () => (await callTool(endpoint, 'nothing', {})).status
    await expect.poll(status, patiently).toBe(200)
    expect(await here.json(['org', 'change', 'acme', '--no-active', '--no-allow-processes'])).toMatchObject({
      name: 'Acme Ltd',
      active: false,
      settings: { allow_processes: false },
    })
    await expect.poll(status, patiently).toBe(404)
    expect((await here.run(['org', 'list'])).out).toMatch(/^acme +Acme Ltd +no +-$/m)
    const places = ['org', 'egress', 'acme']
    expect((await here.run(places)).out).toContain('reach public addresses only')
    expect(await here.json([...places, '--allow', '10.1.0.0/16', '*.corp.example'])).toEqual({
      organization: 'acme',
      networks: ['10.1.0.0/16'],
      hosts: ['*.corp.example'],
    })
    expect(await here.json([...places, '--forbid', '10.1.0.0/16', '--allow', 'fd12::/32'])).toMatchObject({
      networks: ['fd12::/32'],
      hosts: ['*.corp.example'],
    })
    for (const [wrong, says] of [
      [['--allow', '8.8.8.0/24'], 'not entirely within a private network'],
      [['--allow', '169.254.0.0/16'], 'not entirely within a private network'],
      [['--allow', '169.254.169.254'], 'is not a name such as'],
      [['--forbid', '10.9.0.0/16'], 'is not one of the allowed entries'],
    ] as const) {
      const { code, err } = await here.run([...places, ...wrong])
      expect([code !== 0, err]).toEqual([true, expect.stringContaining(says)])
    }
    expect((await here.run(places)).out).toContain('fd12::/32, *.corp.example')
    expect(await here.run(['org', 'remove', 'acme'])).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
    expect(await here.run(['org', 'remove', 'acme', '--yes'])).toMatchObject({ code: 0, err: '' })
    await expect.poll(status, patiently).toBe(401)
    expect(await here.run(['connection', 'list', '-o', 'acme'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('`toolway org add acme` creates it.'),
    })
  })
})
