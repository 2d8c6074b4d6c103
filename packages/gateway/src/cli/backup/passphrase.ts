/** The lock of a backup, and its key. A passphrase is asked for, or read from a file or a variable; it never stands on a command line. */
import { readFile } from 'node:fs/promises'
import { openConfig } from '../open-config.ts'
import type { Lock, Opener } from '../../lib/archive/age.ts'
import { CommandFault, EXIT } from '../terminal/output.ts'
import { readPassword } from '../terminal/terminal.ts'

export interface Given {
  readonly passphraseFile?: string
  readonly passphraseEnv?: string
  readonly identityFile?: string
}
export interface Locking extends Omit<Given, 'identityFile'> {
  readonly recipient?: readonly string[]
}

const LEAST = 12

export async function lockOf({ recipient, ...source }: Locking): Promise<Lock> {
  onlyOne([recipient, source.passphraseFile, source.passphraseEnv])
  if (recipient !== undefined) return { recipients: recipient }
  const passphraseText = await saidPassphrase(source)
  const passphrase = passphraseText ?? (await readPassword('Passphrase for the backup', false))
  if (passphrase.length < LEAST)
    throw new CommandFault(
      `The passphrase must be at least ${LEAST} characters long, because an attacker can spend years trying to crack a stolen backup.`,
    )
  if (passphraseText === undefined && (await readPassword('Repeat the passphrase', false)) !== passphrase)
    throw new CommandFault('The passphrases do not match. Nothing was written.')
  return { passphrase }
}

export async function openerOf(input: Given): Promise<Opener> {
  onlyOne([input.identityFile, input.passphraseFile, input.passphraseEnv])
  if (input.identityFile === undefined)
    return { passphrase: (await saidPassphrase(input)) ?? (await readPassword('Passphrase for the backup', false)) }
  const lines = (await textOf(input.identityFile)).split('\n').map((line) => line.trim())
  return { identities: lines.filter((line) => line !== '' && !line.startsWith('#')) }
}

async function saidPassphrase({ passphraseFile: file, passphraseEnv: name }: Given): Promise<string | undefined> {
  if (file !== undefined) return (await textOf(file)).split(/\r?\n/)[0] ?? ''
  if (name === undefined) return undefined
  const value = (await openConfig()).lookup(name)
  if (value === undefined || value === '') throw new CommandFault(`The variable ${name} is not set.`, EXIT.usage)
  return value
}

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new CommandFault(`${file} cannot be read (${cause.code ?? 'unknown cause'}).`, EXIT.failed, { cause })
  })

function onlyOne(input: readonly unknown[]): void {
  if (input.filter((value) => value !== undefined).length > 1)
    throw new CommandFault('Choose only one option for the passphrase or key.', EXIT.usage)
}
