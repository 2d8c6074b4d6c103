import { parse as parseToml } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { isNear, nameOf, pathOf } from './place.ts'
import { CLIENT_IDS, presetOf, PRESETS, type ClientId, type Way } from './presets.ts'
import type { Setup } from './snippets.ts'

const KEY = 'smcp_tu_Abc-123_x'
const URL_TEXT = 'https://tools.example.com/o/acme/t/sales/mcp'
const NAME = 'toolway-acme--sales'
const setup = (way: Way, more: Partial<Setup> = {}): Setup => ({
  name: NAME,
  url: URL_TEXT,
  key: way === 'key' ? KEY : undefined,
  bridge: null,
  ...more,
})
const snippets = (id: ClientId, way: Way, more?: Partial<Setup>) =>
  presetOf(id)
    .steps(setup(way, more))
    .flatMap(({ snippet }) => (snippet === undefined ? [] : [snippet]))
const textOf = (id: ClientId, way: Way, kind: string, more?: Partial<Setup>) =>
  snippets(id, way, more).find((snippet) => snippet.kind === kind)?.text ?? ''
const HEADERS = { headers: { Authorization: `Bearer ${KEY}` } }

describe('what a client is given', () => {
  test('there is a preset for each, with its ways and its source', () => {
    expect(PRESETS.map(({ id }) => id).toSorted()).toEqual([...CLIENT_IDS].toSorted())
    for (const { source } of PRESETS) expect(source).toMatch(/^https:\/\//)
  })

  test('names the endpoint, and has the key where there is one and nowhere else', () => {
    for (const { id, ways } of PRESETS)
      for (const way of ways) {
        const all = snippets(id, way)
          .map(({ text }) => decodeURIComponent(text))
          .join('\n')
        const opened = all.replaceAll(/config=([\w+/=]+)/g, (_, config: string) => atob(config))
        expect(opened, `${id} by ${way}`).toContain(URL_TEXT)
        expect(opened.includes(KEY), `${id} by ${way}`).toBe(way === 'key')
      }
  })

  test.each([
    ['cursor', { mcpServers: { [NAME]: { url: URL_TEXT } } }, { url: URL_TEXT }],
    ['windsurf', { mcpServers: { [NAME]: { serverUrl: URL_TEXT } } }, undefined],
    ['gemini-cli', { mcpServers: { [NAME]: { httpUrl: URL_TEXT } } }, undefined],
    ['opencode', { mcp: { [NAME]: { type: 'remote', url: URL_TEXT } } }, undefined],
    ['vscode', { servers: { [NAME]: { type: 'http', url: URL_TEXT } } }, { name: NAME, type: 'http', url: URL_TEXT }],
  ] as const)('%s: its file and its link are what they say', (id, file, link) => {
    const [[part, entry]] = Object.entries(file) as [[string, Record<string, object>]]
    expect(JSON.parse(textOf(id, 'oauth', 'json'))).toEqual(file)
    expect(JSON.parse(textOf(id, 'key', 'json'))).toEqual({ [part]: { [NAME]: { ...entry[NAME], ...HEADERS } } })
    if (link === undefined) return
    expect(readLink(textOf(id, 'oauth', 'link'))).toEqual({ name: NAME, config: link })
    expect(readLink(textOf(id, 'key', 'link'))).toEqual({ name: NAME, config: { ...link, ...HEADERS } })
  })

  test('codex: TOML with the key, and two commands without', () => {
    expect(parseToml(textOf('codex', 'key', 'toml'))).toEqual({
      mcp_servers: { [NAME]: { url: URL_TEXT, http_headers: { Authorization: `Bearer ${KEY}` } } },
    })
    expect(snippets('codex', 'oauth').map(({ text }) => text)).toEqual([
      `codex mcp add ${NAME} --url "${URL_TEXT}"`,
      `codex mcp login ${NAME}`,
    ])
  })

  test('commands: nothing in an address ends a quotation of the shell', () => {
    const odd = textOf('claude-code', 'oauth', 'shell', { url: 'https://x.example/$(id)`id`"/mcp' })
    expect(odd).toBe(`claude mcp add --scope user --transport http ${NAME} "https://x.example/%24(id)%60id%60%22/mcp"`)
  })

  test('clients that start programs get the bridge where the gateway is, and mcp-remote elsewhere', () => {
    const bridge = { command: '/usr/bin/node', file: '/srv/bridge.mjs' }
    expect(JSON.parse(textOf('claude-desktop', 'key', 'json', { bridge }))).toEqual({
      mcpServers: {
        [NAME]: { command: '/usr/bin/node', args: ['/srv/bridge.mjs', '--url', URL_TEXT], env: { TOOLWAY_KEY: KEY } },
      },
    })
    const { args, env } = entryOf(textOf('claude-desktop', 'key', 'json'))
    expect(args).toEqual([
      '-y',
      'mcp-remote',
      URL_TEXT,
      '--header',
      'Authorization:${TOOLWAY_AUTHORIZATION}',
      '--transport',
      'http-only',
    ])
    expect(env).toEqual({ TOOLWAY_AUTHORIZATION: `Bearer ${KEY}` })
    expect(entryOf(textOf('claude-desktop', 'oauth', 'json', { url: 'http://tools/mcp' })).args).toEqual([
      '-y',
      'mcp-remote',
      'http://tools/mcp',
      '--transport',
      'http-only',
      '--allow-http',
    ])
  })
})

const entryOf = (text: string) =>
  (JSON.parse(text) as { mcpServers: Record<string, { args: string[]; env?: object }> }).mcpServers[NAME] ?? {
    args: [],
  }

/** As Cursor and VS Code take them apart. */
function readLink(text: string): { name: unknown; config: unknown } {
  const url = new URL(text)
  if (url.protocol === 'cursor:') {
    expect([url.host, url.pathname]).toEqual(['anysphere.cursor-deeplink', '/mcp/install'])
    return { name: url.searchParams.get('name'), config: JSON.parse(atob(url.searchParams.get('config') ?? '')) }
  }
  expect([url.protocol, url.pathname]).toEqual(['vscode:', 'mcp/install'])
  const config = JSON.parse(decodeURIComponent(url.search.slice(1))) as { name: unknown }
  return { name: config.name, config }
}

describe('an endpoint', () => {
  const places = [
    { kind: 'all' },
    { kind: 'toolset', toolset: 'sales' },
    { kind: 'toolset', toolset: 'github' },
    { kind: 'connection', connection: 'github' },
  ] as const

  test('has a name of its own among those of all organizations', () => {
    const names = ['acme', 'acme-sales', 'x'.repeat(39), `${'x'.repeat(38)}y`].flatMap((organization) =>
      places.map((place) => nameOf(organization, place)),
    )
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]{1,40}$/)
    expect(nameOf('acme', { kind: 'all' })).toBe('toolway-acme')
  })

  test('has an address that says the organization where there are several', () => {
    expect(places.map((place) => pathOf('acme', place, false))).toEqual([
      '/o/acme/t/default/mcp',
      '/o/acme/t/sales/mcp',
      '/o/acme/t/github/mcp',
      '/api/v1/acme/connectors/github/mcp',
    ])
    expect(pathOf('acme', { kind: 'all' }, true)).toBe('/mcp')
  })

  test('is near where the internet does not reach it', () => {
    const near = [
      'http://127.0.0.1:8787',
      'http://localhost',
      'http://[::1]:1',
      'http://10.1.2.3',
      'http://172.20.0.1',
      'http://nas.local',
      'http://gateway',
    ]
    expect(near.filter((address) => !isNear(address))).toEqual([])
    expect(['https://tools.example.com', 'https://172.64.0.1', 'https://[2001:db8::1]'].filter(isNear)).toEqual([])
  })
})
