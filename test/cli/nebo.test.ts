/** The nebo preset as its guide has it: an integration by the addresses of the source system, its names, and an approval. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClient, textOf } from '../e2e/peers/clients/client.ts'
import { startEffects, type EffectsServer } from '../e2e/peers/servers/effects-server.ts'
import { blocksOf, readGuide, runBlocks } from './guide-blocks.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'

// The keychain is tested with the vault; on the machine of this test there may be one.
const SETTINGS = { TOOLWAY_PRESET: 'nebo', TOOLWAY_KEYCHAIN: 'off', TOOLWAY_APPROVALS: '' }

describe('the nebo preset', () => {
  let here: Installation
  let running: Running
  let effects: EffectsServer
  let out: string
  let key: string
  let blocks: string[]

  beforeAll(async () => {
    effects = await startEffects()
    here = await makeInstallation(SETTINGS)
    running = await here.start()
    key = (await here.run(['key', 'add', 'platform', '--role', 'platform_admin'])).out.trim().split('\n')[0] ?? ''
    blocks = blocksOf(await readGuide('nebo.md'))
    out = await runBlocks(here, blocks, { GATEWAY: running.address, KEY: key, SERVER: effects.url, ...SETTINGS })
  })
  afterAll(async () => {
    await here?.[Symbol.asyncDispose]()
    await effects?.[Symbol.asyncDispose]()
  })

  test('the commands of the guide add an integration, and a call of its tool is made after it was granted', () => {
    expect(blocks).toHaveLength(3)
    expect(out, out).toContain('ended in peace')
    for (const name of ['mcp__notes__write_note', 'mcp__notes__look_up', 'APPROVAL_REQUIRED'])
      expect(out).toContain(name)
    expect(out).toContain('did write_note')
    expect(effects.called).toEqual(['write_note'])
  })

  test('a tool that nobody vouches for waits, and one that is said to read runs at once', async () => {
    const agent = (await here.run(['key', 'add', 'second', '--toolset', 'agent'])).out.trim().split('\n')[0] ?? ''
    const url = `${running.address}/o/default/t/agent/mcp`
    await using client = await connectClient({ kind: 'SDK 2 by discovery', url, key: agent })
    const told = await client.call('mcp__notes__look_up')
    expect([told.isError, textOf(told)]).toEqual([true, expect.stringContaining('APPROVAL_REQUIRED')])
    const said = await here.run(['lock', 'effect', 'notes', 'look_up', 'read'])
    expect(said.code, said.err).toBe(0)
    await expect.poll(async () => textOf(await client.call('mcp__notes__look_up'))).toBe('did look_up')
  })

  test('two integrations on one host have different names', async () => {
    const made = async () => {
      const answer = await fetch(`${running.address}/api/v1/integrations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ server_url: effects.url, auth_type: 'none' }),
      })
      return answer.status
    }
    expect([await made(), await made()]).toEqual([201, 201])
    const names = async () => {
      const url = `${running.address}/o/default/t/agent/mcp`
      await using client = await connectClient({ kind: 'SDK 2 by discovery', url, key })
      return (await client.tools()).map(({ name }) => name).filter((name) => name.endsWith('__write_note'))
    }
    await expect.poll(names).toHaveLength(3)
    expect((await names()).every((name) => /^mcp__[\w-]+__write_note$/.test(name))).toBe(true)
  })
})
