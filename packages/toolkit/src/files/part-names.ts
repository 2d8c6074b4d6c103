/**
 * Names of files that are not whole yet: `.toolway-part-<key>` beside the file that they become. A key of a part that a later call may
 * continue begins with `r` and follows from the file's name; others are random. While a process writes a part, its name ends with that
 * process, so that a part of a process that is gone can be told from one that is being written. No tool takes or lists these names.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

const PREFIX = '.toolway-part-'
const NAME =
  /^\.toolway-part-(?<key>[rt][0-9a-f]{24})(?:\.(?<machine>[0-9a-f]{12})-(?<pid>\d{1,10})-(?<run>[0-9a-f]{12}))?$/
const HOUR = 3_600_000
/** How long a part is kept after its last byte: one that may be continued, and another one whose process cannot be asked about. */
const KEPT = { resumable: 7 * 24 * HOUR, other: 24 * HOUR }

/** Tells this process from an earlier one with the same number. */
const RUN = randomBytes(6).toString('hex')

export const isPartName = (name: string): boolean => name.toLowerCase().startsWith(PREFIX)

export const newPartKey = (): string => `t${randomBytes(12).toString('hex')}`

/** @param purpose tells parts of the same file apart; the same purpose finds the same part again. */
export const partKeyOf = (name: string, purpose: string): string =>
  `r${createHash('sha256')
    .update(JSON.stringify([name, purpose]))
    .digest('hex')
    .slice(0, 24)}`

export const freePartName = (key: string): string => PREFIX + key

export const heldPartName = (key: string): string => `${PREFIX}${key}.${machine()}-${process.pid}-${RUN}`

export interface Part {
  readonly key: string
  readonly resumable: boolean
  /** `gone`: the process that wrote it has ended, or let it go. `unknown`: it may run on another machine. */
  readonly writer: 'gone' | 'here' | 'unknown'
}

export function findPart(name: string): Part | undefined {
  const groups = NAME.exec(name)?.groups
  const key = groups?.['key']
  if (groups === undefined || key === undefined) return undefined
  return { key, resumable: key.startsWith('r'), writer: writerOf(groups) }
}

function writerOf(groups: Readonly<Record<string, string | undefined>>): Part['writer'] {
  const pid = groups['pid']
  if (pid === undefined) return 'gone'
  if (groups['machine'] !== machine()) return 'unknown'
  if (Number(pid) === process.pid) return groups['run'] === RUN ? 'here' : 'gone'
  return isRunning(Number(pid)) ? 'unknown' : 'gone'
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Whether a part is of no use to anybody. @param age milliseconds since its last change */
export function isAbandoned({ resumable, writer }: Part, age: number): boolean {
  if (writer === 'here') return false
  if (writer === 'gone' && !resumable) return true
  return age > (resumable ? KEPT.resumable : KEPT.other)
}

let known: string | undefined
/** Processes are numbered per boot and per container, so a number says nothing in another one. */
function machine(): string {
  known ??= createHash('sha256').update(JSON.stringify(placeOfProcess())).digest('hex').slice(0, 12)
  return known
}

function placeOfProcess(): string[] {
  try {
    return [hostname(), readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), readlinkSync('/proc/self/ns/pid')]
  } catch {
    return [hostname()]
  }
}
