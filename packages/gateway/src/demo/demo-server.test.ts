import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { spawn } from 'node:child_process'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ResourceListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

// Real processes are started here, on machines that may be busy with other things.
const SERVER = join(import.meta.dirname, 'demo-server.ts')
const NAMES = [
  'world_clock',
  'date_between',
  'wait_for',
  'calculate',
  'convert_units',
  'summarize_numbers',
  'compare_texts',
  'hash_text',
  'make_ids',
  'format_json',
  'notes_add',
  'notes_search',
  'notes_remove',
]

interface CallOptions {
  signal?: AbortSignal
  onprogress?: (progress: { progress: number; total?: number | undefined; message?: string | undefined }) => void
}

/** The same few questions to the same server, asked by different clients. */
interface Peer {
  version(): string | undefined
  tools(): Promise<{ name: string; annotations?: object | undefined; outputSchema?: object | undefined }[]>
  call(name: string, input: Record<string, unknown>, options?: CallOptions): Promise<unknown>
  resources(): Promise<{ uri: string; title?: string | undefined }[]>
  templates(): Promise<{ uriTemplate: string }[]>
  read(uri: string): Promise<unknown>
  prompt(input: Record<string, string>): Promise<unknown>
  completePlace(value: string): Promise<string[]>
  /** Resolves when the server says that its resources changed. */
  changed: Promise<void>
  close(): Promise<void>
}

const childOf = (home: string) => ({
  command: process.execPath,
  args: [SERVER],
  env: { HOME: home, USERPROFILE: home, PATH: '' },
  stderr: 'inherit' as const,
})

const connectV2 =
  (mode: 'legacy' | { pin: string }) =>
  async (home: string): Promise<Peer> => {
    const change = Promise.withResolvers<void>()
    const client = new Client(
      { name: 'test', version: '1' },
      {
        versionNegotiation: { mode },
        listChanged: { resources: { autoRefresh: false, debounceMs: 0, onChanged: () => change.resolve() } },
      },
    )
    await client.connect(new StdioClientTransport(childOf(home)))
    return {
      version: () => client.getNegotiatedProtocolVersion(),
      tools: async () => (await client.listTools()).tools,
      call: (name, input, options) => client.callTool({ name, arguments: input }, options),
      resources: async () => (await client.listResources()).resources,
      templates: async () => (await client.listResourceTemplates()).resourceTemplates,
      read: (uri) => client.readResource({ uri }),
      prompt: (input) => client.getPrompt({ name: 'plan_my_day', arguments: input }),
      completePlace: async (value) => (await client.complete(placeOf(value))).completion.values,
      changed: change.promise,
      close: () => client.close(),
    }
  }

const connectV1 = async (home: string): Promise<Peer> => {
  const change = Promise.withResolvers<void>()
  const client = new ClientV1({ name: 'test', version: '1' })
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => change.resolve())
  const transport = new StdioClientTransportV1(childOf(home))
  await client.connect(transport)
  return {
    version: () => undefined,
    tools: async () => (await client.listTools()).tools,
    call: (name, input, options) => client.callTool({ name, arguments: input }, undefined, options),
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: (uri) => client.readResource({ uri }),
    prompt: (input) => client.getPrompt({ name: 'plan_my_day', arguments: input }),
    completePlace: async (value) => (await client.complete(placeOf(value))).completion.values,
    changed: change.promise,
    close: () => client.close(),
  }
}

const placeOf = (value: string) => ({
  ref: { type: 'ref/prompt' as const, name: 'plan_my_day' },
  argument: { name: 'place', value },
})

