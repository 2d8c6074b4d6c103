/**
 * What is told of each target of `--peers` besides its rounds: version, start, and the memory of its processes.
 *
 * Memory is read twice: when all targets have answered one call, and after the last round. Never measures a call.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { TargetName } from './bench-options.ts'
import type { Target } from './bench-rounds.ts'
import { pinnedVersions } from './peers/installed.ts'
import { PUBLISHED } from './peers/peers.ts'
import { type FamilyMemory, readFamilyMemory } from './processes/process-memory.ts'

export interface Beside {
  readonly target: TargetName
  readonly version: string
  /** Milliseconds to the first answered call. */
  readonly startMs?: number | undefined
  /** Undefined where there is no process of its own. */
  readonly idle?: FamilyMemory | undefined
  readonly after?: FamilyMemory | undefined
}

/** Reads the memory now; the function it returns reads it again and returns both. */
export function watchBeside(targets: readonly Target[]): () => Beside[] {
  const memoryOf = ({ pid, folder }: Target) => (pid === undefined ? undefined : readFamilyMemory(pid, folder))
  const idle = targets.map(memoryOf)
  return () =>
    targets.map((target, at) => ({
      target: target.name,
      version: versionOf(target.name),
      startMs: target.startMs,
      idle: idle[at],
      after: memoryOf(target),
    }))
}

const requireHere = createRequire(import.meta.url)

function versionOf(target: TargetName): string {
  const published = PUBLISHED.find(({ name }) => name === target)
  if (published !== undefined) return pinnedVersions()[published.package] ?? ''
  if (target === 'direct' || target === 'raw') return `Node ${process.versions.node}`
  if (target === 'sdk') return installedVersion('@modelcontextprotocol/server')
  return versionIn(new URL('../../packages/gateway/package.json', import.meta.url))
}

/** Of a package of this repository. The SDK exports no package.json, so it is looked for above its main file. */
function installedVersion(name: string): string {
  const main = requireHere.resolve(name)
  const folder = main.slice(0, main.lastIndexOf(name) + name.length)
  return versionIn(`${folder}/package.json`)
}

const versionIn = (path: string | URL) => (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
