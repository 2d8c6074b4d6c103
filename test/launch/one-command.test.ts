/** `npm test` is the whole test stack: with `--full` no test is left out of it, and nothing else has to be started. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { projectsOf } from '../../vitest.config.ts'

const root = join(import.meta.dirname, '../..')
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  .split('\n')
  .filter((path) => /\.(test|spec)\.[cm]?[jt]sx?$/.test(path))

test('S3-STK-01: one command runs every test, of units, of what is asynchronous and with stand-ins, all in TypeScript', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  expect(scripts['test']).toBe('node tools/run.mjs test')
  const projects = projectsOf({ isShort: false })
  const fits = (path: string, patterns: string[]) => patterns.some((pattern) => matchesGlob(path, pattern))
  const runs = (path: string) =>
    projects.filter(({ test: { include, exclude } }) => fits(path, include) && !fits(path, exclude)).length
  expect(files.length).toBeGreaterThan(200)
  expect(files.filter((path) => runs(path) !== 1)).toEqual([])
  expect(files.filter((path) => !path.endsWith('.ts'))).toEqual([])
})
