/**
 * Tests that every official client gets everything from servers of both eras, at the endpoint of one connection and at the joined
 * one. The same story is run for each of the sixteen combinations.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { PNG, WAV } from '../../conformance/everything/samples.ts'
import { connectClient, eraOfKind, KINDS } from '../peers/clients/client.ts'
import type { McpClient } from '../peers/clients/client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'

const ERAS = ['modern', 'legacy'] as const
const ENDPOINTS = ['one connection', 'joined'] as const
const ways = KINDS.flatMap((kind) =>
  ENDPOINTS.flatMap((endpoint) => ERAS.map((server) => ({ kind, endpoint, server }))),
)

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  const modern = parts.use(await startEverythingServer({ era: 'modern' }))
  const legacy = parts.use(await startEverythingServer({ era: 'legacy' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire(modern.url) },
        { alias: 'legacy', wire: httpWire(legacy.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

describe.each(ways)('$kind, $endpoint, $server server:', ({ kind, endpoint, server }) => {
  const joined = endpoint === 'joined'
  const named = (name: string) => (joined ? `${server}__${name}` : name)
  const placed = (uri: string) => (joined ? `toolway://${server}/${uri}` : uri)
  const connected = (): Promise<McpClient> =>
    connectClient({ kind, url: joined ? gateway.url : gateway.connectionUrl(server), key: gateway.key })

  test('speaks the client’s own newest revision', async () => {
    await using client = await connected()
    expect(client.revision).toBe(eraOfKind(kind) === 'modern' ? '2026-07-28' : '2025-11-25')
    expect(client.instructions).toContain('A fixture: call any tool.')
    expect(client.capabilities).toMatchObject({ tools: {}, resources: {}, prompts: {}, completions: {} })
  })

  test('lists the tools', async () => {
    await using client = await connected()
    const names = (await client.tools()).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([named('test_simple_text'), named('test_error_handling')]))
    expect(names.every((name) => name.startsWith('modern__') || name.startsWith('legacy__'))).toBe(joined)
  })

  test('passes input schemas through keyword by keyword', async () => {
    await using client = await connected()
    const tools = await client.tools()
    const schema = tools.find(({ name }) => name === named('json_schema_2020_12_tool'))?.['inputSchema']
    expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: expect.anything() })
  })

  test('calls a tool', async () => {
    await using client = await connected()
    const { content, isError } = await client.call(named('test_simple_text'))
    expect({ content, isError: isError ?? false }).toEqual({
      content: [{ type: 'text', text: 'This is a simple text response for testing.' }],
      isError: false,
    })
  })

  test('keeps images, audio and embedded resources as they are', async () => {
    await using client = await connected()
    expect((await client.call(named('test_image_content'))).content).toEqual([
      { type: 'image', data: PNG, mimeType: 'image/png' },
    ])
    expect((await client.call(named('test_audio_content'))).content).toEqual([
      { type: 'audio', data: WAV, mimeType: 'audio/wav' },
    ])
    const { content } = await client.call(named('test_multiple_content_types'))
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'resource'])
    expect(content[2]).toMatchObject({ resource: { uri: placed('test://mixed-content-resource') } })
  })

  test('gives the error of a tool as its result', async () => {
    await using client = await connected()
    expect(await client.call(named('test_error_handling'))).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('intentionally returns an error') }],
    })
  })

  test('refuses an unknown tool', async () => {
    await using client = await connected()
    await expect(client.call(named('no_such_tool'))).rejects.toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining('no_such_tool') }),
    )
  })

  test('lists and reads resources under the addresses it lists', async () => {
    await using client = await connected()
    const uris = (await client.resources()).map(({ uri }) => uri)
    expect(uris).toEqual(expect.arrayContaining([placed('test://static-text'), placed('test://static-binary')]))
    expect(await client.read(placed('test://static-text'))).toMatchObject([
      { uri: placed('test://static-text'), text: 'This is the content of the static text resource.' },
    ])
    expect(await client.read(placed('test://static-binary'))).toMatchObject([{ blob: PNG }])
  })

  test('lists templates, and reads what is made from them', async () => {
    await using client = await connected()
    const templates = (await client.templates()).map(({ uriTemplate }) => uriTemplate)
    expect(templates).toContain(placed('test://template/{id}/data'))
    const [found] = await client.read(placed('test://template/7/data'))
    expect(found?.uri).toBe(placed('test://template/7/data'))
    expect(JSON.parse(found?.text ?? '{}')).toMatchObject({ id: '7', templateTest: true })
  })

  test('says that an unknown resource is unknown', async () => {
    await using client = await connected()
    await expect(client.read(placed('test://nothing'))).rejects.toThrow(/not found/i)
    await expect(client.read('toolway://nobody/test://static-text')).rejects.toThrow(/not found/i)
  })

  test('lists and gets prompts', async () => {
    await using client = await connected()
    expect((await client.prompts()).map(({ name }) => name)).toContain(named('test_prompt_with_arguments'))
    const [first] = await client.prompt(named('test_prompt_with_arguments'), { arg1: 'one', arg2: 'two' })
    expect(first?.content.text).toBe("Prompt with arguments: arg1='one', arg2='two'")
    const [embedded] = await client.prompt(named('test_prompt_with_embedded_resource'), { resourceUri: 'test://x' })
    expect(embedded?.content).toMatchObject({ type: 'resource', resource: { uri: placed('test://x') } })
    await expect(client.prompt(named('no_such_prompt'))).rejects.toThrow(/unknown prompt/i)
  })

  test('completes an argument', async () => {
    await using client = await connected()
    const ref = { type: 'ref/prompt' as const, name: named('test_prompt_with_arguments') }
    expect(await client.complete(ref, 'arg1', 'par')).toEqual(['paris', 'park'])
  })

  test('reports progress to the one who called', async () => {
    await using client = await connected()
    const steps: number[] = []
    await client.call(named('test_tool_with_progress'), {}, { onprogress: ({ progress }) => void steps.push(progress) })
    expect(steps.length).toBeGreaterThan(0)
    expect(steps).toEqual([0, 50, 100].slice(0, steps.length))
  })

  test('answers a ping in the era that has one', async () => {
    await using client = await connected()
    if (eraOfKind(kind) === 'legacy') expect(await client.ping()).toEqual({})
    else await expect(client.ping()).rejects.toThrow()
  })
})
