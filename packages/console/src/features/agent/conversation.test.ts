import { expect, test } from 'vitest'
import { messagesOf, withEvent, type AgentStep, type Turn } from './conversation.ts'

const call = { type: 'call', id: 'a', tool: 'slack__list_tools', arguments: {} } as const

test('a result is put to its call, and texts stand where they were said', () => {
  let steps: readonly AgentStep[] = withEvent([], { type: 'text', text: 'I look.' })
  steps = withEvent(steps, call)
  steps = withEvent(steps, { ...call, id: 'b' })
  steps = withEvent(steps, { type: 'result', id: 'a', failed: false, text: 'one tool', link: null })
  expect(steps).toEqual([
    { kind: 'text', text: 'I look.' },
    expect.objectContaining({ id: 'a', result: { failed: false, text: 'one tool', link: null } }),
    expect.objectContaining({ id: 'b', result: undefined }),
  ])
})

test('the model reads wishes and its own words, and no results of earlier calls', () => {
  const turn: Omit<Turn, 'wish' | 'steps'> = {
    ...{ id: 1, organization: 'default', state: 'done', position: undefined, cut: false, failure: undefined },
  }
  const turns: Turn[] = [
    { ...turn, wish: 'Look', steps: withEvent(withEvent([], call), { type: 'text', text: 'There is one.' }) },
    { ...turn, wish: 'Stop', steps: [] },
  ]
  expect(messagesOf(turns)).toEqual([
    { role: 'user', content: 'Look' },
    { role: 'assistant', content: 'There is one.' },
    { role: 'user', content: 'Stop' },
  ])
})
