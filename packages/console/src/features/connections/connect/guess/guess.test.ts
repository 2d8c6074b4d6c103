import { CONNECTOR_CATALOG } from '@toolway/contract'
import { readSettingsFile } from '@toolway/contract/client-settings'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { placeOf } from '../draft.ts'
import { readConfiguration } from './configuration.ts'
import { guess, searchCatalog, type Guess } from './guess.ts'

const of = (text: string): Guess => guess(text, CONNECTOR_CATALOG, readConfiguration)
/** The one that was understood, in a line. */
const said = (text: string): string => {
  const found = of(text)
  if (found.kind === 'one') return `${found.seen} ${found.draft.kind}: ${placeOf(found.draft)}`
  return found.kind === 'refused' ? `refused: ${found.why}` : found.kind
}
const draftIn = (text: string) => {
  const found = of(text)
  if (found.kind !== 'one') throw new Error(`not one: ${JSON.stringify(found)}`)
  return found.draft
}
const pairs = (values: readonly { name: string; value: string }[]) => values.map(({ name, value }) => [name, value])

describe('an address', () => {
  test.each([
    ['https://mcp.example.com/mcp', 'address remote: https://mcp.example.com/mcp'],
    ['  http://localhost:3000/sse\n', 'address remote: http://localhost:3000/sse'],
    ['mcp.example.com/mcp', 'address remote: https://mcp.example.com/mcp'],
    ['localhost:3000/mcp', 'address remote: http://localhost:3000/mcp'],
    ['127.0.0.1:8787', 'address remote: http://127.0.0.1:8787'],
    ['https://api.example.com/openapi.json', 'document-address openapi: https://api.example.com/openapi.json'],
    [
      'https://petstore3.swagger.io/api/v3/openapi.yaml?x=1',
      'document-address openapi: https://petstore3.swagger.io/api/v3/openapi.yaml?x=1',
    ],
    ['https://example.com/v3/api-docs', 'document-address openapi: https://example.com/v3/api-docs'],
    ['https://mcp.linear.app/mcp', 'entry remote: https://mcp.linear.app/mcp'],
    ['https://api.githubcopilot.com/mcp', 'entry remote: https://api.githubcopilot.com/mcp/'],
  ])('%s is understood', (text, line) => {
    expect(said(text)).toBe(line)
  })

  test.each([
    ['ws://mcp.example.com', 'refused: scheme'],
    ['ftp://example.com/x', 'refused: scheme'],
    ['file:///etc/passwd', 'refused: scheme'],
    ['javascript:alert(1)', 'refused: scheme'],
    ['https://me:secret@example.com/mcp', 'refused: user'],
    ['https://', 'refused: unreadable'],
    ['https://github.com/modelcontextprotocol/servers', 'refused: repository'],
  ])('%s is not taken', (text, why) => {
    expect(said(text)).toBe(why)
  })
})

describe('a command line', () => {
  test.each([
    [
      'npx -y @modelcontextprotocol/server-everything',
      'command program: npx -y @modelcontextprotocol/server-everything',
    ],
    [
      '$ uvx mcp-server-time --local-timezone=Europe/Rome',
      'command program: uvx mcp-server-time --local-timezone=Europe/Rome',
    ],
    ['/usr/local/bin/server --port 3', 'command program: /usr/local/bin/server --port 3'],
    ['node ./server.js "a b"', "command program: node ./server.js 'a b'"],
    [String.raw`cmd /c npx -y some-server`, 'command program: npx -y some-server'],
    ['npx -y \\\n  some-server \\\n  --flag', 'command program: npx -y some-server --flag'],
    ['@playwright/mcp@latest', 'package program: npx -y @playwright/mcp@latest'],
  ])('%s is understood', (text, line) => {
    expect(said(text)).toBe(line)
  })

  test('gives its variables to the connection, and marks what is secret', () => {
    const found = draftIn("LOG=debug API_KEY='a b' npx -y some-server")
    expect(pairs(found.environment)).toEqual([
      ['LOG', 'debug'],
      ['API_KEY', 'a b'],
    ])
    expect(found.environment.map(({ secret }) => secret)).toEqual([false, true])
  })

  test('of a container keeps values out of the line', () => {
    const found = draftIn(
      'docker run -i --rm -e GITHUB_TOKEN -e HOST=example.com --env=MODE=x ghcr.io/github/server stdio',
    )
    expect(placeOf(found)).toBe('docker run -i --rm -e GITHUB_TOKEN -e HOST -e MODE ghcr.io/github/server stdio')
    expect(pairs(found.environment)).toEqual([
      ['GITHUB_TOKEN', ''],
      ['HOST', 'example.com'],
      ['MODE', 'x'],
    ])
  })

  test('that only carries a server elsewhere is that server', () => {
    const found = draftIn(
      'npx -y mcp-remote@latest https://mcp.example.com/sse --header "Authorization: Bearer abc" --header X-Team:red',
    )
    expect(found).toMatchObject({ kind: 'remote', url: 'https://mcp.example.com/sse', auth: 'api_key', key: 'abc' })
    expect(pairs(found.headers)).toEqual([['X-Team', 'red']])
  })

  test.each([
    ['claude mcp add --transport http sentry https://mcp.sentry.dev/mcp', 'sentry', 'https://mcp.sentry.dev/mcp'],
    ['claude mcp add files --scope user -- npx -y some-server /tmp', 'files', 'npx -y some-server /tmp'],
    ['codex mcp add docs --url https://docs.example.com/mcp', 'docs', 'https://docs.example.com/mcp'],
    ['codex mcp add --env A_KEY=1 ctx -- npx ctx-server', 'ctx', 'npx ctx-server'],
    ['gemini mcp add calc python server.py', 'calc', 'python server.py'],
    [`claude mcp add-json w '{"type":"stdio","command":"w-server","args":["a"]}'`, 'w', 'w-server a'],
    [`code --add-mcp '{"name":"p","url":"https://p.example.com/mcp"}'`, 'p', 'https://p.example.com/mcp'],
  ])('for a client, %s, names its server', (text, name, place) => {
    const found = draftIn(text)
    expect([found.name, placeOf(found)]).toEqual([name, place])
  })

  test('of something in the catalog is asked what that asks', () => {
    const found = draftIn('uvx --from edgartools[ai] edgartools-mcp')
    expect(found).toMatchObject({ entry: 'edgartools', name: 'EDGAR' })
    expect(found.environment.map(({ name }) => name)).toEqual(['EDGAR_IDENTITY'])
    expect(placeOf(draftIn('npx -y @modelcontextprotocol/server-filesystem /srv/files'))).toBe(
      'npx -y @modelcontextprotocol/server-filesystem /srv/files',
    )
    expect(draftIn('npx -y @modelcontextprotocol/server-filesystem').blanks).toHaveLength(1)
  })
})

