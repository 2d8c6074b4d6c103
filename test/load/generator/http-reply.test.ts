import { describe, expect, test } from 'vitest'
import { readReply } from './http-reply.ts'

const sized = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello'
const chunked =
  'HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n5;note=1\r\nhello\r\nA\r\n, to all\r\n\r\n0\r\n\r\n'

describe('a reply', () => {
  test('with a length is read to its end and no further', () => {
    expect(readReply(`${sized}HTTP/1.1 500`)).toEqual({
      status: 200,
      contentType: 'application/json',
      body: 'hello',
      length: sized.length,
      keepAlive: true,
    })
  })

  test('in chunks is put together', () => {
    expect(readReply(chunked)).toMatchObject({ status: 404, body: 'hello, to all\r\n', length: chunked.length })
  })

  test('is not there before its last byte', () => {
    for (const whole of [sized, chunked]) {
      for (let length = 0; length < whole.length; length++) expect(readReply(whole.slice(0, length))).toBeUndefined()
      expect(readReply(whole)).toBeDefined()
    }
  })

  test('that closes the connection says so', () => {
    expect(readReply('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')?.keepAlive).toBe(false)
  })

  test('without a length, or that is no HTTP, is refused', () => {
    expect(() => readReply('HTTP/1.1 200 OK\r\n\r\n')).toThrow('without a length')
    expect(() => readReply('SSH-2.0-x\r\n\r\n')).toThrow('not an HTTP/1.1 reply')
    expect(() => readReply('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n')).toThrow('without a size')
  })
})
