/**
 * Servers whose paths are replaced, by another server that may write the folder above, after the worker judged them and before
 * bubblewrap mounts them. Started by this user and, where this user is root, by an unprivileged one.
 */
// @module-tag long
import { execFile } from 'node:child_process'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createBubblewrap } from '../../packages/gateway/src/upstreams/children/sandbox/bubblewrap.ts'

const SCRIPT = join(import.meta.dirname, 'hostile/swapped-run.script.ts')
const NOBODY = 65_534
const KEY = 'the vault key'
const REFUSED = /^refused: .* was replaced while the server was starting/
const users = process.getuid?.() === 0 ? ['root', 'nobody'] : ['this user']
const { ready } = await createBubblewrap().check()

const Said = z.looseObject({ failed: z.string().optional() })

async function attempt(user: string) {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-swapped-'))
  await chmod(folder, 0o711)
  const own = user === 'nobody' ? { uid: NOBODY, gid: NOBODY } : {}
  if (user === 'nobody') await chown(folder, NOBODY, NOBODY)
  try {
    const words = ['--disable-warning=ExperimentalWarning', SCRIPT, join(folder, 'run')]
    const env = { PATH: '/usr/bin:/bin', TMPDIR: '/tmp', HOME: folder }
    const { stdout } = await promisify(execFile)(process.execPath, words, { ...own, env, cwd: '/', timeout: 240_000 })
    return Said.parse(JSON.parse(stdout))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe.skipIf(!ready).each(users)('paths that are replaced while a server of %s starts', (user) => {
  let said: z.output<typeof Said>
  beforeAll(async () => {
    said = await attempt(user)
  })

  test('are shown where nothing is replaced, also one in another', () => {
    expect(said.failed).toBeUndefined()
    expect(said).toMatchObject({ untouched: 'own', program: 'cat "$0"' })
    expect(said['one allowed path in another']).toMatch(/^ownrefused\nwritten/)
  })

  test('are not shown, be it a link to the data folder or another folder, allowed or of the program', () => {
    for (const how of ['replaced by a link', 'replaced by a folder', 'folder of the program replaced'])
      expect(said[how], how).toMatch(REFUSED)
    expect(said['nested and replaced']).not.toContain(KEY)
  })

  test('show the data folder in no start of many, while another server replaces them in a loop', () => {
    for (const race of ['race', 'race in a folder']) expect(said[race], race).toMatchObject({ key: 0 })
  })

  test('do not lead to the data folder under another name of a folder above it', () => {
    const above = String(said['renames what is above the data folder'])
    expect(above.match(/Device or resource busy/g)).toHaveLength(2)
    expect(above).toMatch(/^product\nsub$/m)
    expect(said['data folder was moved']).toContain('other')
    expect(said['data folder was moved']).not.toContain(KEY)
  })

  test('leave the program no descriptor of theirs', () => {
    expect(String(said['descriptors'])).not.toMatch(/^\/(?!dev\/null$)/m)
    expect(said['writes by a descriptor']).not.toMatch(/^planted$/m)
  })
})
