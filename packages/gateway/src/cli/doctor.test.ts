import { describe, expect, test } from 'vitest'
import { definitionHint, sizeHint } from './doctor.ts'

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

  test('names the tools that model APIs refuse, why, and what to do; the first five of many', () => {
    const schema = (more: object) => ({ type: 'object', properties: { city: {} }, ...more })
    const bad = [
      { name: 'a__search', inputSchema: schema({ properties: { 'uids[]': {} } }) },
      { name: 'a__find', inputSchema: schema({ anyOf: [{ required: ['a'] }] }) },
      { name: 'a__get.one', inputSchema: schema({}) },
    ]
    expect(definitionHint(toolsOf(3))).toEqual([])
    expect(definitionHint([...toolsOf(3), ...bad])).toEqual([
      {
        what: 'tool definitions',
        state: 'note',
        detail: expect.stringMatching(
          /^some model APIs refuse every request that lists a__search \(property "uids\[\]"\), a__find \(anyOf at the top of its input schema\), a__get\.one \(its name\)\. Turn these tools off /,
        ),
      },
    ])
    const many = Array.from({ length: 9 }, (_, at) => ({ name: `bad.${at}` }))
    expect(definitionHint(many)[0]?.detail).toContain('bad.4 (its name) and 4 more. ')
  })
})
