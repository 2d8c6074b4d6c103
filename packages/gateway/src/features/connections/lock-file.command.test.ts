import { describe, expect, test } from 'vitest'
import { driftOf, readLockFile, writeLockFile, type LockedConnection } from './lock-file.command.ts'

const hash = (digit: string) => digit.repeat(64)
const connection = (alias: string, tools: Record<string, string>, lock: LockedConnection['lock'] = 'all') => ({
  alias,
  lock,
  tools: new Map(Object.entries(tools)),
})

describe('a lock file', () => {
  const held = [connection('web', { b: hash('b'), a: hash('a'), '10': hash('1') }), connection('files', {}, 'off')]

  test('is the same text for the same tools, sorted, and reads back as it was', () => {
    const text = writeLockFile(held)
    expect(text).toBe(`{
  "format": "toolway-lock/1",
  "connections": {
    "files": {
      "lock": "off",
      "tools": {}
    },
    "web": {
      "lock": "all",
      "tools": {
        "10": "${hash('1')}",
        "a": "${hash('a')}",
        "b": "${hash('b')}"
      }
    }
  }
}
`)
    expect(writeLockFile(held.toReversed())).toBe(text)
    expect(driftOf(readLockFile(text) as LockedConnection[], held)).toEqual([])
  })

  test('keeps tools of any name', () => {
    const odd = [connection('web', JSON.parse(`{"__proto__": "${hash('1')}", "a\\"b\\n": "${hash('2')}"}`))]
    expect(driftOf(readLockFile(writeLockFile(odd)) as LockedConnection[], odd)).toEqual([])
  })

  test.each([
    ['', 'it is not valid JSON'],
    ['[]', 'top level: '],
    ['{"format": "toolway-lock/2", "connections": {}}', 'format: '],
    [
      '{"format": "toolway-lock/1", "connections": {"a": {"lock": "all", "tools": {"t": "x"}}}}',
      'connections.a.tools: ',
    ],
    ['{"format": "toolway-lock/1", "connections": {"a": {"lock": "some", "tools": {}}}}', 'connections.a.lock: '],
  ])('that is none is refused with what is wrong with it: %s', (text, problem) => {
    expect(readLockFile(text)).toContain(problem)
  })
})

test('what drifted is each tool, lock and connection that is another now', () => {
  const before = [
    connection('web', { same: hash('a'), changed: hash('b'), gone: hash('c') }),
    connection('old', {}),
    connection('loose', {}),
  ]
  const after = [
    connection('web', { same: hash('a'), changed: hash('d'), fresh: hash('e') }),
    connection('loose', {}, 'off'),
    connection('young', {}),
  ]
  expect(driftOf(before, after)).toEqual([
    { connection: 'loose', drift: 'lock', was: 'all', is: 'off' },
    { connection: 'old', drift: 'connection gone' },
    { connection: 'web', tool: 'changed', drift: 'tool changed', was: hash('b'), is: hash('d') },
    { connection: 'web', tool: 'fresh', drift: 'tool new', is: hash('e') },
    { connection: 'web', tool: 'gone', drift: 'tool gone', was: hash('c') },
    { connection: 'young', drift: 'connection new' },
  ])
})
