import { expect, test } from 'vitest'
import { approvalOf, effectOf } from './index.ts'

test.each([
  [{ readOnlyHint: true }, 'none', 'ask'],
  [{ readOnlyHint: true, destructiveHint: true }, 'none', 'ask'],
  [{ readOnlyHint: false }, 'ask', 'ask'],
  [{ destructiveHint: false }, 'ask', 'ask'],
  [{ readOnlyHint: 'true' }, 'ask', 'ask'],
  [{ destructiveHint: true }, 'always', 'always'],
  [undefined, 'ask', 'ask'],
] as const)(
  'a tool that says %j is asked for as %s where its server is trusted, else as %s',
  (said, trusted, else_) => {
    const effect = effectOf(said)
    expect([approvalOf(effect, true), approvalOf(effect, false)]).toEqual([trusted, else_])
  },
)
