/**
 * `npm run wild`: the rows of the zoo with their origins and outcomes. `npm run wild -- --serve ROW [--era modern|legacy] [--transport
 * http|sse|websocket|stdio]` starts a server that behaves as that row says, for a look through a gateway; it runs until it is interrupted.
 * Of a row without a server it prints what is read.
 */
import { parseArgs } from 'node:util'
import { ROWS, summaryOf } from './rows/all.ts'
import { ERAS, TRANSPORTS, type Row } from './rows/row.ts'

const USAGE = `Usage: npm run wild [-- --serve ROW [--era ${ERAS.join('|')}] [--transport ${TRANSPORTS.join('|')}]], with the number or the name of a row.`

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}

function optionsOf(words: string[]) {
  const options = { serve: { type: 'string' }, era: { type: 'string' }, transport: { type: 'string' } } as const
  try {
    return parseArgs({ args: words, options }).values
  } catch (thrown) {
    return refuse(`${thrown instanceof Error ? thrown.message : String(thrown)}\n${USAGE}`)
  }
}

/** Of the words that were given for an option, else the first that is possible. */
function chosen<Choice extends string>(word: string | undefined, choices: readonly Choice[], name: string): Choice {
  const choice = word === undefined ? choices[0] : choices.find((one) => one === word)
  return choice ?? refuse(`This row is played with --${name} ${choices.join('|')} alone. ${USAGE}`)
}

const lineOf = ({ border, behaviour, origin, outcome, words }: Row, at: number): string =>
  `${String(at + 1).padStart(3)}  ${border.padEnd(13)}  ${outcome.padEnd(13)}  ${behaviour}  (${origin})${words === '' ? '' : `  /${words}/`}`

async function show({ server, text }: Row): Promise<string> {
  if (server === undefined) return text ?? ''
  // The older ones, which most servers are, unless the other is asked for.
  const era = chosen(options.era, server.eras.toSorted(), 'era')
  const transport = chosen(
    options.transport,
    server.transports.filter((way) => way !== 'sse' || era === 'legacy'),
    'transport',
  )
  const { wire } = await server.play(era, transport)
  if (wire.kind === 'http')
    return `It listens at ${wire.url}\nIn another terminal: npm run toolway -- connection add wild ${wire.url}`
  const command = [wire.command, ...wire.args].map((word) => (/\s/.test(word) ? `'${word}'` : word)).join(' ')
  return `Add it to a gateway: npm run toolway -- connection add wild -- ${command}`
}

const options = optionsOf(process.argv.slice(2))
if (options.serve === undefined) process.stdout.write(`${ROWS.map(lineOf).join('\n')}\n${summaryOf(ROWS)}\n`)
else {
  const { serve } = options
  const row = ROWS[Number(serve) - 1] ?? ROWS.find(({ behaviour }) => behaviour === serve)
  if (row === undefined) refuse(`There is no row "${serve}". ${USAGE}`)
  process.stdout.write(`${lineOf(row, ROWS.indexOf(row)).trim()}\n${await show(row)}\n`)
}
