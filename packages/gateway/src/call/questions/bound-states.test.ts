import { expect, test } from 'vitest'
import { createVault } from '../../vault/vault.ts'
import { createBoundStates } from './bound-states.ts'

let time = 1_000_000
const states = createBoundStates(createVault(Buffer.alloc(32, 1)), () => time)
const ada = { principal: 'ada', digest: 'call a' }

test.each(['v1.opaque.mac', '', 'ünï\n.code', 'x'.repeat(10_000)])(
  'a state comes back to its owner exactly: %#',
  (state) => {
    expect(states.release(states.bind(state, ada), ada)).toBe(state)
  },
)

test('a state is nobody else’s, no other request’s, and not to be changed', () => {
  const bound = states.bind('v1', ada)
  for (const other of [
    { ...ada, principal: 'eve' },
    { ...ada, digest: 'call b' },
  ])
    expect(() => states.release(bound, other)).toThrow('Invalid or expired')
  for (const changed of [`${bound}-TAMPERED`, `A${bound}`, 'v1', '', 12, null, { a: 1 }])
    expect(() => states.release(changed, ada)).toThrow('Invalid or expired')
})

test('a state ends with its time', () => {
  const bound = states.bind('v1', ada)
  time += 60 * 60_000
  expect(() => states.release(bound, ada)).toThrow('Invalid or expired')
})
