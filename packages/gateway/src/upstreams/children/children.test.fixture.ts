/**
 * Fixture shared by the tests of the children: children that close themselves, launches of the fixture script, and a reader of
 * the process table. It asserts nothing itself.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createChildren, type Child, type ChildrenParts, type Exit, type Launch } from './worker-link.ts'

const SCRIPT = fileURLToPath(new URL('./child-fixture.test.script.ts', import.meta.url))

export const launchOf = (server: string, words: string[] = [], more: Partial<Launch> = {}): Launch => ({
  name: server,
  command: process.execPath,
  args: [SCRIPT, server, ...words],
  environment: {},
  ...more,
})

/** As npx does it: the server is a grandchild, and the shell between does not pass signals on. */
export const behindShell = (server: string): Launch => ({
  name: `${server} behind sh`,
  command: 'sh',
  args: ['-c', '"$0" "$1" "$2"; true', process.execPath, SCRIPT, server],
  environment: {},
})

export interface LogLine {
  level: string
  facts: Record<string, unknown>
  message: string
}

export async function startChildren(parts: Partial<ChildrenParts> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'toolway-children-'))
  const lines: LogLine[] = []
  const say = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, facts: { ...facts }, message })
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
  const children = createChildren({ log, home, path: process.env['PATH'] ?? '', ...parts })
  return {
    ...children,
    home,
    log: lines,
    /** The pid of the worker started last. */
    worker: () => Number(lines.findLast(({ message }) => message.endsWith('has started'))?.facts['worker']),
    async [Symbol.asyncDispose]() {
      await children.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}

export const firstLine = (child: Child): Promise<string> => new Promise((tell) => child.onLine(tell))
export const exitOf = (child: Child): Promise<Exit> => new Promise((tell) => child.onExit(tell))

/** All lines until the end. */
export async function readAll(child: Child): Promise<{ lines: string[]; exit: Exit }> {
  const lines: string[] = []
  child.onLine((line) => void lines.push(line))
  const exit = await exitOf(child)
  return { lines, exit }
}

/** Sends lines and gives the answers, matched in order. */
export function askerOf(child: Child): (line: string) => Promise<string> {
  const waiting: ((line: string) => void)[] = []
  child.onLine((line) => waiting.shift()?.(line))
  return (line) => {
    const answer = new Promise<string>((tell) => waiting.push(tell))
    return child.send(line).then(() => answer)
  }
}

/** True for a process that runs; a zombie does not. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !existsSync('/proc/self/stat') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The process reaper of a worker, from the process table (Linux). */
export function reaperOf(worker: number): number | undefined {
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const parent = Number(readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
      const words = readFileSync(`/proc/${entry}/cmdline`, 'utf8')
      if (parent === worker && words.includes('toolway-reaper')) return Number(entry)
    } catch {
      continue // it ended while we looked
    }
  }
  return undefined
}

/** Waits until it holds; throws after a time no healthy machine needs. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (holds()) return
    await sleep(20)
  }
  throw new Error(`it never came to pass: ${what}`)
}

export const allGone = (pids: number[]) => until(`processes ${pids.join(', ')} end`, () => !pids.some(alive))
