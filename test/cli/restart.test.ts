/** A server that is started here and keeps failing is given up, and `toolway connection restart` brings it back. */
// @module-tag long
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTool, faultIn, textIn } from '../fault/caller.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'

const CHILD = join(import.meta.dirname, '../fault/moody-child.script.ts')

interface Shown {
  readonly alias: string
  readonly status: string
  readonly reason: string | null
}

let here: Installation
let running: Running
beforeAll(async () => {
  here = await makeInstallation()
  running = await here.start()
})
afterAll(() => here[Symbol.asyncDispose]())

const shown = async (alias: string) =>
  ((await here.json(['connection', 'list'])) as Shown[]).find((one) => one.alias === alias)

describe('toolway connection restart', () => {
  test(
    'S3-EXT-05: starts a server again that failed at its start and at three restarts, and that nobody else starts',
    { timeout: 300_000 },
    async () => {
      const permits = join(here.folder, 'permits')
      await mkdir(permits)
      const permit = join(permits, 'permit')
      const words = ['--allow-path', permits, '--revision', '2025-11-25', '--', process.execPath, CHILD, permit]
      const added = await here.run(['connection', 'add', 'moody', ...words])
      expect(added).toMatchObject({ code: 1, out: expect.stringContaining('exited with code 7') })
      await expect
        .poll(() => shown('moody'), { interval: 1_000 })
        .toMatchObject({
          status: 'error',
          reason: expect.stringContaining('was stopped after 4 failures in a row: it exited with code 7.'),
        })
      // The file that lets the start succeed comes too late: no restart is attempted until one is requested.
      await writeFile(permit, '')
      expect(await here.run(['connection', 'restart', 'moody'])).toMatchObject({
        code: 0,
        out: 'moody is connected: 1 tool, protocol 2025-11-25.\n',
      })
      expect(await shown('moody')).toMatchObject({ status: 'connected', reason: null })
      const target = { url: `${running.address}/mcp`, key: await here.localKey() }
      const answer = await callTool(target, 'moody__good')
      expect([textIn(answer), faultIn(answer)]).toEqual(['in a good mood', undefined])
    },
  )

  test('opens one anew that works, and says what it cannot restart', async () => {
    expect(await here.run(['connection', 'restart', 'demo'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^demo is connected: \d+ tools/),
    })
    expect(await here.run(['connection', 'restart', 'nobody'])).toMatchObject({
      code: 1,
      out: '',
      err: 'There is no connection "nobody"; `toolway connection list` lists the connections.\n',
    })
  })
})
