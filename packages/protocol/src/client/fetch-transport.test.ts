import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import type { Notification } from '../message.ts'
import { createFetchTransport } from './fetch-transport.ts'
import { exchange, NOBODY } from './modern.ts'

const result = { jsonrpc: '2.0', id: 1, result: { tools: [] } }

/** One request to a server that answers so, and all that was on the wire. */
async function asked(status: number, type: string, body: string) {
  const wire: string[] = []
  const heard: Notification[] = []
  const transport = createFetchTransport({
    alias: 'web',
    url: 'https://web.example/mcp',
    fetch: () => Promise.resolve(new Response(body, { status, headers: { 'content-type': type } })),
    refusal: (incoming) => new Error(`HTTP ${incoming.status}`),
    onWire: (direction, message) => void wire.push(`${direction} ${'method' in message ? message.method : 'answer'}`),
  })
  const params: JsonObject = { _meta: { progressToken: 'mine' } }
  const answer = await exchange(transport, () => 1, {
    method: 'tools/list',
    params,
    caller: NOBODY,
    signal: new AbortController().signal,
    onNotification: (notification) => void heard.push(notification),
  })
  return { answer, wire, heard }
}

test('an answer in JSON is the answer, and both messages are told', async () => {
  const { answer, wire } = await asked(200, 'application/json', JSON.stringify(result))
  expect(answer).toEqual({ result: { tools: [] } })
  expect(wire).toEqual(['sent tools/list', 'heard answer'])
})

test('what a stream says before its answer is heard under the caller’s own token', async () => {
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p1', progress: 1 } }
  const stream = [progress, result].map((message) => `data: ${JSON.stringify(message)}\n\n`).join('')
  const { answer, heard } = await asked(200, 'text/event-stream', stream)
  expect(answer).toEqual({ result: { tools: [] } })
  expect(heard).toMatchObject([{ params: { progressToken: 'mine' } }])
})

test('a status without a message is refused in the words of the owner', async () => {
  await expect(asked(502, 'text/html', '<h1>Bad gateway</h1>')).rejects.toThrow('HTTP 502')
  await expect(asked(401, 'application/json', JSON.stringify(result))).rejects.toThrow('HTTP 401')
})

test('a page in place of a message, or a stream that ends without an answer, is a fault', async () => {
  await expect(asked(200, 'text/html', '<h1>Hello</h1>')).rejects.toMatchObject({ code: 'upstream.malformed' })
  await expect(asked(200, 'text/event-stream', ': nothing\n\n')).rejects.toMatchObject({ code: 'upstream.lost' })
})
