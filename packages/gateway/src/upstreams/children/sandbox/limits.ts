/** Bounds of the kernel on each process of a child (setrlimit(2)), set by the program `prlimit` of util-linux right before it starts. */
import type { Bounds } from './driver.ts'
import { findTool } from './tools.ts'

/** All capabilities are given up, for the process and for whatever it starts. */
export const WITHOUT_CAPABILITIES = [
  '--no-new-privs',
  '--inh-caps=-all',
  '--ambient-caps=-all',
  '--bounding-set=-all',
] as const

/**
 * Room above the memory limit: the bound counts addresses that may be written, stacks of threads among them, and the watch over the
 * memory that is really held ends a child with a reason before this bound does it without one.
 */
const ROOM = 768 * 1024 * 1024

/** @param counted false where the kernel would count other processes of the same user, too */
export function prlimitCommand({ memoryBytes, processes, fileBytes, cpuSeconds }: Bounds, counted = true): string[] {
  return [
    findTool('prlimit'),
    '--core=0',
    `--data=${memoryBytes + ROOM}`,
    ...(counted ? [`--nproc=${processes}`] : []),
    ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]),
    ...(cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}`]),
    '--',
  ]
}

/** A child that computes without end leaves the CPU to the gateway first. */
export const priority = (): string[] => [findTool('nice'), '-n', '5']