async function temporaryHome() {
  const path = await mkdtemp(join(tmpdir(), 'toolway-demo-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

async function running(connect: (home: string) => Promise<Peer>) {
  const home = await temporaryHome()
  const peer = await connect(home.path)
  return {
    peer,
    home: home.path,
    async [Symbol.asyncDispose]() {
      await peer.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

const Kept = z.object({ structuredContent: z.object({ id: z.string(), uri: z.string() }) })

describe.each([
  { who: 'a client of 2026-07-28', connect: connectV2({ pin: '2026-07-28' }), version: '2026-07-28' },
  { who: 'a client of 2025-11-25', connect: connectV2('legacy'), version: '2025-11-25' },
  { who: 'a client built on SDK v1', connect: connectV1, version: undefined },
])('$who', ({ connect, version }) => {
  test('sees every tool with its shapes and true hints', async () => {
    await using demo = await running(connect)
    expect(demo.peer.version()).toBe(version)
    const tools = await demo.peer.tools()
    expect(tools.map(({ name }) => name)).toEqual(NAMES)
    for (const { outputSchema } of tools) expect(outputSchema).toMatchObject({ type: 'object' })
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
    expect(hints['calculate']).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    })
    expect(hints['notes_add']).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: false })
    expect(hints['notes_remove']).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true })
  })

  test('gets values and text from each tool', async () => {
    await using demo = await running(connect)
    for (const [name, input, value, text] of ANSWERS) {
      expect(await demo.peer.call(name, input), name).toMatchObject({
        structuredContent: value,
        content: [{ type: 'text', text: expect.stringContaining(text) }],
      })
    }
  })

  test('is told what was wrong as a result of the tool, and the server lives on', async () => {
    await using demo = await running(connect)
    for (const [name, input, text] of MISTAKES) {
      expect(await demo.peer.call(name, input), name).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining(text) }],
      })
    }
    expect(await demo.peer.call('calculate', { expression: '1+1' })).toMatchObject({ structuredContent: { result: 2 } })
  })

  test('keeps, reads, finds and removes a note, and hears that the list changed', async () => {
    await using demo = await running(connect)
    const kept = Kept.parse(await demo.peer.call('notes_add', { title: 'Milk', text: 'Two litres', tags: ['shop'] }))
    await demo.peer.changed
    const { id, uri } = kept.structuredContent
    expect(uri).toBe(`note:///${id}`)
    expect(await demo.peer.resources()).toEqual([expect.objectContaining({ uri, title: 'Milk' })])
    expect(await demo.peer.templates()).toEqual([expect.objectContaining({ uriTemplate: 'note:///{id}' })])
    expect(await demo.peer.read(uri)).toMatchObject({
      contents: [{ uri, mimeType: 'text/markdown', text: expect.stringContaining('# Milk\n\nTwo litres') }],
    })
    expect(await demo.peer.call('notes_search', { words: 'LITRES milk' })).toMatchObject({
      structuredContent: { total: 1 },
    })
    expect(await demo.peer.call('notes_search', { words: 'bread' })).toMatchObject({ structuredContent: { total: 0 } })
    expect(await readdir(join(demo.home, '.toolway-demo', 'notes'))).toEqual([`${id}.json`])
    expect(await demo.peer.call('notes_remove', { id })).toMatchObject({ structuredContent: { removed: { id } } })
    expect(await demo.peer.resources()).toEqual([])
    await expect(demo.peer.read(uri)).rejects.toThrow()
  })

  test('follows the progress of a wait', async () => {
    await using demo = await running(connect)
    const told: unknown[] = []
    await demo.peer.call('wait_for', { seconds: 0.2, steps: 4 }, { onprogress: (progress) => told.push(progress) })
    // A client of SDK v1 drops the last one when it comes in one piece with the result.
    expect(told.slice(0, 3)).toEqual([1, 2, 3].map((step) => expect.objectContaining({ progress: step, total: 4 })))
  })

  test('cancels a wait and can go on at once', async () => {
    await using demo = await running(connect)
    const stop = new AbortController()
    const waiting = demo.peer.call(
      'wait_for',
      { seconds: 30, steps: 100 },
      { signal: stop.signal, onprogress: () => stop.abort() },
    )
    await expect(waiting).rejects.toThrow()
    expect(await demo.peer.call('calculate', { expression: '2*3' })).toMatchObject({ structuredContent: { result: 6 } })
  })

  test('gets the prompt for its place, completed from the zones', async () => {
    await using demo = await running(connect)
    expect(await demo.peer.completePlace('Lisb')).toEqual(['Europe/Lisbon'])
    expect(await demo.peer.prompt({ place: 'Lisbon', focus: 'the report' })).toMatchObject({
      messages: [
        { role: 'user', content: { text: expect.stringMatching(/in Europe\/Lisbon \(UTC\+0[01]:00\)[^]*the report/) } },
      ],
    })
    await expect(demo.peer.prompt({ place: 'Atlantis' })).rejects.toThrow("Unknown time zone 'Atlantis'")
  })
})

