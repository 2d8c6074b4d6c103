/** The rows of the zoo: each has an origin, an outcome and the words of whatever is not taken; each server row has a server that plays it. */
import { createInterface } from 'node:readline'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { ROWS, summaryOf } from './rows/all.ts'
import { ERAS, type PlayedWire } from './rows/row.ts'
import { SERVER_ROWS } from './rows/servers.ts'

const OUTCOMES = ['taken', 'left out', 'refused', 'its own error']
const BORDERS = [
  'definition',
  'result',
  'answer',
  'greeting',
  'session',
  'token server',
  'document',
  'settings file',
  'client',
]

test('each row has a name of its own at its border', () => {
  const names = ROWS.map(({ border, behaviour }) => `${border} ${behaviour}`)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('each row has an origin and an outcome, and what is not taken is told in words', () => {
  process.stdout.write(`${summaryOf(ROWS)}\n`)
  const wrong = ROWS.filter(
    ({ origin, outcome, words }) =>
      origin === '' || !OUTCOMES.includes(outcome) || (outcome !== 'taken' && words.length < 3),
  )
  expect(wrong.map(({ border, behaviour }) => `${border} ${behaviour}`)).toEqual([])
  expect(ROWS.length).toBeGreaterThanOrEqual(250)
})

test('every border has rows, and every outcome is there at the borders of servers, documents and files', () => {
  expect([...new Set(ROWS.map(({ border }) => border))].toSorted()).toEqual(BORDERS.toSorted())
  const outcomesAt = (...borders: string[]) =>
    new Set(ROWS.filter(({ border }) => borders.includes(border)).map(({ outcome }) => outcome))
  expect(outcomesAt('definition', 'result', 'answer').size).toBe(4)
  for (const border of ['document', 'settings file']) expect(outcomesAt(border).size, border).toBe(3)
  for (const border of ['token server', 'client']) expect(outcomesAt(border).size, border).toBe(2)
})

const GREETING = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'zoo', version: '1' } }

async function greeted(wire: PlayedWire, method: string): Promise<unknown> {
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: GREETING })
  if (wire.kind === 'process') {
    const child = spawn(wire.command, wire.args, { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.write(`${message}\n`)
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    child.kill()
    return JSON.parse(line)
  }
  if (wire.url.startsWith('ws:')) {
    const socket = new WebSocket(wire.url, 'mcp')
    await once(socket, 'open')
    socket.send(message)
    const [{ data }] = (await once(socket, 'message')) as [{ data: string }]
    socket.close()
    return JSON.parse(data)
  }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  if (!wire.url.endsWith('/sse')) {
    return (await fetch(wire.url, { method: 'POST', headers, body: message })).json()
  }
  const stream = await fetch(wire.url)
  let text = ''
  for await (const chunk of stream.body ?? []) {
    text += new TextDecoder().decode(chunk)
    const [, address] = /data: (\/\S+)\n\n/.exec(text) ?? []
    const [, answer] = /data: (\{.*\})\n\n/.exec(text) ?? []
    if (answer !== undefined) return JSON.parse(answer)
    if (address !== undefined) await fetch(new URL(address, wire.url), { method: 'POST', headers, body: message })
  }
  return undefined
}

test.each(ERAS)('each row of a server is played over every transport but stdio (%s)', async (era) => {
  for (const { border, behaviour, server } of SERVER_ROWS) {
    if (!server.eras.includes(era)) continue
    for (const transport of server.transports) {
      if (transport === 'stdio' || (transport === 'sse' && era === 'modern')) continue
      await using playing = await server.play(era, transport)
      const answer = await greeted(playing.wire, era === 'legacy' ? 'initialize' : 'server/discover')
      expect(answer, `${border} ${behaviour} over ${transport}`).toMatchObject({
        id: 1,
        result: { capabilities: expect.anything() },
      })
    }
  }
})

test.each(ERAS)('a row of a server is played over stdio (%s)', async (era) => {
  const row = SERVER_ROWS.find(({ server }) => server.transports.includes('stdio'))
  await using playing = await (row ?? expect.fail('there is none')).server.play(era, 'stdio')
  expect(await greeted(playing.wire, era === 'legacy' ? 'initialize' : 'server/discover')).toMatchObject({
    result: { capabilities: { tools: {} } },
  })
})
