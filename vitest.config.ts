/** Configuration of the tests: one embedded PostgreSQL for all of them; each test file in a process of its own. */
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { PATIENCE_MS, TEST_LIMIT_MS } from './packages/gateway/src/testing/patience.ts'
import { IS_SHORT } from './test/setup/form.ts'

const include = ['packages/**/src/**/*.test.ts', 'test/**/*.test.ts']
const longFile = /^ ?(?:\/\/|\*) @module-tag long$/m

/** Files whose tests are all long: the short form does not even load them. */
const longFiles = () =>
  globSync(include, { cwd: import.meta.dirname, exclude: ['**/node_modules/**'] }).filter((file) =>
    longFile.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')),
  )

export default defineConfig({
  test: {
    include,
    exclude: ['**/node_modules/**', ...(IS_SHORT ? longFiles() : [])],
    globalSetup: ['test/setup/postgres.ts'],
    pool: 'forks',
    // Much of their time is waiting, for processes and for sockets: even on two cores, three run side by side.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    tags: [{ name: 'long', description: 'Runs only in the long form: npm test -- --full' }],
    testTimeout: TEST_LIMIT_MS,
    hookTimeout: TEST_LIMIT_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
})
