import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createListeners } from './listeners.ts'
import { prepareEnd, type Calls } from './server-end.ts'
import type { Fault } from '@toolway/contract'
import { CallsUnderWay } from './streams/calls-under-way.ts'

/** Longer than a test may take: whoever waits for it has failed. */
const PATIENCE = 60_000

const NO_CALLS: Calls = { cut() {}, over: async () => {} }

async function serve(onRequest: (response: ServerResponse) => void, calls = NO_CALLS) {
  const server = createServer((_, response) => onRequest(response))
  const { closeDoor, finish: end } = prepareEnd(server, calls, createListeners(server, { alone: true }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, closeDoor, end, port: (server.address() as AddressInfo).port }
}

describe('a server that ends', () => {
  test('does not wait for a connection that never asked anything', async () => {
    const { server, end, port } = await serve((response) => response.end())
    const socket = connect(port, '127.0.0.1')
    await once(server, 'connection')
    const gone = once(socket, 'close')
    await end(PATIENCE)
    await gone
  })

  test('answers those that connected before its port closed, accepted or not, and those that speak after it', async () => {
    const { end, port } = await serve((response) => response.end('done'))
    const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'))
    // Connected as the system sees it: the server accepts them one after the other.
    await once(sockets[0] as Socket, 'connect')
    const ended = end(PATIENCE)
    const answers = sockets.map(async (socket, at) => {
      if (at % 2 === 1) await once(socket, 'connect').then(() => sleep(100))
      socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
      return text(socket)
    })
    for (const answer of await Promise.all(answers)) expect(answer).toContain('done')
    await ended
    const late = connect(port, '127.0.0.1')
    await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED')
  })

  test('does not wait for a connection that is kept for later', async () => {
    const { end, port } = await serve((response) => response.end('done'))
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('done')
    await end(PATIENCE)
  })

  test('lets an answer that is under way be finished', async () => {
    let finish = () => {}
    const { server, end, port } = await serve((response) => {
      response.write('first ')
      finish = () => response.end('last')
    })
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    const ended = end(PATIENCE)
    finish()
    expect(await answer.text()).toBe('first last')
    await ended
    expect(server.listening).toBe(false)
  })

  test('cuts what is not finished when its patience ends', async () => {
    const { end, port } = await serve((response) => response.write('never ends'))
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    await end(10)
    await expect(answer.text()).rejects.toThrow()
  })

  test('gives those that are cut their last answer, and says which of them may have acted', async () => {
    const calls = new CallsUnderWay()
    const { end, port } = await serve((response) => {
      const call = {
        cancel({ code }: Fault) {
          response.end(code)
          release()
        },
      }
      const release = calls.add({ call, audit: { mayHaveLeft: response.req.url === '/sent' } })
      response.write('begun, ')
    }, calls)
    const answers = await Promise.all(['sent', 'held'].map((path) => fetch(`http://127.0.0.1:${port}/${path}`)))
    await end(10)
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual([
      'begun, gateway.draining-cut',
      'begun, gateway.draining',
    ])
  })

  test('waits for a call whose client is away for a moment', async () => {
    const calls = new CallsUnderWay()
    const { end } = await serve((response) => response.end(), calls)
    const release = calls.add({ call: { cancel() {} }, audit: { mayHaveLeft: false } })
    let ended = false
    const ending = end(PATIENCE).then(() => (ended = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).toBe(false)
    release()
    await ending
  })

  test('waits for a connection that has become something else, and cuts it when its patience ends', async () => {
    const { server, end, port } = await serve((response) => response.end())
    server.on('upgrade', (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      socket.resume().once('end', () => socket.end())
    })
    const upgrade = async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: other\r\n\r\n')
      await once(socket, 'data')
      return socket
    }
    const [polite, rude] = [await upgrade(), await upgrade()]
    let ended = false
    const ending = end(3_000).then(() => (ended = true))
    polite.end()
    await once(polite, 'close')
    expect({ ended, open: rude.readable }).toEqual({ ended: false, open: true })
    await once(rude, 'close')
    await ending
  })

  test('that never listened is at its end already', async () => {
    const server = createServer()
    await prepareEnd(server, NO_CALLS, createListeners(server)).finish(PATIENCE)
  })
})
