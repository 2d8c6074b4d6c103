/**
 * Words why an installation cannot be opened: one sentence with the cause and what mends it, the same for a start, for `doctor` and
 * for every other command. What is not known here is returned as it was.
 */
import { DatabaseBusy } from '../db/database-busy.ts'
import { DatabaseNewer, MigrationFailed } from '../db/migrate.ts'
import { OtherSchema } from '../db/schema-version.ts'
import { unreachableOf } from '../db/driver-errors.ts'
import { DatabaseUnreachable } from '../db/unreachable.ts'
import { DirectoryInUse, NoEmbeddedPostgres, ServerNotStarted } from '../db/embedded-postgres.ts'
import { DatabaseStopped, KeyServiceFault, WrongVaultKey } from '../base/open-store.ts'
import { CommandFault, EXIT } from './terminal/output.ts'

/** Where it was to be opened: the data directory, and whether its database is at DATABASE_URL. */
export interface OpeningPlace {
  readonly directory: string
  readonly outside: boolean
}

/** Descriptions of file system errors for a directory that cannot be used, with what mends each. */
const CHANGE_OWNER = 'change its owner, or set TOOLWAY_DATA to another directory'
const UNUSABLE: Readonly<Record<string, readonly [cause: string, mend: string]>> = {
  EACCES: ['it is not writable', CHANGE_OWNER],
  EPERM: ['it is not writable', CHANGE_OWNER],
  EROFS: ['its file system is read-only', 'set TOOLWAY_DATA to a directory on another file system'],
  ENOENT: ['it cannot be created', CHANGE_OWNER],
  ENOTDIR: ['it or something in its path is a file', CHANGE_OWNER],
  EEXIST: ['it or something in its path is a file', CHANGE_OWNER],
  ENOSPC: ['its file system is full', 'free space there, or set TOOLWAY_DATA to another directory'],
}

/** The sentence for a data directory that cannot be used; undefined for another error. */
export function directoryProblem(thrown: unknown, directory: string): string | undefined {
  const { code = '', syscall } = thrown as NodeJS.ErrnoException
  const unusable = syscall === 'connect' ? undefined : UNUSABLE[code]
  if (unusable === undefined) return undefined
  const [cause, mend] = unusable
  return `The data directory ${directory} cannot be used, because ${cause} (${code}): ${mend}.`
}

export function openingFault(thrown: unknown, { directory, outside }: OpeningPlace): unknown {
  const fault = (words: string) => new CommandFault(words, EXIT.failed, { cause: thrown })
  // `doctor` says what a database that does not run means for it.
  if (thrown instanceof CommandFault || thrown instanceof DatabaseStopped) return thrown
  if (thrown instanceof WrongVaultKey) return fault(thrown.message)
  if (thrown instanceof KeyServiceFault)
    return fault(`The vault key cannot be created: ${thrown.message}. Check TOOLWAY_KEY_SERVICE, and start again.`)
  if (thrown instanceof DirectoryInUse)
    return fault(
      `The data directory ${directory} is in use by another Toolway gateway (its database runs as process ${thrown.pid}): stop that one, or set TOOLWAY_DATA to another directory.`,
    )
  if (OWN.some((kind) => thrown instanceof kind)) return fault(sentence((thrown as Error).message))
  if (thrown instanceof ServerNotStarted) return fault(damagedWords(thrown, directory))
  const away = unreachableOf(thrown, 'nothing')
  const problem = directoryProblem(away?.cause ?? thrown, directory)
  if (problem !== undefined && !(outside && away !== undefined)) return fault(problem)
  if (away !== undefined && outside) return fault(awayWords(away.cause, away.reason, away.operatorMend))
  // A mistake of this program is told as one.
  if (!(thrown instanceof Error) || MISTAKES.some((kind) => thrown instanceof kind)) return thrown
  if (outside)
    return fault(
      `The database at DATABASE_URL cannot be used (${firstLine(thrown.message)}): check the role’s permissions and the log of the server.`,
    )
  return fault(`The database in ${directory} failed to start: ${firstLine(thrown.message)}.`)
}

/** The sentence for a database that cannot be used; undefined for another failure of a command. */
export function databaseTrouble(thrown: unknown): string | undefined {
  if (thrown instanceof DatabaseUnreachable) return thrown.forOperator
  const isOfDatabase = thrown instanceof CommandFault && unreachableOf(thrown.cause, 'nothing') !== undefined
  return isOfDatabase ? thrown.message : undefined
}

/** Their messages are sentences for the operator. */
const OWN = [DatabaseBusy, DatabaseNewer, MigrationFailed, NoEmbeddedPostgres, OtherSchema]
const MISTAKES = [TypeError, RangeError, ReferenceError]

/** Node's codes are known to people who run servers; PostgreSQL's are not, and its words are. */
function awayWords(cause: unknown, reason: string, mend: string): string {
  const { code = '' } = cause as NodeJS.ErrnoException
  const shown = /^E[A-Z_]+$/.test(code) ? code : firstLine(reason)
  return `The database at DATABASE_URL cannot be used (${shown}): ${mend}`
}

const damagedWords = ({ report, logFile }: ServerNotStarted, directory: string): string =>
  `The database in ${directory} failed to start${report === undefined ? '' : ` (PostgreSQL reports: ${report})`}: see ${logFile}. ` +
  'If its files are damaged, restore a backup into a new directory: `TOOLWAY_DATA=/new/directory toolway restore BACKUP`.'

const firstLine = (message: string): string => (message.split('\n')[0] ?? '').replace(/\.$/, '')
const sentence = (words: string): string =>
  `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${words.endsWith('.') ? '' : '.'}`
