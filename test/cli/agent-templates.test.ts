/** The templates of the catalog for the servers of the source system Universal Agent: what they need, and what is said where it is missing. */
// @module-tag long
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CatalogEntry } from '@toolway/contract'
import { AGENT_USER, startAgentComposio } from '../e2e/peers/composio/agent-tools.ts'
import { API_KEY } from '../e2e/peers/composio/composio-double.ts'
import { makeInstallation } from './installation.ts'

interface Shown {
  readonly alias: string
  readonly status: string
  readonly status_reason: string | null
  readonly programs: readonly string[] | null
}

test('S4-SRV-06: edgartools, video_audio, youtube and zai_vision are templates with needed variables, and a missing program is a clear state', async () => {
  await using here = await makeInstallation()
  await using composio = await startAgentComposio()
  const bin = join(here.folder, 'bin')
  await mkdir(bin)
  // The runner of Python packages is there, FFmpeg is not, and neither is the runner of npm packages.
  await writeFile(join(bin, 'uvx'), '#!/bin/sh\nexit 3\n')
  await chmod(join(bin, 'uvx'), 0o755)
  const settings = {
    ...{ TOOLWAY_PRESET: 'agent', COMPOSIO_API_KEY: API_KEY, COMPOSIO_URL: composio.url, DEFAULT_USER_ID: AGENT_USER },
    ...{ PATH: bin, AGENT_SERVERS: 'video_audio', Z_AI_API_KEY: 'zai-key-of-a-test' },
  }
  const running = await here.start(settings)
  const headers = { authorization: `Bearer ${await here.localKey()}` }
  const ask = async (path: string) => {
    const response = await fetch(`${running.address}/api/v1${path}`, { headers })
    return (await response.json()) as { items: unknown[] }
  }

  const entries = (await ask('/registry/connectors')).items as CatalogEntry[]
  const template = (id: string) => entries.find((entry) => entry.id === id)
  const needed = (id: string) => template(id)?.asks.map(({ name, required, secret }) => [name, required, secret])
  expect(needed('edgartools')).toEqual([['EDGAR_IDENTITY', true, false]])
  expect(needed('zai_vision')).toEqual([
    ['Z_AI_API_KEY', true, true],
    ['Z_AI_MODE', true, false],
  ])
  expect(template('video_audio')?.programs).toEqual(['uvx', 'ffmpeg', 'ffprobe'])
  expect(template('youtube')?.programs).toEqual(['uvx'])
  expect(template('toolkit')?.command).toEqual(['npx', '-y', 'toolway-toolkit', '--root', '{folder}'])

  const stateOf = async (alias: string) =>
    ((await ask('/admin/tenants/default/connectors?limit=50')).items as Shown[]).find((one) => one.alias === alias)
  await expect.poll(async () => (await stateOf('video_audio'))?.status_reason ?? '').toContain('not installed')
  expect(await stateOf('video_audio')).toMatchObject({
    programs: ['ffmpeg', 'ffprobe'],
    status_reason: expect.stringContaining('ffmpeg and ffprobe are not installed: this server needs them. Install'),
  })
  await expect.poll(async () => (await stateOf('zai_vision'))?.status_reason ?? '').toContain('"npx" was not found')

  const listed = await here.run(['connection', 'test', 'video_audio'], { settings })
  expect([listed.code === 0, `${listed.out}${listed.err}`]).toEqual([
    false,
    expect.stringContaining('ffmpeg and ffprobe are not installed'),
  ])
  const doctor = await here.run(['doctor'], { settings })
  expect(doctor.code).not.toBe(0)
  expect(doctor.out).toMatch(/^BAD +ffmpeg: not found in PATH; the connection video_audio needs it/m)
  expect(doctor.out).toMatch(/^BAD +connection video_audio: .*ffmpeg and ffprobe are not installed/m)

  // As soon as they are there, it is started.
  for (const name of ['ffmpeg', 'ffprobe']) {
    await writeFile(join(bin, name), '#!/bin/sh\n')
    await chmod(join(bin, name), 0o755)
  }
  const again = await here.run(['connection', 'test', 'video_audio'], { settings })
  expect(`${again.out}${again.err}`).not.toContain('not installed')
  expect(await running.stop()).toBe(0)
})
