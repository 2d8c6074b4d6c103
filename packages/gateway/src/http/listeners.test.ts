import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createListeners } from './listeners.ts'

const HOST = '127.0.0.1'
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('listeners', () => {
  test.runIf(process.platform === 'linux')(
    'accept several waiting connections in one turn of the event loop',
    async () => {
      const server = createServer((_, response) => response.end('done'))
      const listeners = createListeners(server)
      const port = await listeners.listen({ port: 0, host: HOST })
      let accepted = 0
      server.on('connection', (socket) => (accepted++, socket.on('error', () => {})))
      // Its connections wait, because this process stands still as long as it runs.
      const clients = `let n = 0; for (let i = 0; i < 128; i++) require('node:net').connect(${port}, '${HOST}', () => ++n === 128 && process.exit())`
      execFileSync(process.execPath, ['-e', clients])
      expect(accepted).toBe(0)
      let turns = 0
      for (; accepted < 128 && turns < 200; turns++) await nextTurn()
      expect(accepted).toBe(128)
      expect(turns).toBeLessThan(40)
      await listeners.close()
    },
  )

  test('refuse a port that another gateway has, although they could share it', async () => {
    const first = createListeners(createServer())
    const port = await first.listen({ port: 0, host: HOST })
    const second = createListeners(createServer())
    await expect(second.listen({ port, host: HOST })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await first.close()
    expect(await second.listen({ port, host: HOST })).toBe(port)
    await second.close()
  })

  test('serve every connection alike, and none once they are closed', async () => {
    const server = createServer((_, response) => response.end('done'))
    const listeners = createListeners(server)
    const port = await listeners.listen({ port: 0, host: HOST })
    const answers = Array.from({ length: 40 }, async () => (await fetch(`http://${HOST}:${port}/`)).text())
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['done']))
    const closing = listeners.close()
    server.closeIdleConnections()
    await closing
    await expect(once(connect(port, HOST), 'connect')).rejects.toThrow('ECONNREFUSED')
  })
})
