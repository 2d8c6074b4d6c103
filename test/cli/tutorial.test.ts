/**
 * Tests that the tutorial ends with one's own three servers: its blocks run as written, in order, in the home of somebody who has only
 * run `npm start`. `npx` finds the two published servers among the packages of this checkout, as it would in its cache.
 */
// @module-tag long
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf, readGuide, runBlocks } from './guide-blocks.ts'
import { makeInstallation } from './installation.ts'

const NPX = `#!/bin/sh
shift
server="$1"
shift
# Its memory lies beside its program otherwise, which other tests share.
export MEMORY_FILE_PATH="$HOME/memory.json"
exec "${process.execPath}" "${join(import.meta.dirname, '../../node_modules')}/$server/dist/index.js" "$@"
`

test('somebody new writes a server, imports it with two others, trusts them, calls each and stops one tool', async () => {
  await using here = await makeInstallation()
  const bin = join(here.folder, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'npx'), NPX)
  await chmod(join(bin, 'npx'), 0o755)
  const PATH = [bin, dirname(process.execPath), process.env['PATH']].join(delimiter)
  // The servers lie in a checkout here, outside of what a sandbox has for npx.
  const running = await here.start({ PATH, TOOLWAY_SANDBOX: 'off', TOOLWAY_APPROVALS: 'ask-destructive' })
  const out = await runBlocks(here, blocksOf(await readGuide('tutorial.md')), { PATH, TOOLWAY_PORT: '0' })
  expect(out).toContain('Added 3 of 3')
  expect(out).toMatch(/^files +connected +\d+ /m)
  expect(out).toMatch(/^dice__roll +read /m)
  expect(out).toMatch(/Rolled [1-6], [1-6]/)
  expect(out).toContain('Milk, bread, coffee')
  expect(out.match(/likes coffee/g)?.length).toBeGreaterThanOrEqual(2)
  expect(out).toContain('Agents must not delete memories.')
  expect(out).toContain('refused')
  expect(out).toMatch(/^\w+_[\da-f]{64}$/m)
  expect(out.trimEnd().split('\n').at(-1)).toBe('ended in peace')
  await running.stop()
})
