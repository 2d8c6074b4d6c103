import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sizeOf } from './disk-watch.ts'

const LIMIT = 1024 * 1024
async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'toolway-disk-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

test('files without contents count, because a file system has a bounded number of them', async () => {
  await using at = await folder()
  for (let count = 0; count < 300; count++) await writeFile(join(at.path, String(count)), '')
  expect(await sizeOf(at.path, LIMIT)).toBeGreaterThan(LIMIT)
})

test.each([
  ['a folder', 17, 250, 250],
  ['a file', 16, 245, 250],
])('%s that is too deep for a path counts as over the limit', async (_, depth, length, last) => {
  await using at = await folder()
  // Relative steps lead deeper than a path may be long.
  const script = `chdir $ARGV[0]; for (1 .. $ARGV[1]) { mkdir $ARGV[2]; chdir $ARGV[2] } open my $file, '>', $ARGV[3]`
  const names = ['d'.repeat(length), 'f'.repeat(last)]
  execFileSync('/usr/bin/perl', ['-e', script, at.path, String(depth), ...names])
  try {
    expect(await sizeOf(at.path, LIMIT)).toBe(Infinity)
  } finally {
    execFileSync('/bin/rm', ['-r', join(at.path, 'd'.repeat(length))])
  }
})

test('a folder that was removed meanwhile counts as nothing', async () => {
  expect(await sizeOf('/no/such/folder', LIMIT)).toBe(0)
})