describe('a configuration', () => {
  const several = (text: string) => {
    const found = of(text)
    if (found.kind !== 'several') throw new Error(`not several: ${JSON.stringify(found)}`)
    return found.drafts.map((one) => `${one.name}: ${placeOf(one)}`)
  }

  test("of Claude or Cursor names its servers, with their variables and a key's place", () => {
    expect(
      several(`{"mcpServers": {
        "files": {"command": "npx", "args": ["-y", "some-server", "/tmp"], "env": {"API_KEY": "<your key>"}},
        "docs": {"url": "https://docs.example.com/mcp", "headers": {"Authorization": "Bearer \${TOKEN}"}}}}`),
    ).toEqual(['files: npx -y some-server /tmp', 'docs: https://docs.example.com/mcp'])
    const files = draftIn('{"mcpServers":{"f":{"command":"npx","args":["x"],"env":{"API_KEY":"<your key>"}}}}')
    expect(files.environment).toMatchObject([{ name: 'API_KEY', value: '', secret: true, placeholder: '<your key>' }])
    expect(
      draftIn('{"mcpServers":{"d":{"url":"https://d.example.com","headers":{"authorization":"bearer ${T}"}}}}'),
    ).toMatchObject({ auth: 'api_key', key: '', name: 'd' })
  })

  test('of VS Code may have comments and commas at its ends', () => {
    expect(
      several(`// .vscode/mcp.json
      { "inputs": [{"id": "t", "type": "promptString"}],
        "servers": { /* two */ "a": {"type": "http", "url": "https://a.example.com/mcp"},
                     "b": {"command": "b", "args": [], "env": {"T": "\${input:t}"},}, }, }`),
    ).toEqual(['a: https://a.example.com/mcp', 'b: b'])
  })

  test.each([
    ['"one": {"command": "one-server"}', 'one', 'one-server'],
    ['"one": {"command": "one-server"},', 'one', 'one-server'],
    ['{"one": {"serverUrl": "https://w.example.com/sse"}}', 'one', 'https://w.example.com/sse'],
    ['{"mcpServers": {"g": {"httpUrl": "https://g.example.com/mcp"}}}', 'g', 'https://g.example.com/mcp'],
    ['{"context_servers": {"z": {"command": {"path": "zed-server", "args": ["-x"]}}}}', 'z', 'zed-server -x'],
    ['{"mcp": {"servers": {"v": {"command": ["v", "w"]}}}}', 'v', 'v w'],
    ['{"command": "alone", "args": ["-y"]}', '', 'alone -y'],
    ['```json\n{"url": "https://a.example.com/mcp"}\n```', '', 'https://a.example.com/mcp'],
    [
      '{"mcpServers":{"r":{"command":"npx","args":["mcp-remote","https://r.example.com/mcp"]}}}',
      'r',
      'https://r.example.com/mcp',
    ],
  ])('in the form %s is read', (text, name, place) => {
    const found = draftIn(text)
    expect([found.name, placeOf(found)]).toEqual([name, place])
  })

  test('of any client keeps its credentials and its limits on tools, and names what is not read', () => {
    const found =
      draftIn(`{"mcpServers":{"a":{"url":"https://a.example.com/mcp","bearerToken":"abc","requestInit":{"headers":{"X-A":"1"}},
      "includeTools":["read","drop"],"excludeTools":["drop"],"timeout":5}}}`)
    expect(found).toMatchObject({ auth: 'api_key', key: 'abc', tools: { only: ['read'] }, unread: ['timeout'] })
    expect(pairs(found.headers)).toEqual([['X-A', '1']])
    const opencode = draftIn(
      '{"mcp":{"fs":{"type":"local","command":["npx","x"],"environment":{"A":"1"}}},"tools":{"fs_write":false}}',
    )
    expect(opencode).toMatchObject({ command: 'npx', args: ['x'], tools: { except: ['write'] }, unread: [] })
    expect(pairs(opencode.environment)).toEqual([['A', '1']])
  })

  test.each(['$MY_KEY', '%MY_KEY%', '{env:MY_KEY}', '{{MY_KEY}}', '${{ secrets.MY_KEY }}'])(
    'asks for %s, alone and within a text',
    (text) => {
      const { headers, blanks } = draftIn(
        JSON.stringify({ mcpServers: { a: { url: 'https://a.example.com', headers: { K: text, L: `v ${text}` } } } }),
      )
      expect(headers[0]).toMatchObject({ name: 'K', value: '' })
      expect(blanks).toMatchObject([{ name: 'MY_KEY', placeholder: text }])
    },
  )

  test.each(['{"mcpServers": {}}', '{"a": 1}', '{"mcpServers": {', '[1, 2]'])('%s names no server', (text) => {
    expect(said(text)).toBe('refused: unreadable')
  })

  test('in a link that adds it to a client is read, too', () => {
    const config = btoa('{"command":"npx","args":["-y","c-server"]}')
    expect(said(`cursor://anysphere.cursor-deeplink/mcp/install?name=c&config=${config}`)).toBe(
      'link program: npx -y c-server',
    )
    expect(
      draftIn(`vscode:mcp/install?${encodeURIComponent('{"name":"v","url":"https://v.example.com/mcp"}')}`),
    ).toMatchObject({
      name: 'v',
      url: 'https://v.example.com/mcp',
    })
  })
})

