/**
 * Computes the bytes that a process allocated and promoted from what its heap held around each collection.
 *
 * Allocated: the growth of the heap, and all that collections freed meanwhile. Promoted: the growth of everything but the young
 * generation in each minor collection. What full collections promote is not told apart and not counted; they are rare. Both are
 * the sums of `allocated=` and `promoted=` in the lines of `--trace-gc-nvp`. Buffers outside the heap are not in them. Pure.
 */
import type { GCProfilerResult } from 'node:v8'

/** Sums since the profile began. */
export interface HeapSpent {
  /** Bytes. */
  readonly allocated: number
  /** Bytes. */
  readonly promoted: number
  readonly minor: number
  readonly full: number
}

type Collection = GCProfilerResult['statistics'][number]
type Heap = Collection['beforeGC']

/** @param usedBefore bytes of the heap in use when the profile began; @param usedAfter when it ended */
export function heapSpent(collections: readonly Collection[], usedBefore: number, usedAfter: number): HeapSpent {
  const minor = collections.filter(({ gcType }) => gcType === 'Scavenge')
  const freed = ({ beforeGC, afterGC }: Collection) =>
    beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize
  return {
    allocated: usedAfter - usedBefore + sumOf(collections.map(freed)),
    promoted: sumOf(minor.map(({ beforeGC, afterGC }) => oldBytes(afterGC) - oldBytes(beforeGC))),
    minor: minor.length,
    full: collections.length - minor.length,
  }
}

/** The young generation is `new_space` and `new_large_object_space`. */
const oldBytes = ({ heapSpaceStatistics }: Heap) =>
  sumOf(
    heapSpaceStatistics.filter(({ spaceName }) => !spaceName.startsWith('new_')).map((space) => space.spaceUsedSize),
  )

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
