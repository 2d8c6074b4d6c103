/** A server of the zoo over stdio: `node zoo.script.ts ERA ROW`, or `ERA all` for the one that has every definition and result. */
import { createInterface } from 'node:readline'
import { shownByRow } from './rows/servers.ts'
import type { Era } from './rows/row.ts'
import { wholeZoo } from './whole-zoo.ts'
import { answerTo } from './zoo-messages.ts'

const [era, row] = process.argv.slice(2) as [Era, string]
const shown = row === 'all' ? wholeZoo(era) : shownByRow(row)(era)
createInterface(process.stdin).on('line', (line) => {
  const text = line.trim() === '' ? undefined : answerTo(shown, line)
  if (text !== undefined) process.stdout.write(`${text}\n`)
})
