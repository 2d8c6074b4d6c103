/**
 * The sizes of requests, arguments, results, lines and the toolkit's texts at their borders, over HTTP: with the defaults, and with each
 * setting changed.
 *
 * One server is a program on stdio that answers with as many bytes as its caller asks for, the other one the toolkit.
 */
// @module-tag long
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../../../packages/toolkit/src/testing/toolkit-client.ts'
import { ask, callTool, type RawAnswer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'

const TOOLKIT = fileURLToPath(new URL('../../../packages/toolkit/bin/toolway-toolkit.mjs', import.meta.url))

/** `text`: bytes of the text of the result; `line`: bytes of the whole line. */
const PROGRAM = `
const answer = (id, result) => JSON.stringify({ jsonrpc: '2.0', id, result })
const textOf = (length) => ({ content: [{ type: 'text', text: 'x'.repeat(length) }] })
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'sizes', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'give', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
  'tools/call': ({ arguments: { text = 0, line } = {} }, id) =>
    textOf(line === undefined ? text : line - answer(id, textOf(0)).length),
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (read) => {
  const { id, method, params } = JSON.parse(read)
  if (id === undefined) return
  const result = results[method]?.(params ?? {}, id)
  const unknown = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } })
  process.stdout.write((result === undefined ? unknown : answer(id, result)) + '\\n')
})`

const CASES = [
  { settings: {}, body: 1_048_576, depth: 64, members: 10_000, text: 262_144, file: 5_242_880, line: 8_388_608 },
  {
    settings: {
      TOOLWAY_BODY_LIMIT: '4000',
      TOOLWAY_ARGUMENT_DEPTH: '3',
      TOOLWAY_ARGUMENT_MEMBERS: '100',
      TOOLWAY_RESULT_LIMIT: '2048',
      TOOLWAY_RESULT_FILE_FROM: '10000',
      TOOLWAY_STDIO_LINE_LIMIT: '20000',
    },
    ...{ body: 4_000, depth: 3, members: 100, text: 2_048, file: 10_000, line: 20_000 },
  },
]

/** Texts of the default, 16 MiB, are in packages/toolkit/src/protocol.test.ts: a line to a stdio server is shorter. */
const TOOLKITS = [
  { options: ['--max-text', '3000'], settings: {}, text: 3_000 },
  { options: ['--max-text', '5000000'], settings: { TOOLWAY_BODY_LIMIT: '8000000' }, text: 5_000_000 },
]

const named = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at]))
const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) })
const contentOf = ({ answer }: RawAnswer) => answer.result?.content ?? []
const linksOf = (answer: RawAnswer) => contentOf(answer).flatMap((part) => ('uri' in part ? [String(part.uri)] : []))
const faultOf = ({ answer }: RawAnswer) => answer.error?.data?.['fault']

describe.each(CASES)('U-16: with $settings', ({ settings, body, depth, members, text, file, line }) => {
  test('each size is taken at its border and refused, cut or kept beyond it', async () => {
    await using gateway = await openGateway({
      connections: [
        {
          alias: 'sizes',
          wire: { kind: 'process', command: process.execPath, args: ['-e', PROGRAM], environment: {} },
        },
      ],
      settings,
    })
    const peer = { url: gateway.connectionUrl('sizes'), key: gateway.key, era: 'modern' as const }
    const call = (given: object) => callTool(peer, 'give', { ...given })

    const post = async (size: number) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const authorization = `Bearer ${gateway.key}`
      return (await fetch(peer.url, { method: 'POST', headers: { ...headers, authorization }, body: 'x'.repeat(size) }))
        .status
    }
    expect([await post(body), await post(body + 1)]).toEqual([400, 413])

    expect((await call(nested(depth))).answer.error).toBeUndefined()
    expect(faultOf(await call(nested(depth + 1)))).toBe('request.too-deep')

    expect((await call({ deep: named(members - 1) })).answer.error).toBeUndefined()
    expect(faultOf(await call({ deep: [named(members)] }))).toBe('arguments.too-many')

    const beside = await ask(peer, 'tools/call', { name: 'give', arguments: {}, extra: named(members + 1) })
    expect(faultOf(beside)).toBe('arguments.too-many')

    const whole = await call({ text })
    expect(contentOf(whole).map((part) => part.text?.length)).toEqual([text])
    const cut = await call({ text: text + 1 })
    expect(Buffer.byteLength(contentOf(cut)[0]?.text ?? '')).toBeLessThanOrEqual(text)
    expect(contentOf(cut)[0]?.text).toContain(`is ${text + 1} bytes long, and at most ${text} are passed on`)
    expect(linksOf(cut)).toEqual([expect.stringMatching(/^toolway:\/\/results\//)])

    expect(linksOf(await call({ text: file }))).toEqual([expect.stringMatching(/^toolway:\/\/results\//)])
    expect(linksOf(await call({ text: file + 1 }))).toEqual([expect.stringMatching(/^toolway:\/\/files\//)])

    expect((await call({ line })).answer.result?.isError).not.toBe(true)
    const late = await call({ line: line + 1 })
    expect(late.answer.result?.['_meta']).toMatchObject({ 'dev.toolway/fault': { fault: 'upstream.ended' } })
    expect(late.answer.result?.content?.[0]?.text).toContain('longer than the limit')
  })
})

describe.each(TOOLKITS)('U-16: with $options of the toolkit', ({ options, settings, text }) => {
  test('a text is written at its border and refused beyond it, through the gateway', async () => {
    await using folder = await makeFolder()
    const args = [TOOLKIT, '--root', folder.path, ...options]
    await using gateway = await openGateway({
      connections: [
        {
          alias: 'toolkit',
          wire: {
            ...{ kind: 'process', command: process.execPath, args, environment: {} },
            access: { allow_paths: [folder.path] },
          },
        },
      ],
      settings,
    })
    const peer = { url: gateway.connectionUrl('toolkit'), key: gateway.key, era: 'modern' as const }
    for (const tool of ['write_local_file', 'append_to_file']) {
      const write = async (length: number) => {
        const { answer } = await callTool(peer, tool, { path: `${tool}.txt`, content: 'x'.repeat(length) })
        return answer.result
      }
      expect((await write(text))?.['structuredContent'], tool).toMatchObject({ chars: text })
      const longer = await write(text + 1)
      // A fault in `_meta` is the gateway's own word, also where a server knows its form.
      expect(longer, tool).toMatchObject({ isError: true })
      expect(longer?.['_meta'], tool).not.toHaveProperty('dev.toolway/fault')
      expect(longer?.content?.[0]?.text, tool).toContain(
        `content: Too big: expected string to have <=${text} characters`,
      )
      expect((await stat(join(folder.path, `${tool}.txt`))).size, tool).toBe(text)
    }
  })
})
