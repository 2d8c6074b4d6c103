/** Three thousand sessions of clients with full buffers, each with a session at a server behind it, in a real gateway. */
// @module-tag long
import { expect, test } from 'vitest'
import { measureSessionMemory } from './session-memory.ts'

const MB = 1_000_000

test('S3-PERF-02: 3,000 servers, sessions and full buffers fit in 250 MB, without children', async () => {
  await using begun = new AsyncDisposableStack()
  const { full } = await measureSessionMemory(undefined, (begin) => begun.use(begin()))
  console.info(
    `heap of ${full.sessions} sessions: ${Math.round(full.heapBytes / MB)} MB, resident ${Math.round(full.rssBytes / MB)} MB`,
  )
  expect(full.sessions).toBe(3_000)
  // A buffer is full when more was sent to its client than it keeps.
  expect(full.sentBytes).toBeGreaterThan(40_000)
  expect(full.heapBytes).toBeLessThan(250 * MB)
})
