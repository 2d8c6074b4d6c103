import { expect, test } from 'vitest'
import { suggestTool, type Callable } from './suggest-tool.ts'

const tool = (name: string, effect: Callable['effect'], required: string[] = []): Callable => ({
  name,
  effect,
  inputSchema: { type: 'object', required },
})

test('what is called first reads and needs nothing said, else as little as possible', () => {
  const first = (...tools: Callable[]) => suggestTool(tools)?.name
  expect(first(tool('drop', 'destructive'), tool('find', 'read', ['id']), tool('list', 'read'))).toBe('list')
  expect(first(tool('write', 'write'), tool('find', 'read', ['a', 'b']))).toBe('find')
  expect(first(tool('write', 'write', ['a']), tool('note', 'write'))).toBe('note')
  expect(first(tool('note', 'write'), { ...tool('look', 'write', ['a']), claimed: 'read' })).toBe('look')
  expect(first(tool('drop', 'destructive'))).toBeUndefined()
  expect(first()).toBeUndefined()
})
