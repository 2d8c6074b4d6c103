/** Tests that client programs get access with the address alone: the Inspector's command line and mcp-remote, as processes. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, test } from 'vitest'
import { openOAuthGateway } from '../peers/oauth-gateway.ts'
import type { Person } from '../peers/people/oauth-person.ts'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'

const ROOT = join(import.meta.dirname, '../../..')
const MODULES = join(ROOT, 'node_modules')

/** A folder that takes the place of the home of whoever runs the tests. */
async function makeHome() {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-home-'))
  const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, BROWSER: 'true', MCP_REMOTE_CONFIG_DIR: folder }
  return { folder, environment, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Plays the browser that the program opens: the address that it prints, and back to its own port. */
async function authorize(text: NodeJS.ReadableStream, person: Person): Promise<void> {
  let printed = ''
  const address = await new Promise<string>((resolve, reject) => {
    // It is read to its end, as a program that nobody listens to may end of it.
    text.on('data', (chunk) => {
      printed += String(chunk)
      const found = /http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+/.exec(printed)?.[0]
      if (found !== undefined) resolve(found)
    })
    text.on('end', () => reject(new Error(`no address was printed: ${printed}`)))
  })
  const { back } = await person.open(address)
  if (back === undefined) throw new Error(`the person did not come back: ${printed}`)
  await (await fetch(back)).text()
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

test('the Inspector gets in and lists the tools', async () => {
  await using open = await openOAuthGateway()
  await using home = await makeHome()
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`
  const words = ['--cli', '--server-url', open.gateway.url, '--transport', 'http', '--method', 'tools/list']
  const child: ChildProcess = spawn(
    process.execPath,
    [join(MODULES, '.bin/mcp-inspector'), ...words, '--callback-url', callback, '--format', 'json'],
    {
      // Without a terminal it asks for a browser; `true` is one that opens nothing.
      env: { ...home.environment, MCP_AUTO_OPEN_ENABLED: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  try {
    const [out] = await Promise.all([textOf(child.stdout!), authorize(child.stderr!, open.person())])
    expect(out).toContain('effects__look_up')
  } finally {
    child.kill('SIGKILL')
  }
})

test('mcp-remote gets in, for a client that starts its servers as processes', async () => {
  await using open = await openOAuthGateway()
  await using home = await makeHome()
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(MODULES, 'mcp-remote/dist/proxy.js'), open.gateway.url, String(await freePort()), '--allow-http'],
    env: home.environment,
    stderr: 'pipe',
  })
  const client = new Client({ name: 'test', version: '1' })
  try {
    await Promise.all([client.connect(transport), authorize(transport.stderr as Readable, open.person())])
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('effects__look_up')
    const { content } = await client.callTool({ name: 'effects__look_up', arguments: {} })
    expect(content).toEqual([{ type: 'text', text: 'did look_up' }])
  } finally {
    await client.close()
  }
})
