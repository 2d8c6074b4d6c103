import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadRootKey } from './root-key.ts'

async function directory() {
  const path = await mkdtemp(join(tmpdir(), 'toolway-vault-'))
  return {
    path,
    file: join(path, 'vault.key'),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

describe('the root key', () => {
  test('is made on first use, and is the same ever after', async () => {
    await using data = await directory()
    const key = await loadRootKey(data.path)
    expect(key).toHaveLength(32)
    expect(await loadRootKey(data.path)).toEqual(key)
    expect(await readFile(data.file, 'utf8')).toBe(`${key.toString('hex')}\n`)
  })

  test('is another one in another directory', async () => {
    await using one = await directory()
    await using two = await directory()
    expect(await loadRootKey(one.path)).not.toEqual(await loadRootKey(two.path))
  })

  test('lies in a file that only its owner may read, alone', async () => {
    await using data = await directory()
    await loadRootKey(data.path)
    expect(((await stat(data.file)).mode & 0o777).toString(8)).toBe('600')
    expect(await readdir(data.path)).toEqual(['vault.key'])
  })

  test('is one for all who start at once in one process, and nothing is left beside it', async () => {
    await using data = await directory()
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadRootKey(data.path)))
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1)
    expect(await readdir(data.path)).toEqual(['vault.key'])
  })

  test('is one for all processes that start at once', async () => {
    await using data = await directory()
    const script = `import { loadRootKey } from '${new URL('root-key.ts', import.meta.url).href}'
      process.stdout.write((await loadRootKey(process.argv[1])).toString('hex'))`
    const keys = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script, data.path], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const told = (await child.stdout.toArray()).join('')
        if (child.exitCode === null) await once(child, 'exit')
        expect(child.exitCode).toBe(0)
        return told
      }),
    )
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(keys).size).toBe(1)
    expect(await readdir(data.path)).toEqual(['vault.key'])
  })

  test('may have been written by hand, with space around it', async () => {
    await using data = await directory()
    await writeFile(data.file, `  ${'ab'.repeat(32)}\r\n`)
    expect(await loadRootKey(data.path)).toEqual(Buffer.alloc(32, 0xab))
  })

  test.each([
    ['nothing', ''],
    ['too little', 'ab'.repeat(31)],
    ['too much', 'ab'.repeat(33)],
    ['capitals', 'AB'.repeat(32)],
    ['other letters', 'xy'.repeat(32)],
  ])('is refused when its file holds %s, and the file stays', async (_, held) => {
    await using data = await directory()
    await writeFile(data.file, held)
    const failing = loadRootKey(data.path)
    await expect(failing).rejects.toThrow('64 hex digits')
    await expect(failing).rejects.not.toThrow(/ab|AB|xy/.exec(held)?.[0].repeat(8) ?? '\u0000')
    expect(await readFile(data.file, 'utf8')).toBe(held)
  })

  test('is not made anew because its file cannot be read', async () => {
    await using data = await directory()
    await mkdir(data.file)
    await expect(loadRootKey(data.path)).rejects.toMatchObject({ code: 'EISDIR' })
  })

  test('is not made where there is no directory', async () => {
    await using data = await directory()
    await expect(loadRootKey(join(data.path, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
