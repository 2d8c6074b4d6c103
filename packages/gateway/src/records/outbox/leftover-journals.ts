/**
 * The files and lines that ended processes left in the journal.
 *
 * A file belongs to its process for as long as that lives: the process exists (where process ids mean the same), gave a sign of
 * life lately, or holds its name in the database, as one does that is only stopped. Another process's file is never written to.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readLines } from '../../lib/text-lines.ts'
import type { Entry } from '../records.ts'
import { LEFTOVER_SUFFIX, placeOf, type Mark } from './journal.ts'

/** The files of one process, in the order in which it wrote them. */
export interface Left {
  readonly paths: readonly string[]
}

const NAME = /^([0-9a-f]{12})-(\d+)-([0-9a-f]{8})-\d{9}(\.left)?$/
/** Without a sign of life for so long a process is gone. Milliseconds. */
const SILENCE = 60_000

/** `holds`: whether the writer of that name is connected to the database. */
export async function findLeft(
  directory: string,
  now: number,
  holds: (owner: string) => Promise<boolean>,
): Promise<Left[]> {
  const names = await readdir(directory).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return []
    throw thrown
  })
  const writers = new Map<string, { pid: number; place: string; names: string[] }>()
  for (const name of names.toSorted((value, other) => (value < other ? -1 : 1))) {
    const [, machine, pid, token] = NAME.exec(name) ?? []
    if (machine === undefined || pid === undefined) continue
    // Files that were left on purpose may be taken by any process, even while their writer lives.
    const writer = `${machine}-${pid}-${token}${name.endsWith(LEFTOVER_SUFFIX) ? LEFTOVER_SUFFIX : ''}`
    const group = writers.get(writer) ?? { pid: Number(pid), place: machine, names: [] }
    group.names.push(name)
    writers.set(writer, group)
  }
  const left = [...writers].map(async ([writer, { pid, place, names: own }]) => {
    const paths = own.map((name) => join(directory, name))
    if (writer.endsWith(LEFTOVER_SUFFIX)) return [{ paths }]
    const verdict = await verdictOn(paths, place === placeOf() ? pid : undefined, now)
    return verdict === 'gone' || (verdict === 'silent' && !(await holds(writer))) ? [{ paths }] : []
  })
  return (await Promise.all(left)).flat()
}

async function verdictOn(
  paths: readonly string[],
  pid: number | undefined,
  now: number,
): Promise<'gone' | 'silent' | 'alive'> {
  const signs = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  )
  const sign = Math.max(...signs)
  // In a container a gateway and the one after it have the same number.
  const dead = pid === process.pid ? sign < now - process.uptime() * 1000 : pid !== undefined && !isAlive(pid)
  if (dead) return 'gone'
  return now - sign > SILENCE ? 'silent' : 'alive'
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Lines that say nothing (the last one of a file may be half a line) are handed to `onBroken`. */
export async function* readJournal(
  path: string,
  onBroken: (line: string) => void,
): AsyncGenerator<{ mark: Mark; entry: Entry }> {
  for await (const line of readLines(path)) {
    const mark = line[0]
    const entry = mark === 'i' || mark === 'f' ? parseEntry(line.slice(1)) : undefined
    if (entry === undefined) onBroken(line)
    else yield { mark: mark as Mark, entry }
  }
}

function parseEntry(text: string): Entry | undefined {
  try {
    const value = JSON.parse(text) as Entry | null
    return typeof value?.id === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
