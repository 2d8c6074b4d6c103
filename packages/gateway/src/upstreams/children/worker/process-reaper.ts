/**
 * Process reaper: ends the children when the worker is killed. It is one small shell in a session of its own that reads the known
 * groups from a pipe that only the worker holds; when the pipe closes, it kills the groups still known. It never outlives that,
 * and accepts only `add` and `remove` with a number.
 */
import { spawn, type ChildProcess } from 'node:child_process'

const SCRIPT = `
trap '' HUP INT TERM
groups=" $* "
while read -r word group; do
  case "$group" in ''|*[!0-9]*|0|1) continue ;; esac
  case "$word" in
    add) groups="$groups$group " ;;
    remove) case "$groups" in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
exit 0
`
/** It has no reason to end before us; if it does again and again, the worker ends instead of working without it. */
const REPLACEMENTS = 5

export interface ProcessReaper {
  add(group: number): void
  remove(group: number): void
}

export function createProcessReaper(): ProcessReaper {
  const groups = new Set<number>()
  let replaced = 0
  let shell = begin()

  function begin(): ChildProcess {
    // Groups that are already known are passed as arguments: the worker could be killed before it has written them to the pipe.
    const known = [...groups].map(String)
    const started = spawn('/bin/sh', ['-c', SCRIPT, 'toolway-reaper', ...known], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      env: {},
    })
    started.on('error', (cause) => {
      throw new Error('cannot start /bin/sh, without which children could outlive the gateway', { cause })
    })
    // It breaks when the shell is gone, and 'exit' says so.
    started.stdin?.on('error', () => started.stdin?.destroy())
    started.on('exit', () => {
      replaced += 1
      if (replaced > REPLACEMENTS) throw new Error('the process reaper for the stdio servers does not stay alive')
      shell = begin()
    })
    return started
  }
  function writeWord(word: 'add' | 'remove', group: number): void {
    if (shell.stdin?.writable) shell.stdin.write(`${word} ${group}\n`)
  }

  return {
    add(group) {
      groups.add(group)
      writeWord('add', group)
    },
    remove(group) {
      if (groups.delete(group)) writeWord('remove', group)
    },
  }
}
