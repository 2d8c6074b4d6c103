/**
 * Whether a model finds the right one of all tools by a question of a person: 150 questions with the tools that answer them, asked of
 * the product's own search. They were written before anything was tuned, and every third is asked for the final figure alone.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONNECTORS, definitionOf } from '../../packages/connectors/src/index.ts'
import { createRanking, type Findable } from '../../packages/gateway/src/catalog/search/ranking.ts'

interface Question {
  readonly query: string
  readonly wanted: readonly string[]
}
/** The number of tools on the first page of a search. */
const FIRST = 5
const QUESTIONS = JSON.parse(
  readFileSync(new URL('search-questions.json', import.meta.url), 'utf8'),
) as readonly Question[]

test('the right tool of 358 is among the first five for 95 % of 150 questions, and of the fifty that nothing was tuned by', async () => {
  const tools: Findable[] = []
  for (const [alias, { load }] of Object.entries(CONNECTORS))
    for (const [own, tool] of (await load()).tools)
      tools.push({ name: own, own, alias, definition: definitionOf(own, tool) as Findable['definition'] })
  const ranking = createRanking(tools)
  const placed = QUESTIONS.map(({ query, wanted }) => ({
    query,
    place: ranking.find(query).findIndex((name) => wanted.includes(name)),
  }))
  const found = ({ place }: { place: number }) => place !== -1 && place < FIRST
  const heldOut = placed.filter((_, at) => at % 3 === 2)
  const share = (some: typeof placed) => some.filter(found).length / some.length
  const first = placed.filter(({ place }) => place === 0).length / placed.length
  const percent = (part: number) => `${(part * 100).toFixed(1)} %`
  process.stdout.write(
    `\n${tools.length} tools, ${placed.length} questions: ${percent(share(placed))} among the first five, ${percent(share(heldOut))} of those held out, ${percent(first)} the very first\n`,
  )
  const missed = placed.filter((one, at) => at % 3 !== 2 && !found(one)).map(({ query }) => query)
  expect(QUESTIONS).toHaveLength(150)
  expect([share(placed) >= 0.95, share(heldOut) >= 0.95], missed.join('\n')).toEqual([true, true])
})
