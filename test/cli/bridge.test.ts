/**
 * Tests that the configuration for Claude Desktop from the first screen, pasted unchanged, works for a user who has only cloned
 * the repository.
 */
// @module-tag long
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'
import { connectOver, KINDS } from '../e2e/peers/clients/client.ts'
import { buildBridge, modern, open, startBridge } from '../e2e/peers/clients/bridge.ts'
import { makeInstallation } from './installation.ts'

interface Desktop {
  readonly mcpServers: { readonly toolway: { command: string; args: string[]; env: Record<string, string> } }
}

/** The text below the name of the client, up to the line that closes it. */
function desktopEntry(screen: string) {
  const text = /Claude Desktop: [^\n]*\n\n([^]*?\n {4}\})/.exec(screen)?.[1] ?? ''
  return (JSON.parse(text) as Desktop).mcpServers.toolway
}

test('the entry for Claude Desktop lists and calls the tools of a gateway of this machine', async () => {
  await using here = await makeInstallation()
  const running = await here.start()
  const { key } = await here.firstSecrets()
  const entry = desktopEntry(running.out().replaceAll('YOUR_KEY', key))
  for (const kind of KINDS.filter((one) => one !== 'SDK 1')) {
    await using client = await connectOver(new StdioClientTransport({ ...entry, cwd: here.folder }), kind)
    expect((await client.tools()).map(({ name }) => name)).toContain('demo__calculate')
    expect((await client.call('demo__calculate', { expression: '6*7' })).content[0]?.text).toBe('6*7 = 42')
  }
})

test('where clients may be elsewhere, the entry names nothing of this machine', async () => {
  await using here = await makeInstallation({ TOOLWAY_PUBLIC_URL: 'https://tools.example.com' })
  const running = here.begin()
  await expect.poll(running.out).toContain('Ctrl+C stops Toolway')
  expect(desktopEntry(running.out())).toMatchObject({ command: 'npx', args: expect.arrayContaining(['mcp-remote']) })
})

test('a gateway that is killed in the middle of a call, and started again, serves the same clients', async () => {
  await using built = await buildBridge()
  await using here = await makeInstallation({ TOOLWAY_PORT: String(await freePort()) })
  const running = await here.start()
  const target = { url: running.address, key: await here.localKey() }
  await using legacy = startBridge(built, target)
  await using later = startBridge(built, target)
  await open(legacy)
  const wait = { name: 'demo__wait_for', arguments: { seconds: 30, steps: 30 } }
  const call = { name: 'demo__calculate', arguments: { expression: '6*7' } }
  legacy.send({ id: 1, method: 'tools/call', params: { ...wait, _meta: { progressToken: 'p' } } })
  later.send({ id: 1, method: 'tools/call', params: modern(wait, { progressToken: 'p' }) })
  await Promise.all([legacy, later].map((bridge) => bridge.heard('notifications/progress')))
  running.signal('SIGKILL')
  expect(await running.ended).toBe('SIGKILL')
  await here.start()
  for (const [bridge, params] of [
    [legacy, call],
    [later, modern(call)],
  ] as const) {
    expect((await bridge.answerTo(1)).error).toMatchObject({ data: { fault: 'bridge.lost' } })
    expect((await bridge.ask({ id: 2, method: 'tools/call', params })).result).toMatchObject({
      content: [{ text: '6*7 = 42' }],
    })
  }
})
