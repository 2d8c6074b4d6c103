import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorInNpmLog } from './npm-log.ts'

const SELF_SIGNED = [
  '0 verbose cli /usr/bin/node /usr/bin/npm',
  '1 verbose argv "exec" "--yes" "--" "fake-error"',
  '2 silly fetch manifest fake-error@*',
  '3 http fetch GET https://user:pass@npm.example/fake-error attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN',
  '4 error code SELF_SIGNED_CERT_IN_CHAIN',
].join('\n')
const TOLD = 'npm http fetch GET https://npm.example/fake-error attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN'

async function cacheWith(files: Readonly<Record<string, string>>) {
  const cache = await mkdtemp(join(tmpdir(), 'toolway-npm-'))
  const logs = join(cache, '_logs')
  await mkdir(logs)
  for (const [name, text] of Object.entries(files)) await writeFile(join(logs, name), text)
  return { cache, logs, [Symbol.asyncDispose]: () => rm(cache, { recursive: true }) }
}
const NAME = '2026-01-02T00_00_00_000Z-debug-0.log'

describe('the log that npm keeps of a start', () => {
  test('tells the first error, without the user of an address', async () => {
    await using at = await cacheWith({ [NAME]: SELF_SIGNED })
    await expect(errorInNpmLog(at.cache, 0)).resolves.toBe(TOLD)
  })

  test('tells the newest error where there are several logs', async () => {
    await using at = await cacheWith({
      [NAME]: SELF_SIGNED,
      '2026-01-01T00_00_00_000Z-debug-0.log': '1 error code E404',
    })
    await expect(errorInNpmLog(at.cache, 0)).resolves.toBe(TOLD)
  })

  test('is read at its end where it is long', async () => {
    await using at = await cacheWith({
      [NAME]: `1 error code E404\n${'2 silly x\n'.repeat(40_000)}3 error code E500\n`,
    })
    await expect(errorInNpmLog(at.cache, 0)).resolves.toBe('npm error code E500')
  })

  test('tells nothing where it is of an earlier start, or names no error', async () => {
    await using at = await cacheWith({
      [NAME]: SELF_SIGNED,
      '2026-01-03T00_00_00_000Z-debug-0.log': '1 http fetch GET 200',
    })
    await utimes(join(at.logs, NAME), 100, 100)
    await expect(errorInNpmLog(at.cache, 200_000)).resolves.toBeUndefined()
    await expect(errorInNpmLog(join(at.cache, 'absent'), 0)).resolves.toBeUndefined()
  })

  test('is not read where the child put a link, a pipe or another folder in its place', async () => {
    await using secret = await cacheWith({ 'elsewhere.txt': SELF_SIGNED, [NAME]: SELF_SIGNED })
    await using linked = await cacheWith({})
    await symlink(join(secret.logs, 'elsewhere.txt'), join(linked.logs, NAME))
    await expect(errorInNpmLog(linked.cache, 0)).resolves.toBeUndefined()
    await using piped = await cacheWith({})
    execFileSync('mkfifo', [join(piped.logs, NAME)])
    await expect(errorInNpmLog(piped.cache, 0)).resolves.toBeUndefined()
    await using moved = await cacheWith({})
    await rm(moved.logs, { recursive: true })
    await symlink(secret.logs, moved.logs)
    await expect(errorInNpmLog(moved.cache, 0)).resolves.toBeUndefined()
    // The whole cache: another one on this machine has logs of its own.
    await rm(moved.logs)
    await symlink(secret.cache, join(moved.cache, 'npm'))
    await expect(errorInNpmLog(join(moved.cache, 'npm'), 0)).resolves.toBeUndefined()
  })
})
