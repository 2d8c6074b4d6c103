import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findCommand, findPrograms } from './command-path.ts'

async function twoFolders() {
  const root = await mkdtemp(join(tmpdir(), 'toolway-path-'))
  const [first, second] = [join(root, 'first'), join(root, 'second')]
  for (const folder of [first, second]) await mkdir(folder)
  return { root, first, second, path: `${first}:${second}`, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) }
}

async function program(file: string, mode = 0o755) {
  await writeFile(file, '#!/bin/sh\n')
  await chmod(file, mode)
  return file
}

describe('a command', () => {
  test('is the first executable file of its name in PATH', async () => {
    await using at = await twoFolders()
    await program(join(at.first, 'server'), 0o644)
    await mkdir(join(at.first, 'other'))
    const server = await program(join(at.second, 'server'))
    const other = await program(join(at.second, 'other'))
    await expect(findCommand('server', { path: at.path, cwd: '/' })).resolves.toBe(server)
    await expect(findCommand('other', { path: at.path, cwd: '/' })).resolves.toBe(other)
  })

  test('without a slash is never looked for in the working folder, whatever PATH says', async () => {
    await using at = await twoFolders()
    await program(join(at.first, 'server'))
    const found = findCommand('server', { path: `:.:${at.second}`, cwd: at.first })
    await expect(found).rejects.toMatchObject({
      code: 'COMMAND_NOT_FOUND',
      message: expect.stringContaining('1 folders'),
    })
  })

  test('with a slash is a path from the working folder', async () => {
    await using at = await twoFolders()
    const server = await program(join(at.first, 'server'))
    await expect(findCommand('./server', { path: '', cwd: at.first })).resolves.toBe(server)
    await expect(findCommand(server, { path: '', cwd: '/' })).resolves.toBe(server)
    await expect(findCommand('./absent', { path: '', cwd: '/' })).rejects.toMatchObject({ code: 'COMMAND_NOT_FOUND' })
  })

  test('that may not be executed is said to be so', async () => {
    await using at = await twoFolders()
    await program(join(at.first, 'server'), 0o644)
    await expect(findCommand('server', { path: at.path, cwd: '/' })).rejects.toMatchObject({
      code: 'COMMAND_NOT_EXECUTABLE',
    })
  })
})

describe('programs that a server starts itself', () => {
  test('are there when all of them can be executed from a folder of PATH', async () => {
    await using at = await twoFolders()
    await program(join(at.first, 'ffmpeg'))
    await program(join(at.second, 'ffprobe'))
    await expect(findPrograms(['ffmpeg', 'ffprobe'], at.path)).resolves.toBeUndefined()
    await expect(findPrograms([], '')).resolves.toBeUndefined()
  })

  test('are named when they are missing, cannot be executed, or lie in a relative folder', async () => {
    await using at = await twoFolders()
    await program(join(at.first, 'ffprobe'), 0o644)
    const missing = findPrograms(['ffmpeg', 'ffprobe'], `${at.path}:.`)
    await expect(missing).rejects.toMatchObject({
      code: 'PROGRAM_NOT_FOUND',
      message: expect.stringMatching(/^ffmpeg and ffprobe are not installed: .*Install/),
    })
  })
})
