/**
 * Resolves a command name to a file: the first executable file of that name in the absolute folders of PATH; a name with a slash
 * is a path already. It never asks a shell and never looks into the working folder for a bare name. The error says whether the
 * file is missing or is not executable.
 */
import { access, constants, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { maskCommand } from '@toolway/contract/secret-marks'
import { ChildError } from '../child-error.ts'

type Found = 'executable' | 'plain' | 'absent'

async function lookAtFile(file: string): Promise<Found> {
  try {
    if (!(await stat(file)).isFile()) return 'absent'
  } catch {
    return 'absent' // not there, or in a folder we may not enter: for us the same
  }
  return access(file, constants.X_OK).then(
    () => 'executable' as const,
    () => 'plain' as const,
  )
}

/** Relative folders of PATH are left out: a bare name is never taken from the working folder. */
const foldersOf = (path: string): string[] => path.split(':').filter((folder) => isAbsolute(folder))

/** Programs that a server starts by itself. Throws ChildError PROGRAM_NOT_FOUND that names all that are missing. */
export async function findPrograms(names: readonly string[], path: string): Promise<void> {
  const folders = foldersOf(path)
  const isThere = async (name: string) => {
    for (const folder of folders) if ((await lookAtFile(join(folder, name))) === 'executable') return true
    return false
  }
  const found = await Promise.all(names.map(isThere))
  const missing = names.filter((_, at) => found[at] !== true)
  if (missing.length === 0) return
  const verb = missing.length === 1 ? 'is' : 'are'
  throw new ChildError(
    'PROGRAM_NOT_FOUND',
    `${missing.join(' and ')} ${verb} not installed: this server needs ${missing.length === 1 ? 'it' : 'them'}. ` +
      'Install it where the gateway runs (in its image, if it runs in a container), in a folder on PATH.',
  )
}

/** Returns an absolute path. Throws ChildError COMMAND_NOT_FOUND or COMMAND_NOT_EXECUTABLE. */
export async function findCommand(command: string, { path, cwd }: { path: string; cwd: string }): Promise<string> {
  const folders = foldersOf(path)
  const files = command.includes('/') ? [resolve(cwd, command)] : folders.map((folder) => join(folder, command))
  let plain: string | undefined
  for (const file of files) {
    const found = await lookAtFile(file)
    if (found === 'executable') return file
    if (found === 'plain') plain ??= file
  }
  // Some put a whole line here, with its secrets.
  const shown = maskCommand(command)
  if (plain) {
    throw new ChildError('COMMAND_NOT_EXECUTABLE', `The command "${shown}" is not executable. Run chmod +x on it.`)
  }
  throw new ChildError(
    'COMMAND_NOT_FOUND',
    command.includes('/')
      ? `The command "${shown}" was not found: there is no such file where the gateway runs. Check the path.`
      : `The command "${shown}" was not found in any of the ${folders.length} folders on PATH. ` +
          'Install it where the gateway runs (in its image, if it runs in a container), or give the full path.',
  )
}
