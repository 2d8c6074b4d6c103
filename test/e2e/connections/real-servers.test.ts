/**
 * Tests that the published servers work behind the gateway. Everything, filesystem and memory as children, everything over HTTP
 * in a process of its own; each called by every official client, at its own endpoint and at the joined one.
 */
// @module-tag long
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectClient, KINDS, textOf } from '../peers/clients/client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire, processOf, startEverythingOverHttp } from '../peers/servers/real-servers.ts'

const ENDPOINTS = ['one connection', 'joined'] as const
const ways = KINDS.flatMap((kind) => ENDPOINTS.map((endpoint) => ({ kind, endpoint })))

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let folder: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'toolway-files-')))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'poem.txt'), 'A line about rivers.\n')
  const remote = parts.use(await startEverythingOverHttp())
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'every', wire: processOf('everything') },
        { alias: 'files', wire: processOf('filesystem', [folder], {}, [folder]) },
        {
          alias: 'memory',
          wire: processOf('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }, [folder]),
        },
        { alias: 'remote', wire: httpWire(remote.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

describe.each(ways)('$kind, $endpoint:', ({ kind, endpoint }) => {
  const joined = endpoint === 'joined'
  const connected = (alias: string) =>
    connectClient({ kind, url: joined ? gateway.url : gateway.connectionUrl(alias), key: gateway.key })
  const named = (alias: string, name: string) => (joined ? `${alias}__${name}` : name)
  const placed = (alias: string, uri: string) => (joined ? `toolway://${alias}/${uri}` : uri)

  test.each(['every', 'remote'])('server-everything (%s) is called', async (alias) => {
    await using client = await connected(alias)
    expect((await client.tools()).map(({ name }) => name)).toContain(named(alias, 'get-sum'))
    expect(textOf(await client.call(named(alias, 'echo'), { message: `from ${kind}` }))).toBe(`Echo: from ${kind}`)
    expect(textOf(await client.call(named(alias, 'get-sum'), { a: 2, b: 40 }))).toContain('42')
    const { content } = await client.call(named(alias, 'get-tiny-image'))
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'text'])
  })

  test.each(['every', 'remote'])('server-everything (%s) keeps structured content beside its text', async (alias) => {
    await using client = await connected(alias)
    const tools = await client.tools()
    expect(tools.find(({ name }) => name === named(alias, 'get-structured-content'))).toHaveProperty('outputSchema')
    const result = await client.call(named(alias, 'get-structured-content'), { location: 'Chicago' })
    expect(result.structuredContent).toEqual({ temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 })
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent)
  })

  test.each(['every', 'remote'])(
    'server-everything (%s) shows progress, resources, prompts and completions',
    async (alias) => {
      await using client = await connected(alias)
      const steps: number[] = []
      await client.call(
        named(alias, 'trigger-long-running-operation'),
        { duration: 0.05, steps: 5 },
        { onprogress: ({ progress }) => void steps.push(progress) },
      )
      expect(steps.length).toBeGreaterThan(0)
      expect(steps).toEqual([1, 2, 3, 4, 5].slice(0, steps.length))
      const [first] = await client.resources().then((all) => all.filter(({ uri }) => uri?.includes('document/')))
      expect((await client.read(first?.uri ?? ''))[0]?.uri).toBe(first?.uri)
      const [made] = await client.read(placed(alias, 'demo://resource/dynamic/text/12'))
      expect(made?.text).toContain('Resource 12')
      const [message] = await client.prompt(named(alias, 'args-prompt'), { city: 'Oslo' })
      expect(message?.content.text).toContain('Oslo')
      const ref = { type: 'ref/resource' as const, uri: placed(alias, 'demo://resource/dynamic/text/{resourceId}') }
      expect(await client.complete(ref, 'resourceId', '7')).toEqual(['7'])
    },
  )

  test('server-everything gives a link that can be read where it was given', async () => {
    await using client = await connected('every')
    const { content } = await client.call(named('every', 'get-resource-links'), { count: 1 })
    const link = content.find(({ type }) => type === 'resource_link')
    expect(link?.['uri']).toEqual(expect.stringContaining(placed('every', 'demo://')))
    expect((await client.read(String(link?.['uri'])))[0]?.uri).toBe(link?.['uri'])
  })

  test('server-filesystem reads, writes and refuses', async () => {
    await using client = await connected('files')
    expect(textOf(await client.call(named('files', 'read_text_file'), { path: join(folder, 'poem.txt') }))).toBe(
      'A line about rivers.\n',
    )
    const path = join(folder, `written ${kind} ${endpoint}.txt`)
    await client.call(named('files', 'write_file'), { path, content: 'søster 🌊' })
    expect(await readFile(path, 'utf8')).toBe('søster 🌊')
    const outside = await client.call(named('files', 'read_text_file'), { path: '/etc/hostname' })
    expect({ isError: outside.isError, text: textOf(outside) }).toEqual({
      isError: true,
      text: expect.stringMatching(/access denied/i),
    })
  })

  test('server-memory remembers between calls, because its process stays', async () => {
    await using client = await connected('memory')
    const entity = { name: `${kind} ${endpoint}`, entityType: 'client', observations: ['was here'] }
    await client.call(named('memory', 'create_entities'), { entities: [entity] })
    const found = await client.call(named('memory', 'search_nodes'), { query: entity.name })
    expect(found.structuredContent).toMatchObject({ entities: [entity] })
  })
})

test('S3-EXT-07: a child looks like any other connection to clients', async () => {
  await using client = await connectClient({ kind: 'SDK 1', url: gateway.url, key: gateway.key })
  const tools = await client.tools()
  const of = (alias: string) =>
    tools.flatMap((tool) =>
      tool.name.startsWith(`${alias}__`) ? [{ ...tool, name: tool.name.slice(alias.length) }] : [],
    )
  // The same program over both transports: not one definition differs, but for the tool about a client's folders, which are
  // never told to a child (ADR 0011).
  expect(of('every').length).toBeGreaterThan(10)
  expect(of('every')).toEqual(of('remote').filter(({ name }) => name !== '__get-roots-list'))
})

const ASKING = ['trigger-elicitation-request', 'trigger-sampling-request', 'trigger-url-elicitation']

test('tools that a child lists only for clients that can be asked are listed, and ask whoever can be asked', async () => {
  const url = gateway.connectionUrl('every')
  await using client = await connectClient({ kind: 'SDK 1', url, key: gateway.key, answers: true })
  expect((await client.tools()).map(({ name }) => name)).toEqual(expect.arrayContaining(ASKING))
  await client.call('trigger-elicitation-request')
  expect(client.asked.map(({ method }) => method)).toEqual(['elicitation/create'])
})

test('such a tool fails in words where the client cannot be asked', async () => {
  const url = gateway.connectionUrl('every')
  await using client = await connectClient({ kind: 'SDK 1', url, key: gateway.key })
  const refused = await client.call('trigger-elicitation-request').catch((thrown: unknown) => String(thrown))
  expect(JSON.stringify(refused)).toContain('The client of this call cannot be asked')
})
