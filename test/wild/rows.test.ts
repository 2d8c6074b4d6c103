/** The rows of the zoo: each has an outcome, the words of whatever is not taken, and a server that plays it. */
import { expect, test } from 'vitest'
import { ROWS } from './rows/all.ts'

test('each row has a name of its own at its border', () => {
  const names = ROWS.map(({ border, behaviour }) => `${border} ${behaviour}`)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('what is left out, refused or repaired is told in words', () => {
  const silent = ROWS.filter(({ outcome, words }) => outcome !== 'taken' && words === '')
  expect(silent.map(({ behaviour }) => behaviour)).toEqual([])
})

test.each(['modern', 'legacy'] as const)('each row is played by a server (%s)', async (era) => {
  for (const { border, behaviour, play } of ROWS) {
    await using server = await play(era)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'zoo', version: '1' } }
    // A row of a greeting is one of the other method.
    const method = era === 'legacy' || border === 'greeting' ? 'initialize' : 'server/discover'
    const answer = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    expect(await answer.json(), behaviour).toMatchObject({ id: 1, result: { capabilities: expect.anything() } })
  }
})
