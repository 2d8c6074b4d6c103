/** How do the tests run? One embedded PostgreSQL for all of them; each test file in a process of its own. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { PATIENCE_MS, TEST_LIMIT_MS } from './packages/gateway/src/testing/patience.ts'

export default defineConfig({
  test: {
    include: ['packages/**/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['test/setup/postgres.ts'],
    pool: 'forks',
    // Much of their time is waiting, for processes and for sockets: even on two cores, three run side by side.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    testTimeout: TEST_LIMIT_MS,
    hookTimeout: TEST_LIMIT_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
})
