/** Tests that common client programs get through: the inspector's command line, and mcp-remote as Claude Desktop starts it. */
// @module-tag long
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { connectOver } from '../peers/clients/client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { createHome, desktopEntry, inspect } from '../peers/clients/programs.ts'
import { httpWire, processOf } from '../peers/servers/real-servers.ts'

// Whole programs are started here, on machines that may be busy with other things.
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let home: string
beforeAll(async () => {
  home = parts.use(await createHome()).path
  const modern = parts.use(await startEverythingServer({ era: 'modern' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'every', wire: processOf('everything') },
        { alias: 'modern', wire: httpWire(modern.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const ENDPOINTS = ['one connection', 'joined'] as const

describe.each(ENDPOINTS)('the inspector’s command line at the endpoint of %s', (endpoint) => {
  const joined = endpoint === 'joined'
  const run = (alias: string, ...words: string[]) =>
    inspect({ url: joined ? gateway.url : gateway.connectionUrl(alias), key: gateway.key, home }, words)
  const named = (alias: string, tool: string) => (joined ? `${alias}__${tool}` : tool)

  test('lists tools', async () => {
    const { code, stdout, stderr } = await run('every', '--method', 'tools/list')
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    const { tools } = JSON.parse(stdout) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining([named('every', 'echo'), named('every', 'get-sum')]),
    )
  })

  test.each([
    { alias: 'every', tool: 'get-sum', given: ['a=20', 'b=22'], says: '42' },
    { alias: 'modern', tool: 'test_simple_text', given: [], says: 'This is a simple text response for testing.' },
  ])('calls $tool of $alias', async ({ alias, tool, given, says }) => {
    const words = given.flatMap((pair) => ['--tool-arg', pair])
    const { code, stdout, stderr } = await run(
      alias,
      '--method',
      'tools/call',
      '--tool-name',
      named(alias, tool),
      ...words,
    )
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    const { content } = JSON.parse(stdout) as { content: { text: string }[] }
    expect(content[0]?.text).toContain(says)
  })
})

test('the inspector with a wrong key is refused', async () => {
  const { code, stdout } = await inspect({ url: gateway.url, key: `uru_${'0'.repeat(64)}`, home }, [
    '--method',
    'tools/list',
  ])
  expect(code).not.toBe(0)
  expect(stdout).not.toContain('every__')
})

describe.each(ENDPOINTS)('Claude Desktop’s entry, at the endpoint of %s,', (endpoint) => {
  const joined = endpoint === 'joined'
  const named = (tool: string) => (joined ? `every__${tool}` : tool)

  test('bridges a client on stdio to the tools', async () => {
    const url = joined ? gateway.url : gateway.connectionUrl('every')
    await using client = await connectOver(
      new StdioClientTransport({ ...desktopEntry({ url, key: gateway.key, home }), stderr: 'ignore' }),
    )
    expect((await client.tools()).map(({ name }) => name)).toContain(named('echo'))
    expect((await client.call(named('echo'), { message: 'from the desktop' })).content[0]?.text).toBe(
      'Echo: from the desktop',
    )
    const steps: number[] = []
    await client.call(
      named('trigger-long-running-operation'),
      { duration: 0.05, steps: 3 },
      { onprogress: ({ progress }) => void steps.push(progress) },
    )
    expect(steps.length).toBeGreaterThan(0)
    expect(steps).toEqual([1, 2, 3].slice(0, steps.length))
    await expect(client.call(named('nothing'))).rejects.toThrow(/unknown tool/i)
  })
})
