import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UNREADABLE_FILES } from '../../../../../test/wild/rows/settings.ts'
import { readMcpJson, type ImportOptions } from './mcp-json.ts'

const read = (file: unknown, options: Partial<ImportOptions> = {}) =>
  readMcpJson(typeof file === 'string' ? file : JSON.stringify(file), { home: '/home/ada', ...options })

describe('the file as a whole', () => {
  test.each(UNREADABLE_FILES)('%s is refused in words', (_, text, words) => {
    expect(() => read(text)).toThrow(words)
    expect(() => read(text)).not.toThrow(/s3cret/)
  })

  test('that is not JSON shows where, with the values dotted out', () => {
    const text = '{\n  "mcpServers": {\n    "x": { "command": "a", "env": { "TOKEN": "ghp_secret" "B": "c" } }\n  }\n}'
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        name: 'ImportFault',
        line: 3,
        column: 59,
        message: [
          `The file is not JSON. Line 3, column 59: expected ',' or '}', found "\\"".`,
          '3 |     "•": { "command": "•", "env": { "•••••": "••••••••••" "•": "•" } }',
          '                                                              ^',
        ].join('\n'),
      }),
    )
  })

  test('never shows a value in its faults, wherever it breaks', () => {
    const whole = JSON.stringify(
      { mcpServers: { a: { command: 'run', args: ['s3cr3tValue'], env: { K: 's3cr3tValue' } } } },
      null,
      1,
    )
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.constantFrom('', '"', '{', '}', ',', 'x', ':', '\\'), (at, put) => {
        try {
          read(whole.slice(0, at) + put + whole.slice(at + 1))
          return true
        } catch (fault) {
          return fault instanceof Error && !/s3cr3t|3cr3tV|cretVal/.test(fault.message)
        }
      }),
    )
  })

  test('says when it is empty of servers or a member stands twice', () => {
    expect(read('{"mcpServers": {}}').notes).toEqual(['mcpServers is empty; there are no servers to import.'])
    expect(read('{"mcpServers": {"a": {"command": "x", "command": "y"}}}')).toMatchObject({
      servers: [{ command: 'y' }],
      notes: ['mcpServers.a.command appears twice in the file; the last one is used.'],
    })
  })
})
