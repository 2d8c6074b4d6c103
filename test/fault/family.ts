/**
 * Finds processes that a gateway left behind: all its descendants, followed from /proc while it lives and after it died, and
 * every process whose command line, environment or folder names its data directory.
 *
 * A pid alone does not identify a process: each is identified by its pid and its start time (proc_pid_stat(5)). Sends no signals.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

interface Seen {
  readonly pid: number
  readonly parent: number
  readonly began: string
  readonly dead: boolean
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it ended just now, or is none of ours to look into
  }
}

function look(pid: number): Seen | undefined {
  const line = read(`/proc/${pid}/stat`)
  if (line === '') return undefined
  // The name stands in brackets and may hold anything; state is the 3rd field, ppid the 4th, starttime the 22nd.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return { pid, parent: Number(fields[1]), began: fields[19] ?? '', dead: fields[0] === 'Z' || fields[0] === 'X' }
}

const everyone = (): Seen[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => look(Number(name)) ?? [])

function names(pid: number, mark: string): boolean {
  let folder = ''
  try {
    folder = readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    // as above
  }
  return (
    folder.includes(mark) || read(`/proc/${pid}/cmdline`).includes(mark) || read(`/proc/${pid}/environ`).includes(mark)
  )
}

/** Both ends of a command line: the program, and what a script is called. */
function wordsOf(pid: number): string {
  const words = read(`/proc/${pid}/cmdline`)
    .replaceAll(/[\0\s]+/g, ' ')
    .trim()
  return words.length < 200 ? words : `${words.slice(0, 140)} … ${words.slice(-50)}`
}

export interface Family {
  /** Returns the processes ever found that are alive now, including the root. A process once found stays known. */
  alive(): string[]
}

/** @param mark text that only this family's command lines, variables and folders hold */
export function followFamily(root: number, mark: string): Family {
  const known = new Map<number, string>()
  const began = look(root)?.began
  if (began !== undefined) known.set(root, began)

  function search(): Map<number, Seen> {
    const all = new Map(everyone().map((one) => [one.pid, one]))
    const isKnown = (pid: number) => known.has(pid) && known.get(pid) === all.get(pid)?.began
    for (let size = -1; size < known.size;) {
      size = known.size
      for (const { pid, parent, began: start } of all.values()) {
        if (pid !== process.pid && (isKnown(parent) || names(pid, mark))) known.set(pid, start)
      }
    }
    return all
  }
  return {
    alive() {
      const all = search()
      const living = [...known].filter(([pid, start]) => all.get(pid)?.began === start && all.get(pid)?.dead === false)
      return living.map(([pid]) => `${pid} ${wordsOf(pid)}`)
    },
  }
}
