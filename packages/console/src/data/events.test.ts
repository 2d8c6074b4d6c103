import { expect, test } from 'vitest'
import { createLines, readEvents } from './events.ts'

test('lines are found in whatever pieces they come', () => {
  const lines = createLines()
  expect([lines('a\r'), lines('\nb'), lines('\n\nc\r\r'), lines('d\n')]).toEqual([[], ['a'], ['b', '', 'c'], ['', 'd']])
})

test('events are heard one by one; comments, ids and empty ones are none', async () => {
  const heard: string[] = []
  const text =
    ': keep-alive\n\nid: 1\nretry: 5\ndata: \n\nevent: progress\nid: 2\ndata: {"a":1}\n\ndata:x\ndata: y\n\ndata: half'
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  await readEvents(new Response(body), (data, type) => heard.push(`${type} ${data}`))
  expect(heard).toEqual(['progress {"a":1}', 'message x\ny'])
})
