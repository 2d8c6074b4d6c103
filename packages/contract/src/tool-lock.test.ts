import { expect, test } from 'vitest'
import { approvalOf, changesEffect, effectOf, resolveEffect } from './index.ts'

const [TRUSTED, OTHER] = [true, false].map((trusted) => ({ connector: 'mcp.http', trusted }))
const of = (said: unknown, trusted: boolean) => resolveEffect(effectOf(said), (trusted ? TRUSTED : OTHER) as never)

test.each([
  // Columns: the annotations; the approval under ask-writes and under ask-destructive where the server is trusted; the approval
  // where it is not.
  [{ readOnlyHint: true }, 'none', 'none', 'ask'],
  [{ readOnlyHint: true, destructiveHint: true }, 'none', 'none', 'ask'],
  [{ readOnlyHint: false }, 'ask', 'none', 'ask'],
  [{ destructiveHint: false }, 'ask', 'none', 'ask'],
  [{ readOnlyHint: 'true' }, 'ask', 'none', 'ask'],
  [{ destructiveHint: true }, 'always', 'always', 'always'],
  [undefined, 'ask', 'none', 'ask'],
] as const)(
  'a tool that says %j is asked about by who is trusted, and by the setting',
  (said, writes, destroys, other) => {
    const asked = (trusted: boolean) =>
      (['ask-writes', 'ask-destructive', 'off', undefined] as const).map((preset) =>
        approvalOf(of(said, trusted), preset),
      )
    expect(asked(true)).toEqual([writes, destroys, 'none', 'none'])
    expect(asked(false)).toEqual([other, other, 'none', 'none'])
  },
)

test('the hint of a server that is not trusted can only make a tool more dangerous', () => {
  expect(of({ readOnlyHint: true }, false)).toEqual({ effect: 'write', from: 'unknown' })
  expect(of({ destructiveHint: true }, false)).toEqual({ effect: 'destructive', from: 'server' })
  expect(of({ readOnlyHint: true }, true)).toEqual({ effect: 'read', from: 'server' })
  expect(resolveEffect('destructive', { connector: 'mcp.http', trusted: false, said: 'read' })).toEqual({
    effect: 'read',
    from: 'administrator',
  })
  expect(resolveEffect('read', { connector: 'openapi', trusted: false })).toEqual({ effect: 'read', from: 'connector' })
})

test('a change of effect is one only as far as the word of it counts', () => {
  const other = { connector: 'mcp.http', trusted: false }
  expect(changesEffect('write', 'read', other)).toBe(false)
  expect(changesEffect('write', 'read', { ...other, trusted: true })).toBe(true)
  expect(changesEffect('destructive', 'write', other)).toBe(true)
  // An administrator said it of what stood there.
  expect(changesEffect('write', 'read', { ...other, said: 'read' })).toBe(true)
})