describe('the settings file of a client', () => {
  const folder = join(import.meta.dirname, '../../../../../../gateway/src/cli/import/clients')
  const files = readdirSync(folder).filter((name) => !name.endsWith('.expected.txt'))
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')

  test.each(files)('%s is read with the code of the command line: the same servers, limits and members', (file) => {
    const { servers } = readSettingsFile(textOf(file), { home: '~', keepPlaceholders: true })
    const found = of(textOf(file))
    const drafts = found.kind === 'several' ? found.drafts : [draftIn(textOf(file))]
    const left = found.kind === 'several' ? found.left : []
    const isUsable = ({ problems }: { problems: readonly unknown[] }) => problems.length === 0
    const usable = servers.filter(isUsable)
    expect(drafts.map(({ name, tools, unread, off }) => ({ name, tools, unread, off }))).toEqual(
      usable.map(({ name, tools, unread, enabled }) => ({ name, tools, unread, off: !enabled })),
    )
    expect(left).toEqual(servers.filter((one) => !isUsable(one)).map(({ name }) => name))
    expect(drafts.length).toBeGreaterThan(0)
  })

  test.each(['codex.toml', 'librechat.yaml', 'goose.yaml', 'continue.yaml', 'cursor.json'])(
    '%s waits for the reader, which is loaded when a text needs it',
    (file) => {
      expect(guess(textOf(file), CONNECTOR_CATALOG)).toEqual({ kind: 'unread' })
    },
  )

  test('that has only what cannot be used says so', () => {
    expect(said('extensions:\n  developer:\n    type: builtin\n    enabled: true\n')).toBe('refused: unusable')
  })

  test('that is switched off in part is read so', () => {
    expect(draftIn('{"mcpServers":{"a":{"command":"x","disabled":true}}}')).toMatchObject({ off: true })
  })

  test('proposes what its client would', () => {
    const found = draftIn(
      '{"inputs":[{"id":"t","type":"promptString","default":"eu"}],"servers":{"a":{"url":"https://${input:t}.example.com/mcp"}}}',
    )
    expect(found.blanks).toMatchObject([{ name: 't', value: 'eu' }])
  })
})

describe('a document', () => {
  test.each([
    '{"openapi": "3.1.0", "info": {}, "paths": {}}',
    'openapi: 3.0.3\ninfo:\n  title: Shop',
    'swagger: "2.0"\npaths: {}',
  ])('%s is one of OpenAPI', (text) => {
    expect(of(text)).toMatchObject({ kind: 'one', seen: 'document', draft: { kind: 'openapi', document: text } })
  })
})

describe('a name', () => {
  test('is looked for in the catalog: its title first, then what is said of it', () => {
    const titles = (text: string) => searchCatalog(text, CONNECTOR_CATALOG).map(({ title }) => title)
    expect(titles('lin')[0]).toBe('Linear')
    expect(titles('pull requests')).toContain('GitHub')
    expect(of('notion').kind).toBe('entries')
  })

  test('that nobody knows is said to be unknown', () => {
    expect(said('frobnicate')).toBe('refused: unknown')
    expect(said('server.py')).toBe('refused: unknown')
    expect(said('')).toBe('nothing')
  })
})
