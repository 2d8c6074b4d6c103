/** The command line and the variables of a program, in our words or in a source system's. */
import type { ConnectionRequest } from '../kind.ts'
import { mismatch } from '../settings.ts'

type Pairs = Readonly<Record<string, string | null>>

const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  external_nodejs: ['npx', '-y'],
  external_python: ['uvx'],
}

/** The words of the command line, as far as any are said. */
export function commandOf(request: ConnectionRequest): { command?: string; args?: string[] } {
  const { command, args, runtime_command: runtime, package_path: path, runtime_type: type = '' } = request
  if (runtime === undefined && path === undefined)
    return { ...(command === undefined ? {} : { command }), ...(args === undefined ? {} : { args }) }
  if (command !== undefined || args !== undefined) throw mismatch('/command', 'is given in two ways')
  if (runtime !== undefined && path !== undefined)
    throw mismatch('/package_path', 'is for a package without a command of its own')
  const words = path === undefined ? wordsIn(runtime ?? []) : [...(RUNNERS[type] ?? []), path]
  const [program, ...rest] = words
  if (program === undefined || program === '') throw mismatch('/runtime_command', 'contains no word')
  return { command: program, args: rest }
}

/** No shell reads it, so a text is either a list in JSON or words with spaces between them. */
function wordsIn(input: readonly string[] | string): readonly string[] {
  if (typeof input !== 'string') return input
  if (!input.trimStart().startsWith('[')) return input.split(/\s+/).filter((word) => word !== '')
  try {
    const read: unknown = JSON.parse(input)
    if (Array.isArray(read) && read.every((word) => typeof word === 'string')) return read
  } catch {
    // Told below.
  }
  throw mismatch('/runtime_command', 'is not a JSON list of strings')
}

/** The source system gives its configuration to a program as variables `CONFIG_NAME`. */
export function environmentOf({
  configuration = {},
  runtime_env: runtime = {},
  environment = {},
}: ConnectionRequest): Pairs {
  const configured = Object.entries(configuration).map(([name, value]) => [
    `CONFIG_${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return { ...(Object.fromEntries(configured) as Pairs), ...runtime, ...environment }
}
