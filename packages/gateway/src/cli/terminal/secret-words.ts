/**
 * Reads the secrets of a command from a variable, a file or standard input. A secret given on the command line can be read by
 * every user of the machine while the command runs; it is accepted with a warning. No value is ever shown.
 *
 * The option is `--env-from`, because Node itself reads an `--env-file` wherever it stands on a command line.
 */
import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { secretArguments } from '@toolway/contract/secret-marks'
import { readInput } from './input.ts'
import { CommandFault, EXIT, type Output } from './output.ts'

/** A variable of the person's environment. */
type Lookup = (name: string) => string | undefined

const visibleWarning = (what: string, instead: string) =>
  `${what} is visible to every user of this machine while the command runs: ${instead} keeps it out of the command line.`

/** The key to call with, if one was said. */
export function keyOf(
  { key, keyEnv }: { key?: string | undefined; keyEnv?: string | undefined },
  lookup: Lookup,
  { progress }: Pick<Output, 'progress'>,
): string | undefined {
  if (key !== undefined && keyEnv !== undefined) throw new CommandFault('Use either --key or --key-env.', EXIT.usage)
  if (key !== undefined) progress(visibleWarning('A key after --key', '--key-env NAME or TOOLWAY_KEY'))
  if (keyEnv === undefined) return key
  const value = lookup(keyEnv)
  if (value === undefined || value === '')
    throw new CommandFault(`The variable ${keyEnv}, specified with --key-env, is not set.`, EXIT.usage)
  return value
}

export interface PairWords {
  readonly option: '--env' | '--header'
  /** As they were said, one a pair. */
  readonly said: readonly string[]
  /** A file of them; `-` is standard input. */
  readonly file: string | undefined
}

/** Variables (`NAME=value`, or `NAME` alone for the value that it has here) or headers (`Name: value`). */
export async function pairsOf(
  { option, said, file }: PairWords,
  lookup: Lookup,
  { progress }: Pick<Output, 'progress'>,
) {
  const filed = file === undefined ? [] : pairsIn(option, await contentOf(file))
  const pairs = said.map((text) => pairOf(option, text, lookup))
  const telling = said.flatMap((text, at) => {
    const [name = '', value = ''] = pairs[at] ?? []
    return text.includes(value) && text !== name && secretArguments([`${name}=${value}`]).length > 0 ? [name] : []
  })
  if (telling.length > 0)
    progress(
      option === '--env'
        ? visibleWarning(
            `A value after --env (${telling.join(', ')})`,
            '--env NAME (which copies it from the environment) or --env-from FILE',
          )
        : visibleWarning(`A value after --header (${telling.join(', ')})`, '--header-from FILE'),
    )
  return Object.fromEntries([...filed, ...pairs])
}

const UNFIT = {
  '--env': 'A value given to --env is neither NAME=value nor the name of a variable that is set.',
  '--header': 'A header is not of the form "Name: value".',
} as const

function pairOf(option: PairWords['option'], text: string, lookup: Lookup): [string, string] {
  const at = text.indexOf(option === '--env' ? '=' : ':')
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  const value = option === '--env' && at === -1 ? lookup(text) : undefined
  // A pair without a name may be a secret, so the message does not repeat it.
  if (value === undefined) throw new CommandFault(UNFIT[option], EXIT.usage)
  return [text, value]
}

function pairsIn(option: PairWords['option'], text: string): [string, string][] {
  if (option === '--env') return Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? ''])
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return lines.map((line) => pairOf(option, line, () => undefined))
}

async function contentOf(file: string): Promise<string> {
  if (file === '-') return readInput()
  return readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    throw new CommandFault(`${file} cannot be read (${thrown.code}): check the path.`, EXIT.usage)
  })
}
