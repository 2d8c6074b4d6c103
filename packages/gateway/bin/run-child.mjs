/**
 * How does a launcher stand aside for the program it launches? The child has the launcher's own terminal, streams and
 * process group, gets each signal once, and its exit code becomes the launcher's. It never ends a child by force: how
 * long a shutdown may take is for the child to decide.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/**
 * Runs one program to its end.
 * @param {string} command a path, or a name that PATH knows
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options] streams are inherited unless said otherwise
 * @param {(child: import('node:child_process').ChildProcess) => void} [watch] sees the child once it is started
 * @returns {Promise<number>} its exit code; 128 + n when signal n ended it, as a shell counts
 */
export function runChild(command, args, options, watch) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { stdio: 'inherit', ...options })
    const stopPassing = passSignals(child)
    child.once('error', (error) => {
      stopPassing()
      reject(error)
    })
    child.once('close', (code, signal) => {
      stopPassing()
      resolve(signal ? 128 + constants.signals[signal] : (code ?? 1))
    })
    watch?.(child)
  })
}

const ASK_FOR_PARENT_MS = 250

function passSignals(child) {
  const seen = new Set()
  const pass = (signal) => {
    // npm repeats to its child what the whole group got already: the second of a kind is the same wish again.
    if (seen.has(signal)) return
    seen.add(signal)
    // A terminal gives Ctrl-C to the whole process group, so the child has it already.
    if (signal === 'SIGINT' && process.stdin.isTTY) return
    child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, pass)
  // Each of them asks for a restart of the processes of a port (TOOLWAY_PROCESSES). Windows has no such signal.
  const restart = () => child.kill('SIGUSR2')
  if (process.platform !== 'win32') process.on('SIGUSR2', restart)
  const watch = watchParent(() => {
    if (seen.size === 0) pass('SIGTERM')
  })
  return () => {
    clearInterval(watch)
    for (const signal of signals) process.off(signal, pass)
    process.off('SIGUSR2', restart)
  }
}

/**
 * npm runs a script in a shell and gives its signals to that shell, which ends and passes nothing on. So under npm an end
 * of the parent is a signal. Elsewhere it means nothing: who starts a program in the background may well leave.
 */
function watchParent(leave) {
  if (!process.env.npm_lifecycle_event) return undefined
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    leave()
  }, ASK_FOR_PARENT_MS)
  return watch.unref()
}
