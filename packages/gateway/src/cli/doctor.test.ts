import { describe, expect, test } from 'vitest'
import { sizeHint } from './doctor.ts'

const toolsOf = (count: number, description = '') =>
  Array.from({ length: count }, (_, at) => ({ name: `tool_${at}`, description }))

describe('doctor', () => {
  test.each([
    ['128 short tools', toolsOf(128), false],
    ['129 tools', toolsOf(129), true],
    ['40 tools of 6 KB each', toolsOf(40, 'x'.repeat(6 * 1024)), true],
  ])('hints at ways of discovery where the list is long: %s', (_, tools, hinted) => {
    const hints = sizeHint(tools)
    expect(hints).toHaveLength(hinted ? 1 : 0)
    if (hinted) expect(hints[0]?.detail).toContain('--discovery search')
  })
})
