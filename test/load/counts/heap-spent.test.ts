import { writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { startPeer } from '../processes/peer-process.ts'
import { probeAt, startHeapProfile } from './heap-profile.ts'
import { heapSpent } from './heap-spent.ts'

type Collections = Parameters<typeof heapSpent>[0]
type Collection = Collections[number]

/** A heap of this many bytes in the young and in the old generation. */
const heap = (young: number, old: number, large = 0): Collection['beforeGC'] => {
  const space = (spaceName: string, spaceUsedSize: number) => ({
    spaceName,
    spaceUsedSize,
    spaceSize: 0,
    spaceAvailableSize: 0,
    physicalSpaceSize: 0,
  })
  return {
    heapStatistics: { usedHeapSize: young + old + large } as Collection['beforeGC']['heapStatistics'],
    heapSpaceStatistics: [space('new_space', young), space('old_space', old), space('large_object_space', large)],
  }
}
const collection = (gcType: string, beforeGC: Collection['beforeGC'], afterGC: Collection['beforeGC']) => ({
  gcType,
  cost: 1,
  beforeGC,
  afterGC,
})

describe('what a heap spent', () => {
  test('is what it grew by and what was freed meanwhile', () => {
    const collections = [
      collection('Scavenge', heap(1_000, 500), heap(100, 560, 20)),
      collection('Scavenge', heap(1_100, 580), heap(50, 600)),
      collection('MarkSweepCompact', heap(300, 600), heap(0, 400)),
    ]
    // From 600 to 450; 820, 1030 and 500 were freed.
    expect(heapSpent(collections, 600, 450)).toEqual({ allocated: 2_200, promoted: 80 + 20, minor: 2, full: 1 })
  })

  test('is what it grew by where nothing was collected', () => {
    expect(heapSpent([], 600, 750)).toEqual({ allocated: 150, promoted: 0, minor: 0, full: 0 })
  })
})

const PAIRS = 400_000
/** Makes so many arrays of two when it is told to, and keeps every hundredth. */
const ALLOCATING = `
const kept = []
process.on('message', () => {
  for (let at = 0; at < ${PAIRS}; at++) {
    const pair = [at, at]
    if (at % 100 === 0) kept.push(pair)
  }
  process.send({ done: kept.length })
})
process.on('disconnect', () => process.exit(0))
process.send({ ready: 'BENCH_PROBE' in process.env })
`

test('the probe tells it of a process that runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolway-probe-'))
  const script = join(folder, 'allocating.mjs')
  writeFileSync(script, ALLOCATING)
  const probe = probeAt(join(folder, 'socket'))
  const peer = startPeer(pathToFileURL(script), [], undefined, probe)
  try {
    expect(await peer.next(), 'children of a measured process have no probe').toEqual({ ready: false })
    for (let round = 0; round < 2; round++) {
      const finish = await startHeapProfile(probe)
      peer.tell({ go: true })
      await peer.next()
      const spent = await finish()
      // An array with its two elements takes 32 bytes at the least, and 100 at the most.
      expect(spent.allocated).toBeGreaterThan(PAIRS * 32)
      expect(spent.allocated).toBeLessThan(PAIRS * 100)
      expect(spent.minor).toBeGreaterThan(0)
      expect(spent.promoted).toBeLessThan(spent.allocated / 10)
    }
  } finally {
    await peer[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  }
})
