/**
 * `npm run wild`: the rows of the zoo with their outcomes. `npm run wild -- --serve ROW [--era modern|legacy]` starts a server that
 * behaves as that row says, for a look through a gateway; it runs until it is interrupted.
 */
import { parseArgs } from 'node:util'
import { ROWS, type Row } from './rows/all.ts'

const USAGE = 'Usage: npm run wild [-- --serve ROW [--era modern|legacy]], with the number or the name of a row.'

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}

function optionsOf(words: string[]) {
  try {
    return parseArgs({
      args: words,
      options: { serve: { type: 'string' }, era: { type: 'string', default: 'legacy' } },
    }).values
  } catch (thrown) {
    return refuse(`${thrown instanceof Error ? thrown.message : String(thrown)}\n${USAGE}`)
  }
}

const lineOf = ({ border, behaviour, outcome, words }: Row, at: number): string =>
  `${String(at + 1).padStart(3)}  ${border.padEnd(10)}  ${outcome.padEnd(13)}  ${behaviour}${words === '' ? '' : `  /${words}/`}`

function summary(): string {
  const counts = Map.groupBy(ROWS, ({ border, outcome }) => `${border} ${outcome}`)
  return `${ROWS.length} rows: ${[...counts].map(([name, rows]) => `${rows.length} ${name}`).join(', ')}.`
}

const { serve, era } = optionsOf(process.argv.slice(2))
if (era !== 'modern' && era !== 'legacy') refuse(USAGE)
if (serve === undefined) process.stdout.write(`${ROWS.map(lineOf).join('\n')}\n${summary()}\n`)
else {
  const row = ROWS[Number(serve) - 1] ?? ROWS.find(({ behaviour }) => behaviour === serve)
  if (row === undefined) refuse(`There is no row "${serve}". ${USAGE}`)
  const { url } = await row.play(era)
  process.stdout.write(
    `${lineOf(row, ROWS.indexOf(row)).trim()}\nIt listens at ${url}\nIn another terminal: npm run toolway -- connection add wild ${url}\n`,
  )
}
