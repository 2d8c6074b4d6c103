/** The server of contexts on standard streams. The first argument is its era. */
import { createInterface } from 'node:readline'
import { answerOf, type Message } from './context-server.ts'

createInterface({ input: process.stdin }).on('line', (line) => {
  const answer = answerOf(process.argv[2] ?? '', JSON.parse(line) as Message)
  if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`)
})
