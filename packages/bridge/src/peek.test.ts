import { describe, expect, test } from 'vitest'
import { peek } from './peek.ts'

const look = (text: string) => peek(Buffer.from(text.slice(0, 60)), Buffer.from(text.slice(-60)))
const LONG = `"${'x'.repeat(200)}"`

describe('a line that cannot be read', () => {
  test.each([
    ['at its beginning', `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${LONG}}`, 5],
    ['at its end, as SDK 1 writes it', `{"method":"tools/call","params":{"a":${LONG}},"jsonrpc":"2.0","id":0}`, 0],
    ['with spaces between', `{ "method" : "x" , "params" : ${LONG} , "id" : "a b" }`, 'a b'],
    ['of a message that has nothing else', `{"id":"","method":"ping"}`, ''],
    ['before it breaks off', `{"jsonrpc":"2.0","id":6,"method":"x","params":{"a":`, 6],
  ])('has the id that stands %s', (_, text, id) => {
    expect(look(text)).toEqual({ id, answers: false })
  })

  test.each([
    ['deeper inside', `{"method":"x","params":{"id":7,"a":${LONG}}}`],
    ['inside a text', `{"method":"x","params":{"a":"${'y'.repeat(100)},\\"id\\":7}"}}`],
    ['of no method', `{"jsonrpc":"2.0","id":7,"params":${LONG}}`],
    ['of two messages in one line', `{"id":1,"method":"a","par{"method":"b","a":${LONG},"id":2}`],
    ['beyond 53 bits', `{"id":99999999999999999999,"method":"x","params":${LONG}}`],
    ['nowhere', `this is ${LONG}`],
  ])('has no id where one stands %s', (_, text) => {
    expect(look(text)).toEqual({ id: undefined, answers: false })
  })

  test('is told apart when it answers a question', () => {
    expect(look(`{"jsonrpc":"2.0","id":"q1","result":{"a":${LONG}}}`)).toEqual({ id: 'q1', answers: true })
    expect(look(`{"result":{"a":${LONG}},"jsonrpc":"2.0","id":"q1"}`)).toEqual({ id: 'q1', answers: true })
  })
})