test('the process writes nothing but protocol to standard output and ends with its input', async () => {
  await using home = await temporaryHome()
  const { command, args, env } = childOf(home.path)
  const child = spawn(command, args, { env, stdio: 'pipe' })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const output = readAll(child.stdout)
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  }
  child.stdin.write(`this is no message\n${JSON.stringify(initialize)}\n`)
  // The answer is on its way before the input ends, as a client that closes properly does.
  await new Promise((resolve) => child.stdout.once('data', resolve))
  child.stdin.end()
  expect(await ended).toBe(0)
  const lines = (await output).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([expect.objectContaining({ jsonrpc: '2.0', id: 1 })])
})

const ANSWERS: [name: string, input: Record<string, unknown>, value: object, text: string][] = [
  [
    'world_clock',
    { zones: ['Tokyo', 'UTC'], at: '2026-03-01T09:00:00Z' },
    { at: '2026-03-01T09:00:00.000Z', clocks: [{ zone: 'Asia/Tokyo', local: '2026-03-01T18:00:00' }, { zone: 'UTC' }] },
    'Asia/Tokyo: Sunday 2026-03-01 18:00:00 (UTC+09:00)',
  ],
  ['world_clock', { zones: ['Berlin'] }, { clocks: [{ asked: 'Berlin', zone: 'Europe/Berlin' }] }, 'Europe/Berlin'],
  ['date_between', { from: '2026-01-01', to: '2026-01-15' }, { days: 14, weeks: 2, business_days: 10 }, '14 days'],
  ['wait_for', { seconds: 0, steps: 1 }, { waited_seconds: 0, steps: 1 }, 'Waited 0 seconds'],
  ['calculate', { expression: '2^10 - 24' }, { result: 1000 }, '2^10 - 24 = 1000'],
  ['convert_units', { value: 20, from: 'celsius', to: 'F' }, { value: 20, from: 'C', result: 68 }, '20 C = 68 F'],
  ['summarize_numbers', { numbers: [1, 2, 3, 4], quantiles: [0.5] }, { mean: 2.5, median: 2.5, count: 4 }, 'mean: 2.5'],
  ['summarize_numbers', { numbers: [1] }, { stdev: null }, 'stdev: none'],
  ['compare_texts', { before: 'a\n', after: 'b\n' }, { added: 1, removed: 1, identical: false }, '-a\n+b'],
  [
    'hash_text',
    { text: 'abc' },
    { algorithm: 'sha256', digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
    'sha256 of 3 bytes',
  ],
  ['hash_text', { text: 'abc', algorithm: 'md5' }, { digest: '900150983cd24fb0d6963f7d28e17f72' }, 'md5'],
  ['make_ids', { version: 'v7', count: 2 }, { version: 'v7', ids: [expect.any(String), expect.any(String)] }, '-7'],
  [
    'format_json',
    { text: '{"b":1,"a":2}', sort_keys: true, style: 'minify' },
    { text: '{"a":2,"b":1}' },
    '{"a":2,"b":1}',
  ],
  ['format_json', { text: '{"a":1,"a":2}' }, { repeated_names: ['$.a'] }, 'Names that stand twice: $.a'],
  ['notes_search', {}, { total: 0, notes: [], unreadable: [] }, 'No note matches.'],
]

const MISTAKES: [name: string, input: Record<string, unknown>, text: string][] = [
  ['calculate', { expression: '2 * (3 + ' }, 'Column 10: expected a number'],
  ['convert_units', { value: 1, from: 'km', to: 'kg' }, 'km measures length and kg measures mass'],
  ['world_clock', { zones: ['Atlantis'] }, "Unknown time zone 'Atlantis'"],
  ['date_between', { from: '2026-02-30', to: '2026-03-01' }, "'2026-02-30' is not a date"],
  ['format_json', { text: '{"a": 1,}' }, 'Line 1, column 8'],
  ['notes_remove', { id: '0000000000' }, "There is no note '0000000000'"],
  ['notes_remove', { id: '../../etc/passwd' }, 'There is no note'],
]
