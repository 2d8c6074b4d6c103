/** Asking a person at a terminal; a secret is read without showing it. Questions go to stderr, so that a result stays clean. */
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { readInput } from './input.ts'
import { CommandFault, EXIT } from './output.ts'

async function askWith(question: string, shown: boolean): Promise<string> {
  if (!process.stdin.isTTY)
    throw new CommandFault(`Cannot prompt for "${question}", because there is no terminal: see --help.`, EXIT.usage)
  process.stderr.write(`${question}: `)
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input: process.stdin, output: shown ? process.stderr : nowhere, terminal: true })
  // Ctrl+C ends the command, as it does everywhere else.
  lines.on('SIGINT', () => process.exit(130))
  try {
    // The end of the input is an empty answer.
    const ended = once(lines, 'close').then(() => '')
    return await Promise.race([lines.question(''), ended])
  } finally {
    lines.close()
    if (!shown) process.stderr.write('\n')
  }
}

export const askLine = async (question: string): Promise<string> => (await askWith(question, true)).trim()

/** A question whose answer is yes or no; only a clear yes counts. */
export const askYes = async (question: string): Promise<boolean> =>
  /^y(?:es)?$/i.test(await askLine(`${question} (yes/no)`))

/** From standard input where that was asked for: its first line. */
export async function readPassword(question: string, fromInput: boolean): Promise<string> {
  if (!fromInput) return askWith(question, false)
  const [line = ''] = (await readInput()).split(/\r?\n/)
  return line
}

/** A new one, typed twice where somebody types it. */
export async function readNewPassword(fromInput: boolean): Promise<string> {
  const password = await readPassword('New password', fromInput)
  if (!fromInput && (await readPassword('Repeat the password', false)) !== password)
    throw new CommandFault('The passwords do not match. Nothing was changed.')
  return password
}
