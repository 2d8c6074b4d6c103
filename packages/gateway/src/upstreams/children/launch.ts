/**
 * The launch parameters of a stdio server. They are validated before anything is started, converted for the worker, and shown in
 * logs with secrets masked. It never reads the file system: the worker does.
 */
import { createHash } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import { ChildError } from './child-error.ts'
import { LINE_CEILING, LINE_LIMIT, MEMORY_LIMIT, type Confinement, type Order } from './frame.ts'
import { maskArguments, maskCommand, secretValues } from '@toolway/contract/secret-marks'
import { createMask } from './mask.ts'
import type { ChildNetwork } from './sandbox/driver.ts'

export interface Launch {
  /** Identifies the child: the same name gets the same folder again. It must contain the owner where there is one. */
  name: string
  /** Of its connection, for the commands in sentences; the name where it is of none. */
  alias?: string
  /** A name looked up in PATH, or a path. No shell reads it. */
  command: string
  args: readonly string[]
  /** The arguments as lists show them: one that differs holds a secret. */
  shownArgs?: readonly string[]
  /** Programs that it starts itself: without one of them in PATH it is not started. */
  programs?: readonly string[]
  /** The declared variables; a value of eight characters or more is masked in stderr and logs. */
  environment: Readonly<Record<string, string>>
  /** Default: `work` in its own folder, against which a relative one is taken. */
  cwd?: string
  /** Gives up the start; has no meaning once it has started. */
  signal?: AbortSignal
  /** Bytes of one line of its output; default 8 MiB. */
  lineLimit?: number
  /** Bytes that it may hold with all it started; default 2 GiB. */
  memoryLimit?: number
  /** Default: public. */
  network?: ChildNetwork
  /** Hosts that it may reach, for `listed`. */
  allowHosts?: readonly string[]
  /** Folders and files that it may use besides its own: `path`, or `path:ro` for one that it may only read. */
  allowPaths?: readonly string[]
  /** The slug of the organization that it is started for. */
  organization?: string
  /** A program of this product, started by its own code and by no connection: it is not confined. */
  own?: true
}

/** Settings that all children share: PATH, LANG, inherited variables, and the folder below which each child gets its own. */
export interface World {
  path: string
  lang: string
  home: string
  inherited: Readonly<Record<string, string>>
}

/** Throws ChildError POSIX_ONLY or INVALID_LAUNCH. */
export function checkLaunch(
  { name, command, args, environment, cwd, lineLimit, allowPaths = [] }: Launch,
  platform: NodeJS.Platform,
): void {
  if (platform === 'win32') {
    throw new ChildError(
      'POSIX_ONLY',
      'Stdio servers need a POSIX system (Linux, macOS, or WSL on Windows), because only there can a server be stopped together with everything that it started.',
    )
  }
  const no = (what: string) => new ChildError('INVALID_LAUNCH', what)
  if (name === '' || command === '') throw no('A stdio server needs a name and a command.')
  if ([command, ...args, cwd ?? ''].some((word) => word.includes('\0'))) {
    throw no('The command, an argument or the working folder contains a NUL character.')
  }
  for (const [key, value] of Object.entries(environment)) {
    if (key === '' || /[=\0]/.test(key) || value.includes('\0')) {
      throw no(`The variable "${key}" has a name or a value that is not valid in an environment.`)
    }
  }
  const relative = allowPaths.find((path) => !isAbsolute(path) || path.includes('\0'))
  if (relative !== undefined) throw no(`The allowed path "${relative}" is not absolute.`)
  if (lineLimit !== undefined && !(Number.isInteger(lineLimit) && lineLimit > 0 && lineLimit <= LINE_CEILING)) {
    throw no(`The line limit must be between 1 and ${LINE_CEILING} bytes.`)
  }
}

/** A folder name that is readable, stays inside its parent, and differs for names that differ. */
function folderOf(name: string): string {
  const readable = name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 40)
  return `${readable}-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`
}

/** Positions of arguments that are known to hold a secret, whatever they look like. */
const knownSecrets = ({ args, shownArgs }: Launch): ReadonlySet<number> =>
  new Set(shownArgs === undefined ? [] : args.flatMap((arg, at) => (shownArgs[at] === arg ? [] : [at])))

export function orderOf(launch: Launch, { path, lang, home, inherited }: World, confinement?: Confinement): Order {
  const { name, command, args, programs = [], environment, cwd } = launch
  const { lineLimit = LINE_LIMIT, memoryLimit = MEMORY_LIMIT } = launch
  const own = { home: join(home, folderOf(name)), ...(cwd === undefined ? {} : { cwd }) }
  // A proxy or a registry may be given with its password.
  const credentials = Object.values(inherited).filter((value) => value.includes('@'))
  const hidden = [...secretValues(args, knownSecrets(launch)), ...credentials]
  return {
    command,
    args: [...args],
    programs: [...programs],
    hidden,
    secretArgs: [...knownSecrets(launch)],
    inherited: { ...inherited },
    environment: { ...environment },
    path,
    lang,
    lineLimit,
    memoryLimit,
    ...own,
    ...(confinement === undefined ? {} : { confinement }),
  }
}

/** The command as it may be logged: masked as in lists, declared values too. */
export function wordsOf(launch: Launch): string {
  const { command, args, environment } = launch
  const words = [maskCommand(command), ...maskArguments(args, knownSecrets(launch))]
  return createMask(environment)(words.join(' ')).slice(0, 200)
}
