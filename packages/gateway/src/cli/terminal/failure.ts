/**
 * How a command that failed ends: one or two sentences on stderr, with the problem and the next step. Nobody at a terminal is shown a
 * stack; that of an unexpected error is printed where LOG_LEVEL is debug.
 */
import { Fault } from '@toolway/contract'
import { ConfigFault } from '../../config.ts'
import { DatabaseUnreachable } from '../../db/unreachable.ts'
import { DirectoryInUse } from '../../db/embedded/directory-in-use.ts'
import { WrongVaultKey } from '../../vault/ring.ts'
import { openConfig } from '../open-config.ts'
import { Refusal } from '../transport/transport.ts'
import { CommandFault, EXIT, harmless } from './output.ts'

/** Their messages are sentences for the operator. */
const KNOWN = [CommandFault, ConfigFault, DatabaseUnreachable, DirectoryInUse, WrongVaultKey, Fault]

/** Prints it; the exit code. */
export async function tellFailure(thrown: unknown, json: boolean): Promise<number> {
  const code = thrown instanceof CommandFault ? thrown.exitCode : EXIT.failed
  const lines = linesOf(thrown)
  if (json) process.stderr.write(`${JSON.stringify({ error: harmless(lines.join(' ')), exitCode: code })}\n`)
  else for (const line of lines) process.stderr.write(`${harmless(line)}\n`)
  if (!isKnown(thrown) && thrown instanceof Error && (await isDebugging()))
    process.stderr.write(`${harmless(thrown.stack ?? '')}\n`)
  return code
}

const isKnown = (thrown: unknown): boolean => KNOWN.some((kind) => thrown instanceof kind)

function linesOf(thrown: unknown): readonly string[] {
  if (thrown instanceof Refusal && thrown.mend !== '') return [thrown.problem, thrown.mend]
  // A fault of the database is told to callers without its reason, which the operator at this terminal needs.
  if (thrown instanceof DatabaseUnreachable) return [thrown.forOperator]
  if (thrown instanceof Fault) return [thrown.message, thrown.mend].filter((line) => line !== '')
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  if (isKnown(thrown)) return [message]
  const { code, syscall, path } = thrown as NodeJS.ErrnoException
  if (syscall !== undefined && path !== undefined)
    return [
      `${path} cannot be used (${code}, ${syscall}): check that it exists, its permissions and the space on its disk.`,
    ]
  // Programs and drivers put stacks and logs of their own behind the first line.
  const problem = (message.split('\n')[0] ?? '').replace(/\.$/, '')
  return [
    `An unexpected error ended the command: ${problem === '' ? 'it has no message' : problem}.`,
    'Run the command again with LOG_LEVEL=debug to see where it occurred, and report that if it persists.',
  ]
}

/** Settings that cannot be read are the usual reason for a failure, and say nothing about this one. */
const isDebugging = (): Promise<boolean> =>
  openConfig().then(
    ({ config }) => config.LOG_LEVEL === 'debug',
    () => false,
  )
