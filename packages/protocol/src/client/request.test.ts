import { describe, expect, test } from 'vitest'
import { changedList, forCaller } from './request.ts'

describe('what a server says has changed', () => {
  test('is one of its lists, by the name of the notification and no other', () => {
    expect(changedList('notifications/tools/list_changed')).toBe('tools')
    expect(changedList('notifications/prompts/list_changed')).toBe('prompts')
    expect(changedList('notifications/resources/list_changed')).toBe('resources')
    for (const odd of [
      'constructor',
      '__proto__',
      'toString',
      'hasOwnProperty',
      'notifications/roots/list_changed',
      '',
    ])
      expect(changedList(odd)).toBeUndefined()
  })
})

describe('progress', () => {
  const progress = (progressToken: string | number) => ({
    jsonrpc: '2.0' as const,
    method: 'notifications/progress',
    params: { progressToken, progress: 1 },
  })

  test('under our token is the caller’s, under the token that the caller chose', () => {
    expect(forCaller(progress('p7'), 'p7', 'mine')).toEqual(progress('mine'))
    expect(forCaller(progress('p7'), 'p7', 0)).toEqual(progress(0))
  })

  test('under any other token is nobody’s', () => {
    for (const foreign of ['p8', 'mine', 7, '']) expect(forCaller(progress(foreign), 'p7', 'mine')).toBeUndefined()
    expect(forCaller(progress('p7'), undefined, undefined)).toBeUndefined()
    expect(forCaller(progress('p7'), 'p7', undefined)).toBeUndefined()
  })

  test('is all that carries a token: other notifications pass as they are', () => {
    const line = { jsonrpc: '2.0' as const, method: 'notifications/message', params: { level: 'info', data: 'x' } }
    expect(forCaller(line, undefined, undefined)).toBe(line)
  })
})
