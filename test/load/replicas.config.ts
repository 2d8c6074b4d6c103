/** The measurement of several gateways: `npx vitest run --config test/load/replicas.config.ts`. No part of the tests. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/load/replicas.bench.ts'],
    globalSetup: ['test/setup/postgres.ts'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
