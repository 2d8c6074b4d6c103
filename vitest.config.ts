/**
 * Configuration of the tests: one embedded PostgreSQL for all of them; a few processes, each with many test files one after another.
 * Loading the gateway for each file took more time than many of the tests.
 */
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { textsBySection } from './packages/console/texts-plugin.ts'
import { PATIENCE_MS, TEST_LIMIT_MS } from './packages/gateway/src/testing/patience.ts'
import { IS_SHORT, PROVEN } from './test/setup/form.ts'

const include = ['packages/**/src/**/*.test.ts', 'test/**/*.test.ts']
const never = ['**/node_modules/**', ...PROVEN]
/** Their tests are all long: the short form does not even load them. */
const LONG = /^ ?(?:\/\/|\*) @module-tag long$/m
/** They replace modules or trust certificate authorities, which holds for a whole process: each has one of its own. */
const REPLACES = /^vi\.mock\(|\b(?:trustAuthorities|setDefaultCACertificates)\(/m

// Tests of the console read its texts.
const plugins = [textsBySection()]

const filesWith = (text: RegExp) =>
  globSync(include, { cwd: import.meta.dirname, exclude: never }).filter((file) =>
    text.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')),
  )

/** Every file of tests is in exactly one of them; those whose tests are all long are in none of the short form. */
export function projectsOf({ isShort }: { isShort: boolean }) {
  const exclude = [...never, ...(isShort ? filesWith(LONG) : [])]
  const replacing = filesWith(REPLACES)
  return [
    { plugins, test: { name: 'shared', include, exclude: [...exclude, ...replacing], isolate: false } },
    { plugins, test: { name: 'alone', include: replacing, exclude } },
  ]
}

export default defineConfig({
  test: {
    projects: projectsOf({ isShort: IS_SHORT }),
    globalSetup: ['test/setup/postgres.ts'],
    pool: 'forks',
    // Some of their time is waiting, for processes and for sockets: even on two cores, three run side by side. Four left nothing idle,
    // and starved what has to answer in time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    tags: [{ name: 'long', description: 'Runs only in the long form: npm test -- --full' }],
    testTimeout: TEST_LIMIT_MS,
    hookTimeout: TEST_LIMIT_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
})
