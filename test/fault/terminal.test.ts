/** The command line in front of a server that tries to steer the terminal of who reads its words. */
import { afterEach, expect, test, vi } from 'vitest'
import { run } from '../../packages/gateway/src/cli/program.ts'
import { sayError, startScriptedUpstream } from './scripted-upstream.ts'

const STEERING = '\u001b[2J\u001b]0;title\u0007\u009b31m\u0008\r'
// eslint-disable-next-line no-control-regex -- control characters are exactly what is meant
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/

afterEach(() => void vi.restoreAllMocks())

/** Returns the output of one command line, on both streams. */
async function shown(words: string[]) {
  let text = ''
  const take = (chunk: unknown) => {
    text += String(chunk)
    return true
  }
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(take))
  try {
    return { code: await run(words), text }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

test('its lists, results, progress and errors are shown as words alone', async () => {
  await using server = await startScriptedUpstream({
    era: 'modern',
    results: {
      'tools/list': {
        tools: [{ name: `name${STEERING}`, description: `description${STEERING}`, inputSchema: { type: 'object' } }],
      },
    },
    act({ method, id, params }, response) {
      if (method !== 'tools/call') return false
      if (params['name'] === 'fails') {
        sayError(response, { id }, `refused${STEERING}`)
        return true
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (value: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`)
      const { progressToken } = params['_meta'] as Record<string, unknown>
      send({ method: 'notifications/progress', params: { progressToken, progress: 1, message: `step${STEERING}` } })
      send({ id, result: { resultType: 'complete', content: [{ type: 'text', text: `result${STEERING}` }] } })
      response.end()
      return true
    },
  })
  const where = ['--url', server.url, '--key', `uru_${'ab'.repeat(32)}`]
  const listed = await shown(['tools', ...where])
  const called = await shown(['call', 'good', ...where])
  const failed = await shown(['call', 'fails', ...where])
  expect([listed.code, called.code]).toEqual([0, 0])
  expect(failed.code).not.toBe(0)
  const text = [listed, called, failed].map(({ text }) => text).join('')
  for (const word of ['name', 'description', 'step', 'result', 'refused']) expect(text).toContain(word)
  expect(text).not.toMatch(CONTROL)
})
