/** Tests that the guide to files is correct: its commands run as written, against a gateway that runs. */
// @module-tag long
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeInstallation, TOOLWAY } from './installation.ts'

const guide = readFileSync(new URL('../../docs/guides/files.md', import.meta.url), 'utf8')
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text)

test('the commands of the guide do what they say', async () => {
  await using here = await makeInstallation()
  const running = await here.start()
  const words = ['set -euo pipefail', `npx() { shift; node "${TOOLWAY}" "$@"; }`, ...blocks].join('\n')
  const { stdout } = await promisify(execFile)('bash', ['--noprofile', '--norc', '-c', words], {
    cwd: here.folder,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      TOOLWAY_DATA: here.data,
      TOOLWAY_PORT: new URL(running.address).port,
    },
  })
  expect(blocks).toHaveLength(2)
  expect(stdout).toMatch(/^toolway:\/\/files\/file_\w{26}$/m)
  expect(stdout).toMatch(/report\.csv +22 B +text\/csv +ready/)
  expect(stdout).toMatch(/^copy\.csv: 22 B$/m)
  expect(stdout).toMatch(/^404$/m)
  expect(stdout).toMatch(/^Removed toolway:\/\/files\/file_\w{26}\.$/m)
  await running.stop()
})

test('a file belongs to the key that puts it, and whoami says whose the key is', async () => {
  await using here = await makeInstallation()
  await here.start()
  const key = (await here.run(['key', 'add', 'agent'])).out.trim().split('\n')[0] ?? ''
  const other = (await here.run(['key', 'add', 'other'])).out.trim().split('\n')[0] ?? ''
  await writeFile(join(here.folder, 'a.txt'), 'a')
  const as = (bearer: string, ...words: string[]) => here.run(words, { settings: { TOOLWAY_KEY: bearer } })
  const put = await as(key, 'file', 'put', join(here.folder, 'a.txt'))
  expect(put).toMatchObject({ code: 0 })
  const uri = put.out.trim()
  expect((await as(key, 'file', 'list')).out).toContain('a.txt')
  expect(await as(key, 'file', 'show', uri)).toMatchObject({ code: 0 })
  expect(await as(other, 'file', 'show', uri)).toMatchObject({ code: 1 })
  expect((await here.run(['file', 'list'])).out).not.toContain('a.txt')
  expect(await as(key, 'whoami')).toMatchObject({ code: 0, out: expect.stringMatching(/^key_\w+ at http/) })
})

test('put says what is missing, and doctor looks at the store', async () => {
  await using here = await makeInstallation()
  const running = await here.start()
  await running.stop()
  await writeFile(join(here.folder, 'a.txt'), 'a')
  const alone = await here.run(['file', 'put', 'a.txt'])
  expect(alone).toMatchObject({ code: 4, err: expect.stringContaining('No gateway is running') })
  expect(await here.run(['file', 'put', 'nowhere.txt'])).toMatchObject({ code: 2 })
  const doctor = await here.run(['doctor'])
  expect(doctor.out).toMatch(/^ok +file store: .*files$/m)
  // It looks, and makes no folder.
  await expect(readdir(join(here.data, 'files'))).rejects.toThrow('ENOENT')
  const blocked = await here.run(['doctor'], { settings: { TOOLWAY_FILES: `folder:${here.folder}/a.txt` } })
  expect(blocked.out).toMatch(/^BAD +file store: .*a\.txt: The file store is not available: it responds with ENOTDIR/m)
  expect(blocked.code).toBe(1)
})
