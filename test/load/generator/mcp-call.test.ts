import { describe, expect, test } from 'vitest'
import { createCallText, faultIn, FIRST_ID } from './mcp-call.ts'

const id = FIRST_ID + 7
const target = { url: 'http://127.0.0.1:4711/api/mcp', tool: 'stub__echo', key: 'uru_x' }
const reply = (message: unknown, { status = 200, contentType = 'application/json' } = {}) => ({
  status,
  contentType,
  body: typeof message === 'string' ? message : JSON.stringify(message),
})
const result = { resultType: 'complete', content: [{ type: 'text', text: `echo ${id}` }] }
const good = { jsonrpc: '2.0', id, result }

describe('a measured call', () => {
  const [head = '', body = ''] = createCallText(target)(id).split('\r\n\r\n')

  test('carries the whole envelope and mirrors it in the headers', () => {
    expect(head).toContain('POST /api/mcp HTTP/1.1\r\nhost: 127.0.0.1:4711\r\n')
    for (const line of ['mcp-protocol-version: 2026-07-28', 'mcp-method: tools/call', 'mcp-name: stub__echo'])
      expect(head).toContain(`\r\n${line}\r\n`)
    expect(head).toContain('\r\nauthorization: Bearer uru_x\r\n')
    expect(JSON.parse(body)).toMatchObject({
      id,
      method: 'tools/call',
      params: {
        name: 'stub__echo',
        arguments: { text: `echo ${id}` },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    })
  })

  test('of the oldest transport has no header of a session, and keeps the query of its address', () => {
    const [oldHead = '', oldBody = ''] = createCallText({
      ...target,
      url: `${target.url}?session=a`,
      isStream: true,
    })(id).split('\r\n\r\n')
    expect(oldHead).toContain('POST /api/mcp?session=a HTTP/1.1\r\n')
    expect(oldHead).not.toContain('\r\nmcp-')
    expect(JSON.parse(oldBody).params).not.toHaveProperty('_meta')
  })

  test('states its length', () => {
    expect(head).toMatch(new RegExp(`\r\ncontent-length: ${Buffer.byteLength(body)}$`))
  })
})

describe('an answer', () => {
  test('is good as JSON, and as the last message of an event stream', () => {
    expect(faultIn(reply(good), id)).toBeUndefined()
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: {} })
    const stream = `: hello\n\nevent: message\ndata: ${note}\n\nevent: message\ndata: ${JSON.stringify(good)}\n\n`
    expect(faultIn(reply(stream, { contentType: 'text/event-stream' }), id)).toBeUndefined()
  })

  test('is good in a stream of a session that begins and ends with events without data', () => {
    const legacy = { ...good, result: { content: result.content } }
    const stream = `id: 1\r\ndata: \r\n\r\nevent: message\r\nid: 2\r\ndata: ${JSON.stringify(legacy)}\r\n\r\nretry: 100\r\n\r\n: end\r\n\r\n`
    expect(faultIn(reply(stream, { contentType: 'text/event-stream' }), id, true)).toBeUndefined()
  })

  test('in a stream without a message counts as an error', () => {
    expect(faultIn(reply('event: ping\n\n', { contentType: 'text/event-stream' }), id, true)).toContain('not JSON')
  })

  test.each([
    ['a status that is not 200', reply(good, { status: 202 }), 'status 202'],
    ['a body that is not JSON', reply('<html>'), 'not JSON'],
    ['null', reply('null'), 'carries id undefined'],
    ['the id of another call', reply({ ...good, id: id + 1 }), `carries id ${id + 1}`],
    ['an id of another type', reply({ ...good, id: String(id) }), 'carries id "'],
    ['an error', reply({ jsonrpc: '2.0', id, error: { code: -32603, message: 'x' } }), 'error {"code":-32603'],
    ['no resultType', reply({ ...good, result: { content: result.content } }), 'resultType undefined'],
    ['a tool error', reply({ ...good, result: { ...result, isError: true } }), 'tool error'],
    [
      'the text of another call',
      reply({ ...good, result: { ...result, content: [{ text: 'echo 1' }] } }),
      "another call's",
    ],
  ])('with %s counts as an error', (_, wrong, sentence) => {
    expect(faultIn(wrong, id)).toContain(sentence)
  })
})
