import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { commandOf, curlOf, readArguments, shareable } from './commands.ts'

const call = {
  endpoint: { organization: 'default', connection: 'notes' },
  tool: 'notes_add',
  arguments: { text: 'it\'s ‘fine’; $(rm -rf /) `x`\n"y"' },
}
const words = (line: string): string[] =>
  execFileSync('sh', ['-c', `curl() { toolway "$@"; }; toolway() { printf '%s\\0' "$@"; }; npx() { "$@"; }; ${line}`], {
    env: { TOOLWAY_KEY: 'uru_1' },
  })
    .toString()
    .split('\0')
    .slice(0, -1)

describe('a call as text', () => {
  test('is read by a shell as it was meant, whatever its arguments are', () => {
    const said = words(curlOf(call, 'http://localhost:8787'))
    expect(said).toContain('http://localhost:8787/api/v1/default/connectors/notes/mcp')
    expect(said).toContain('Authorization: Bearer uru_1')
    expect(JSON.parse(said.at(-1) ?? '')).toMatchObject({ params: { name: 'notes_add', arguments: call.arguments } })
    const [verb, tool, given] = words(commandOf(call, 'http://localhost:8787'))
    expect([verb, tool, JSON.parse(given ?? '')]).toEqual(['call', 'notes_add', call.arguments])
  })
})

describe('arguments in an address', () => {
  test('are there where anybody may see them', () => {
    expect(shareable({ city: 'Oslo', days: 3 }, {})).toBe('{"city":"Oslo","days":3}')
    expect(readArguments('{"city":"Oslo","days":3}')).toEqual({ city: 'Oslo', days: 3 })
    expect([readArguments('['), readArguments('[1]')]).toEqual([{}, {}])
  })
  test.each([
    [{ password: 'x' }, {}],
    [{ deep: { api_key: 'x' } }, {}],
    [{ pin: '1234' }, { properties: { pin: { type: 'string', format: 'password' } } }],
    [{ note: 'ghp_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6' }, {}],
    [{ list: [{ value: 'ghp_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6' }] }, {}],
    [{ text: 'long '.repeat(300) }, {}],
    [{}, {}],
  ])('are not there: %j', (given, schema) => {
    expect(shareable(given, schema)).toBeUndefined()
  })
})
