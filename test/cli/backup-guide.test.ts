/** Tests that the guide to backups is correct: its commands run as written, against a gateway that runs. */
// @module-tag long
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeInstallation, TOOLWAY } from './installation.ts'

const guide = readFileSync(new URL('../../docs/guides/backup.md', import.meta.url), 'utf8')
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text)

test('the commands of the guide do what they say', async () => {
  await using here = await makeInstallation()
  const running = await here.start()
  const words = ['set -euo pipefail', `npx() { shift; node "${TOOLWAY}" "$@"; }`, ...blocks].join('\n')
  const { stdout } = await promisify(execFile)('bash', ['--noprofile', '--norc', '-c', words], {
    cwd: here.folder,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, TOOLWAY_DATA: here.data },
  })
  expect(blocks).toHaveLength(2)
  expect(stdout).toMatch(/^The backup .*\.toolway was written: \d+ rows from \d+ tables/m)
  expect(stdout).toMatch(/\.toolway is complete:/)
  expect(stdout).toMatch(/\.toolway was restored:/)
  expect(stdout).toMatch(/^[0-9a-f]{16} +file vault\.keys +encrypts/m)
  expect(await running.stop()).toBe(0)
})
