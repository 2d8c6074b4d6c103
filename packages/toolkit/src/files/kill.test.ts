/**
 * Writing when the process is killed.
 * @module-tag long
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeFolder } from '../testing/toolkit-client.ts'
import { isPartName } from './part-names.ts'
import { Workspace } from './workspace.ts'

const WRITER = fileURLToPath(new URL('../testing/endless-writer.ts', import.meta.url))
const KILLS = 60

test('S4-FS-04: a process that is killed while it writes leaves the old file or the new one, whole, and nothing of its own', async () => {
  await using base = await makeFolder()
  await mkdir(join(base.path, 'in'))
  let parts = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, [WRITER, base.path], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    // Another moment each time.
    await new Promise((resolve) => setTimeout(resolve, (kill * 7) % 40))
    child.kill('SIGKILL')
    await once(child, 'exit')
    for (const path of ['report.md', 'in/parts.bin'].filter((one) => existsSync(join(base.path, one)))) {
      const bytes = await readFile(join(base.path, path))
      expect([bytes.length, new Set(bytes).size], path).toEqual([1_500_000, 1])
    }
    parts += (await readdir(base.path, { recursive: true })).filter((name) => name.includes('part-')).length
    // The next start removes what was left in the root, and the next write what was left in its folder.
    await using workspace = await Workspace.open([base.path])
    const listed = (await Promise.all(['.', 'in'].map((one) => workspace.list(one, 10)))).flatMap(
      ({ entries }) => entries,
    )
    expect(
      listed.map(({ name }) => name).filter((name) => !['in', 'other.txt', 'parts.bin', 'report.md'].includes(name)),
    ).toEqual([])
    await workspace.write('in/other.txt', 'x')
    for (const folder of ['.', 'in']) expect((await readdir(join(base.path, folder))).filter(isPartName)).toEqual([])
  }
  // Else no kill hit a write.
  expect(parts).toBeGreaterThan(0)
})
