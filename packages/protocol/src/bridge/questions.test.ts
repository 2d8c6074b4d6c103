import { describe, expect, test } from 'vitest'
import { askableOf, nextRound, questionsOf } from './questions.ts'

describe('what a legacy client can be asked', () => {
  test('is what its session declared, and nothing that the modern era does not ask', () => {
    expect(
      askableOf({
        elicitation: { form: {}, url: {} },
        sampling: { tools: {} },
        roots: { listChanged: true },
        tasks: {},
      }),
    ).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: { tools: {} },
      roots: {},
    })
    expect(askableOf({ elicitation: {}, sampling: {} })).toEqual({ elicitation: {}, sampling: {} })
    expect(askableOf({})).toEqual({})
    expect(askableOf({ sampling: true, roots: null })).toEqual({})
  })
})

test('what a client writes into its capabilities beside the specification makes no other set of them', () => {
  const sets = [1, 2].map((n) =>
    askableOf({ sampling: { n, tools: { n }, context: {} }, elicitation: { url: { n }, form: { n }, other: {} } }),
  )
  expect(new Set(sets.map((set) => JSON.stringify(set)))).toEqual(
    new Set(['{"elicitation":{"form":{},"url":{}},"sampling":{"context":{},"tools":{}}}']),
  )
})

describe('the questions of a round', () => {
  const form = { mode: 'form', message: 'Which account?', requestedSchema: { type: 'object', properties: {} } }

  test('keep the names that their server gave them', () => {
    expect(
      questionsOf({
        inputRequests: { ask: { method: 'elicitation/create', params: form }, where: { method: 'roots/list' } },
      }),
    ).toEqual([
      { key: 'ask', method: 'elicitation/create', params: form },
      { key: 'where', method: 'roots/list', params: {} },
    ])
  })

  test('are none when the server only wants to be asked again', () => {
    expect(questionsOf({ resultType: 'input_required', requestState: 's' })).toEqual([])
  })

  test('about an address carry the id that a legacy client needs; one that has an id keeps it', () => {
    const url = { mode: 'url', message: 'Sign in', url: 'https://example.com/' }
    expect(questionsOf({ inputRequests: { k: { method: 'elicitation/create', params: url } } })?.[0]?.params).toEqual({
      ...url,
      elicitationId: 'k',
    })
    const own = { ...url, elicitationId: 'own' }
    expect(questionsOf({ inputRequests: { k: { method: 'elicitation/create', params: own } } })?.[0]?.params).toEqual(
      own,
    )
  })

  test.each([
    { inputRequests: { a: { method: 'tools/call' } } },
    { inputRequests: { a: { method: 'constructor' } } },
    { inputRequests: { a: { params: {} } } },
    { inputRequests: { a: 'ask' } },
    { inputRequests: [] },
  ])('%j are no questions that any client could be asked', (result) => {
    expect(questionsOf(result)).toBeUndefined()
  })
})

describe('the next round', () => {
  test('carries the answers and the server’s state exactly, and all else as it was', () => {
    const params = { name: 'sql', arguments: { q: 1 }, _meta: { vendor: 1 } }
    expect(nextRound(params, { requestState: 'v1.x' }, { ask: { action: 'accept' } })).toEqual({
      ...params,
      inputResponses: { ask: { action: 'accept' } },
      requestState: 'v1.x',
    })
  })

  test('carries nothing of the round before', () => {
    const before = { name: 'sql', inputResponses: { old: {} }, requestState: 'old' }
    expect(nextRound(before, {}, {})).toEqual({ name: 'sql' })
  })
})
