/** A workbench of one's own: a server from the npm registry that runs code, `mcp-server-code-runner`, as a process of the toolkit, and servers at an address. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMachine, textOf, type Machine, type Toolkit } from './toolkit-process.ts'

const RUNNER = fileURLToPath(new URL('../../../node_modules/mcp-server-code-runner/dist/cli.js', import.meta.url))
const FILES: Readonly<Record<string, Buffer>> = {
  'notes.md': Buffer.from('Grüße\n'),
  'it\'s "quoted" $(touch owned).bin': randomBytes(3_000_000),
  empty: Buffer.alloc(0),
}

let machine: Machine
let home: string
beforeAll(async () => {
  machine = await createMachine()
  home = await realpath(await mkdtemp(join(tmpdir(), 'own-workbench-')))
})
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
})

const settings = (language: string, languageId: string) => ({
  TOOLWAY_WORKBENCH_TOOL: 'run-code',
  TOOLWAY_WORKBENCH_ARGUMENTS: JSON.stringify({ languageId }),
  TOOLWAY_WORKBENCH_LANGUAGE: language,
  TOOLWAY_WORKBENCH_HOME: join(home, language),
  // The server keeps each script at one place of the temporary folder.
  TMPDIR: home,
})

async function carryBothWays(toolkit: Toolkit, language: string): Promise<void> {
  for (const [name, bytes] of Object.entries(FILES)) {
    await writeFile(join(machine.root, name), bytes)
    const remote = `/home/user/deep/${name}`
    const up = await toolkit.call('workbench_upload', { local_path: name, remote_path: remote })
    expect(textOf(up)).toBe(`Successfully uploaded ${join(machine.root, name)} to ${remote}.`)
    expect((await readFile(join(home, language, 'deep', name))).equals(bytes), name).toBe(true)
    const back = `${language}/${name}`
    const down = await toolkit.call('workbench_download', { remote_path: remote, local_path: back })
    expect(down.structuredContent, textOf(down)).toMatchObject({ verified: true, size: bytes.length })
    expect((await readFile(join(machine.root, back))).equals(bytes), name).toBe(true)
  }
}

test.each([
  ['javascript', 'javascript'],
  ['shell', 'shellscript'],
])('files go to a code runner over stdio and come back the same, in %s', async (language, languageId) => {
  const toolkit = await machine.start({
    ...settings(language, languageId),
    TOOLWAY_WORKBENCH_COMMAND: JSON.stringify([process.execPath, RUNNER]),
    COMPOSIO_API_KEY: 'ak_not_for_the_runner',
  })
  await carryBothWays(toolkit, language)
  const named = await toolkit.call('workbench_upload', {
    local_path: 'notes.md',
    remote_path: '/home/user/x',
    session_id: 'trs_1',
  })
  expect([named.isError, textOf(named)]).toEqual([true, expect.stringContaining('has no sessions')])
})

test('the process of the code runner gets no key of the toolkit', async () => {
  const spy = join(home, 'spy.mjs')
  const out = join(home, 'environment.json')
  await writeFile(
    spy,
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(out)}, JSON.stringify(process.env))\n`,
  )
  const toolkit = await machine.start({
    ...settings('javascript', 'javascript'),
    TOOLWAY_WORKBENCH_COMMAND: JSON.stringify([process.execPath, spy]),
    COMPOSIO_API_KEY: 'ak_not_for_the_runner',
    TOOLWAY_URL: 'https://gateway.example',
    TOOLWAY_KEY: 'not-for-the-runner-either',
  })
  await writeFile(join(machine.root, 'a'), 'a')
  const refused = await toolkit.call('workbench_upload', { local_path: 'a', remote_path: '/home/user/a' })
  expect(refused.isError).toBe(true)
  expect(await readFile(out, 'utf8')).not.toMatch(/not.for.the.runner|TOOLWAY|COMPOSIO/)
})

test.each(['modern', 'legacy'] as const)(
  'files go to a server of the %s era at an address, with its key',
  { tags: 'long' },
  async (era) => {
    await using server = await startRunner(era)
    const { TOOLWAY_WORKBENCH_ARGUMENTS: _, ...more } = settings('javascript', '')
    const toolkit = await machine.start({
      ...more,
      TOOLWAY_WORKBENCH_TOOL: 'execute',
      TOOLWAY_WORKBENCH_ARGUMENT: 'source',
      TOOLWAY_WORKBENCH_URL: server.url,
      TOOLWAY_WORKBENCH_KEY: 'key-of-the-runner',
    })
    await carryBothWays(toolkit, 'javascript')
    const wrong = await machine.start({
      ...more,
      TOOLWAY_WORKBENCH_TOOL: 'execute',
      TOOLWAY_WORKBENCH_URL: server.url,
      TOOLWAY_WORKBENCH_KEY: 'wrong-key',
    })
    const refused = await wrong.call('workbench_upload', { local_path: 'notes.md', remote_path: '/home/user/x' })
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('Check TOOLWAY_WORKBENCH_KEY')])
  },
)

test('a setting that does not fit is named by the call that needs it', { tags: 'long' }, async () => {
  await writeFile(join(machine.root, 'b'), 'b')
  for (const [variables, words] of [
    [{ TOOLWAY_WORKBENCH_COMMAND: 'node x.js' }, 'Set TOOLWAY_WORKBENCH_TOOL'],
    [{ TOOLWAY_WORKBENCH_URL: 'ftp://x' }, 'TOOLWAY_WORKBENCH_URL is not valid'],
    [
      { ...settings('javascript', 'x'), TOOLWAY_WORKBENCH_COMMAND: 'no-such-program-here' },
      'cannot be started (ENOENT)',
    ],
    [{ ...settings('javascript', 'x'), TOOLWAY_WORKBENCH_COMMAND: 'false' }, 'ended (code 1) before it answered'],
    [{ TOOLWAY_WORKBENCH_TOOL: 'run' }, 'set TOOLWAY_WORKBENCH_COMMAND or TOOLWAY_WORKBENCH_URL'],
    [{ TOOLWAY_URL: 'https://gateway.example' }, 'TOOLWAY_URL is set but TOOLWAY_KEY is not'],
    [{ TOOLWAY_URL: 'http://gateway.example/mcp', TOOLWAY_KEY: 'uru_x' }, 'use https:, or set TOOLWAY_ALLOW_HTTP=true'],
    [
      { COMPOSIO_API_KEY: 'x', COMPOSIO_BASE_URL: 'http://composio.example' },
      'COMPOSIO_BASE_URL points to http://composio.example',
    ],
    [{ ...settings('cobol', 'x'), TOOLWAY_WORKBENCH_COMMAND: 'x' }, 'TOOLWAY_WORKBENCH_LANGUAGE is not valid'],
  ] as const) {
    const toolkit = await machine.start({ ...variables })
    const refused = await toolkit.call('workbench_upload', { local_path: 'b', remote_path: '/home/user/b' })
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining(words)])
  }
})

/** A server by the official SDK that runs scripts with Node; of the older era, it has sessions and knows no discovery. */
async function startRunner(era: 'modern' | 'legacy') {
  const make = () => {
    const mcp = new Server({ name: 'runner', version: '1.0.0' }, { capabilities: { tools: {} } })
    mcp.setRequestHandler('tools/list', () => ({ tools: [] }))
    mcp.setRequestHandler('tools/call', ({ params }) => {
      const { source } = params.arguments as { source: string }
      return {
        content: [
          { type: 'text', text: execFileSync(process.execPath, ['-'], { input: source, maxBuffer: 1e8 }).toString() },
        ],
      }
    })
    return mcp
  }
  const handler = era === 'modern' ? createMcpHandler(make) : undefined
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  async function legacy(request: Request): Promise<Response> {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known !== undefined) return known.handleRequest(request)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(8).toString('hex'),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await make().connect(transport)
    return transport.handleRequest(request)
  }
  const listen = toNodeHandler({ fetch: (request: Request) => handler?.fetch(request) ?? legacy(request) })
  const server = createServer((request, response) => {
    if (request.headers.authorization !== 'Bearer key-of-the-runner') return void response.writeHead(401).end()
    void listen(request as NodeIncomingMessageLike, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
