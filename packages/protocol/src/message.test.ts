import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { parseJson, type JsonObject } from './json.ts'
import {
  idOf,
  isFailure,
  isNotification,
  isRequest,
  isResponse,
  metaOf,
  progressTokenOf,
  readMessage,
} from './message.ts'

const faultOf = (value: unknown): Fault => {
  try {
    readMessage(value)
  } catch (thrown) {
    return Fault.of(thrown)
  }
  throw new Error('it was read')
}

const request = (members: JsonObject): JsonObject => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...members })

describe('a message', () => {
  test.each([0, -1, 7, Number.MAX_SAFE_INTEGER, '', '0', 'a b', '\u0000', 'ü'])('may have the id %j', (id) => {
    const message = readMessage(request({ id }))
    expect(isRequest(message) && message.id).toBe(id)
    const response = readMessage({ jsonrpc: '2.0', id, result: {} })
    expect(isResponse(response) && response.id).toBe(id)
  })

  test('keeps every member that it has and we do not know', () => {
    const value = request({ params: { _meta: { 'x/y': [1] }, odd: null }, later: { than: 'us' } })
    expect(readMessage(value)).toBe(value)
  })

  test('has no params, or no _meta, where they are null', () => {
    expect(readMessage(request({ params: null }))).toEqual(request({}))
    expect(readMessage(request({ params: { _meta: null, name: 'a' } }))).toEqual(request({ params: { name: 'a' } }))
  })

  test('is one of four kinds', () => {
    const kindsOf = (value: unknown) => {
      const message = readMessage(value)
      return [
        isRequest(message),
        isNotification(message),
        isResponse(message),
        isResponse(message) && isFailure(message),
      ]
    }
    expect(kindsOf({ jsonrpc: '2.0', id: '', method: 'a' })).toEqual([true, false, false, false])
    expect(kindsOf({ jsonrpc: '2.0', method: 'a' })).toEqual([false, true, false, false])
    expect(kindsOf({ jsonrpc: '2.0', id: 0, result: {} })).toEqual([false, false, true, false])
    expect(kindsOf({ jsonrpc: '2.0', id: 0, error: { code: 1, message: '' } })).toEqual([false, false, true, true])
  })

  const refused: [name: string, value: unknown, place: string][] = [
    ['a text', 'hello', 'the body'],
    ['null', null, 'the body'],
    ['a list', [], 'the body'],
    ['no jsonrpc', { id: 1, method: 'a' }, '/jsonrpc'],
    ['jsonrpc 1.0', request({ jsonrpc: '1.0' }), '/jsonrpc'],
    ['jsonrpc as a number', request({ jsonrpc: 2 }), '/jsonrpc'],
    ['an id of null', request({ id: null }), '/id'],
    ['a fractional id', request({ id: 1.5 }), '/id'],
    ['an id of true', request({ id: true }), '/id'],
    ['a list as id', request({ id: [1] }), '/id'],
    ['an id beyond 53 bits', request(parseJson('{"id":9007199254740993}') as JsonObject), '/id'],
    ['an endless id', request({ id: Infinity }), '/id'],
    ['an empty method', request({ method: '' }), '/method'],
    ['a method that is no text', request({ method: 5 }), '/method'],
    ['a method of null', request({ method: null }), '/method'],
    ['params in a list', request({ params: [] }), '/params'],
    ['a _meta that is a text', request({ params: { _meta: 'x' } }), '/params/_meta'],
    ['neither method nor result', { jsonrpc: '2.0', id: 1 }, 'the body'],
    ['a result and an error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } }, 'the body'],
    ['a method and a result', request({ result: {} }), 'the body'],
    ['a method and an error, whose id is null', request({ id: null, error: { code: 1, message: '' } }), 'the body'],
    ['a result without an id', { jsonrpc: '2.0', result: {} }, '/id'],
    ['a result for the id null', { jsonrpc: '2.0', id: null, result: {} }, '/id'],
    ['a result that is a list', { jsonrpc: '2.0', id: 1, result: [] }, '/result'],
    ['a result of null', { jsonrpc: '2.0', id: 1, result: null }, '/result'],
    ['an error that is a text', { jsonrpc: '2.0', id: 1, error: 'no' }, '/error/code'],
    ['an error without a code', { jsonrpc: '2.0', id: 1, error: { message: '' } }, '/error/code'],
    ['an error with a fractional code', { jsonrpc: '2.0', id: 1, error: { code: 0.5, message: '' } }, '/error/code'],
    ['an error without words', { jsonrpc: '2.0', id: 1, error: { code: 1 } }, '/error/message'],
  ]
  test.each(refused)('with %s is refused at its place', (_, value, place) => {
    expect(faultOf(value)).toMatchObject({ code: 'request.shape', facts: { place } })
  })

  test('that is an error for nobody (id null, or none) is still read', () => {
    const error = { code: -32700, message: 'Parse error' }
    for (const id of [{ id: null }, {}, { id: { odd: 1 } }]) {
      expect(readMessage({ jsonrpc: '2.0', error, ...id })).toEqual({ jsonrpc: '2.0', error })
    }
  })

  test('without members of its own does not borrow them', () => {
    const bare = Object.create({ method: 'tools/list' }) as JsonObject
    bare['jsonrpc'] = '2.0'
    expect(faultOf(bare).facts['place']).toBe('the body')
  })
})

describe('the id of a message that could not be read', () => {
  test.each([
    [{ id: 0 }, 0],
    [{ id: '' }, ''],
    [{ id: 'x', method: 5 }, 'x'],
    [{ id: null }, undefined],
    [{ id: 1.5 }, undefined],
    [{}, undefined],
    [[{ id: 1 }], undefined],
    ['text', undefined],
    [null, undefined],
  ])('of %j is %j', (value, id) => {
    expect(idOf(value)).toBe(id)
  })
})

describe('what stands in _meta', () => {
  test('is empty where there is none', () => {
    expect([metaOf(undefined), metaOf({}), metaOf({ _meta: [] })]).toEqual([{}, {}, {}])
    expect(metaOf({ _meta: { a: 1 } })).toEqual({ a: 1 })
  })

  test.each([
    [{ _meta: { progressToken: 0 } }, 0],
    [{ _meta: { progressToken: '' } }, ''],
    [{ _meta: { progressToken: 'p' } }, 'p'],
    [{ _meta: { progressToken: null } }, undefined],
    [{ _meta: { progressToken: {} } }, undefined],
    [{ _meta: {} }, undefined],
    [{}, undefined],
  ])('%j has the progress token %j', (params, token) => {
    expect(progressTokenOf(params)).toBe(token)
  })
})
