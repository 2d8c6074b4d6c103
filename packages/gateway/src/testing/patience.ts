/**
 * Limits of waiting in tests, in milliseconds. They end what will never happen, on a machine that is as slow as any; a test that
 * passes waits only until what it waits for is there. `vitest.config.ts` and everything that waits by itself take them from here.
 */

/** One wait: a poll, a click in a browser, the end of a process. */
export const PATIENCE_MS = 120_000
/** A whole test, or one hook: a story of many waits. */
export const TEST_LIMIT_MS = 300_000
