import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readMcpJson, type ImportOptions } from './mcp-json.ts'

const read = (file: unknown, options: Partial<ImportOptions> = {}) =>
  readMcpJson(typeof file === 'string' ? file : JSON.stringify(file), { home: '/home/ada', ...options })

describe('the file as a whole', () => {
  test.each([
    ['', 'The file is empty'],
    ['\uFEFF  \n', 'The file is empty'],
    ['[]', 'must contain an object in braces'],
    ['{}', 'No servers found: expected "mcpServers"'],
    ['{"mcpServers": 7}', 'mcpServers must be an object'],
    ['{"context_servers": "x"}', 'context_servers must be an object'],
    ['{"theme": "dark"}', 'No servers found'],
    [
      JSON.stringify({ mcpServers: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`s${at}`, {}])) }),
      'contains 201 servers',
    ],
    [' '.repeat(1_000_001), 'larger than'],
  ])('%.40j is refused in words', (text, message) => {
    expect(() => read(text)).toThrow(message)
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

  test.each([
    ['mcpServers', '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}'],
    ['mcp.servers', '{"mcp": {"servers": {"a": {"command": "x"}, "a": {"command": "x"}}}}'],
    ['the file', '{"a": {"command": "x"}, "b": {"command": "y"}, "a": {"command": "z"}}'],
  ])('refuses a server that stands twice in %s', (place, text) => {
    expect(() => read(text)).toThrow(
      `${place} contains the server "a" twice: remove one of them, or give it another name.`,
    )
  })
})
