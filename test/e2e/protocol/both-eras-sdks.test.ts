/**
 * Servers of the published Python and Go SDKs, which speak both eras: what their tools ask reaches clients of either era, over HTTP
 * and over stdio. The Python packages are installed here, the Go program is built by `npm run counterparts`; without them the tests
 * say so.
 */
// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'
import type { TestConnection, TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { bringOAuthServers, findCounterpart } from '../../../tools/counterparts.ts'
import { connectClient, eraOfKind, KINDS, textOf, type Kind } from '../peers/clients/client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const python = bringOAuthServers()
const go = findCounterpart('go-everything')
if ('lacking' in python) console.warn(`Python servers of both eras are not tested: ${python.lacking}.`)
if (go === undefined) console.warn('Go servers of both eras are not tested: `npm run counterparts` builds them.')

const parts = new AsyncDisposableStack()
let gateway: TestGateway

async function serve(program: string, args: readonly string[], environment: NodeJS.ProcessEnv, url: string) {
  const child = spawn(program, args, { stdio: 'ignore', env: { PATH: process.env['PATH'], ...environment } })
  const ended = once(child, 'exit')
  parts.defer(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await until(`${program} listens`, () =>
    fetch(url, { method: 'OPTIONS' }).then(
      () => true,
      () => false,
    ),
  )
}

async function pythonConnections(): Promise<TestConnection[]> {
  if ('lacking' in python) return []
  const program = join(import.meta.dirname, '../peers/servers/python/both_eras.py')
  const environment = { PYTHONPATH: python.packages, HOME: python.packages }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  await serve('python3', [program, String(port)], environment, url)
  return [
    { alias: 'python', wire: httpWire(url) },
    { alias: 'python-child', wire: { kind: 'process', command: 'python3', args: [program], environment } },
  ]
}

async function goConnections(): Promise<TestConnection[]> {
  if (go === undefined) return []
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  await serve(go, ['-http', `127.0.0.1:${port}`], {}, url)
  return [
    { alias: 'go', wire: httpWire(url) },
    { alias: 'go-child', wire: { kind: 'process', command: go, args: [], environment: {} } },
  ]
}

beforeAll(async () => {
  gateway = await openGateway({
    connections: [...(await pythonConnections()), ...(await goConnections())],
    settings: { TOOLWAY_APPROVALS: 'off', TOOLWAY_SANDBOX: 'off' },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await parts.disposeAsync()
})

const connect = (kind: Kind, alias: string) =>
  connectClient({ kind, url: gateway.connectionUrl(alias), key: gateway.key, answers: true })
/** Legacy clients first: a call that another era would answer is not repeated before that is known. */
const kinds = [...KINDS].sort((one, other) => (eraOfKind(one) < eraOfKind(other) ? -1 : 1))

describe.skipIf('lacking' in python).each(['python', 'python-child'])('%s', (alias) => {
  test.each(kinds.filter((kind) => eraOfKind(kind) === 'legacy'))('pushes its question to %s', async (kind) => {
    await using client = await connect(kind, alias)
    expect(textOf(await client.call('push'))).toBe("push: accept name='Ada'")
  })

  test.each(kinds)('asks %s by its result, at the latest in the second call', async (kind) => {
    await using client = await connect(kind, alias)
    const first = await client.call('rounds').catch((thrown: unknown) => String(thrown))
    if (typeof first === 'string') expect(first).toContain('Call it again')
    expect(textOf(await client.call('rounds'))).toMatch(/^rounds: .*'Ada'/)
  })

  test.each(kinds.filter((kind) => eraOfKind(kind) === 'modern'))(
    'pushes its question to %s, at the latest in the second call',
    async (kind) => {
      await using client = await connect(kind, alias)
      const first = await client.call('push').catch((thrown: unknown) => String(thrown))
      if (typeof first === 'string') expect(first).toMatch(/back-channel[^]*Call it again/)
      expect(textOf(await client.call('push'))).toBe("push: accept name='Ada'")
    },
  )
})

describe.skipIf(go === undefined).each(['go', 'go-child'])('%s', (alias) => {
  test.each(kinds)('asks the model of %s, at the latest in the second call', async (kind) => {
    await using client = await connect(kind, alias)
    const first = await client.call('sample')
    if (first.isError === true) {
      expect(eraOfKind(kind)).toBe('modern')
      expect(JSON.stringify(first.content)).toMatch(/cannot be sent while serving.*Call it again/)
    }
    expect(textOf(await client.call('sample'))).toBe('Paris')
  })
})
