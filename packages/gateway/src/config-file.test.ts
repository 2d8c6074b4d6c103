import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfigFile } from './config-file.ts'
import type { Declared } from './features/declaration/index.ts'
import { ConfigFault } from './config.ts'

const KEY = `uru_${'0123456789abcdef'.repeat(4)}`
const ENVIRONMENT: Record<string, string> = { TOKEN: 'from environment', KEY, EMPTY: '' }

async function read(text: string, files: Record<string, string> = {}): Promise<Declared[]> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-file-'))
  try {
    for (const [name, content] of Object.entries({ ...files, 'toolway.yaml': text }))
      await writeFile(join(folder, name), content)
    return readConfigFile(join(folder, 'toolway.yaml'), (name) => ENVIRONMENT[name])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const complaint = async (text: string): Promise<string> => {
  try {
    await read(text)
  } catch (thrown) {
    if (!(thrown instanceof ConfigFault)) throw thrown
    return thrown.message
  }
  throw new Error('it was taken')
}

const RULE = '{ name: a, action: block, reason: x }'

describe('a declaration file', () => {
  test('may have toolsets as their guide shows them', async () => {
    const guide = await readFile(join(import.meta.dirname, '../../../docs/guides/toolsets.md'), 'utf8')
    const [, text = ''] = /```yaml\n([^`]*)```/.exec(guide) ?? []
    const [declared] = await read(text)
    expect(declared?.toolsets).toEqual([
      {
        slug: 'main',
        title: 'main',
        settings: {
          include: ['*'],
          exclude: ['local_toolkit__save_corpus'],
          discovery: 'search',
          pinned: ['local_toolkit__write_local_file'],
        },
      },
      {
        slug: 'report-expert',
        title: 'report-expert',
        settings: {
          include: ['local_toolkit__*', 'composio__COMPOSIO_SEARCH_*'],
          exclude: [],
          limits: { composio: 'read' },
          audience: { keys: ['report-expert'], groups: ['research'] },
        },
      },
    ])
  })

  test('names an OpenAPI document by its address or as a file beside it', async () => {
    const text = `
connections:
  shop:
    type: openapi
    document: https://shop.example.com/openapi.json
    url: https://shop.example.com/v2
    select: { include: ["tag:orders"], exclude: ["method:delete"] }
    effects: { searchOrders: read }
    key: { in: query, name: api_key }
    auth: { kind: key, prefix: "" }
  local:
    type: openapi
    document: { file: local.yaml }
    url: http://127.0.0.1:8080
`
    const [declared] = await read(text, { 'local.yaml': 'openapi: 3.1.0' })
    const [shop, local] = declared?.connections ?? []
    expect(shop).toMatchObject({
      wire: {
        kind: 'openapi',
        url: 'https://shop.example.com/v2',
        api: {
          document: 'https://shop.example.com/openapi.json',
          select: { include: ['tag:orders'], exclude: ['method:delete'] },
          effects: { searchOrders: 'read' },
          key: { in: 'query', name: 'api_key' },
        },
      },
    })
    expect(shop).not.toHaveProperty('text')
    expect(local).toMatchObject({ text: 'openapi: 3.1.0', wire: { api: { document: undefined } } })
    const mismatch = text.replace('https://shop.example.com/openapi.json', 'shop.json')
    expect(await complaint(mismatch.replace('{ file: local.yaml }', 'https://x.example.com'))).toContain(
      'must be an address',
    )
  })

  test('says what a contract backend is, by its type', async () => {
    const text = `
connections:
  cwr:
    type: contract
    url: http://backend:8000
    headers: { X-API-Key: { env: TOKEN } }
    organization: 7f6f
    side_effects: true
    aliases: { old: new }
`
    const [declared] = await read(text)
    expect(declared?.connections).toEqual([
      {
        alias: 'cwr',
        title: 'cwr',
        enabled: true,
        revision: 'auto',
        timeout: 30,
        wire: {
          kind: 'contract',
          url: 'http://backend:8000',
          headers: { 'X-API-Key': 'from environment' },
          words: { organization: '7f6f', side_effects: true, aliases: { old: 'new' } },
        },
      },
    ])
    const own = (line: string) =>
      complaint(`connections:\n  cwr:\n    type: contract\n    url: http://backend\n    ${line}\n`)
    expect(await own('exposes: everybody')).toContain('exposes')
    expect(await own('organisation: x')).toContain('did you mean')
    expect(await complaint('connections:\n  cwr: { type: contract, url: "ws://backend" }')).toContain(
      'must start with http:// or https://',
    )
  })

  test('says what there is to be, with sensible defaults', async () => {
    const text = `
connections:
  web:
    url: https://mcp.example.com/mcp
    headers: { authorization: { env: TOKEN }, x-plain: "1" }
  files:
    title: My files
    command: npx
    args: [-y, server, { file: root.txt }]
    environment: { API_KEY: { file: secret.txt } }
    enabled: false
    revision: 2025-06-18
    timeout: 5
toolsets:
  reading: { title: Reading, connections: [files], include: ["*__read*"], exclude: [files__read_all] }
  all: {}
keys:
  ci: { value: { env: KEY }, toolset: reading }
`
    expect(await read(text, { 'root.txt': '/srv/data\n', 'secret.txt': ' s3cret \n' })).toEqual([
      {
        slug: 'default',
        name: undefined,
        connections: [
          {
            alias: 'web',
            title: 'web',
            enabled: true,
            revision: 'auto',
            timeout: 60,
            wire: {
              kind: 'http',
              url: 'https://mcp.example.com/mcp',
              headers: { authorization: 'from environment', 'x-plain': '1' },
            },
          },
          {
            alias: 'files',
            title: 'My files',
            enabled: false,
            revision: '2025-06-18',
            timeout: 5,
            wire: {
              kind: 'process',
              command: 'npx',
              args: ['-y', 'server', '/srv/data'],
              environment: { API_KEY: 's3cret' },
            },
          },
        ],
        toolsets: [
          {
            slug: 'reading',
            title: 'Reading',
            settings: { connections: ['files'], include: ['*__read*'], exclude: ['files__read_all'] },
          },
          { slug: 'all', title: 'all', settings: { include: ['*'], exclude: [] } },
        ],
        groups: [],
        keys: [
          {
            name: 'ci',
            value: KEY,
            toolset: 'reading',
            role: 'tenant_member',
            limit: 'execute',
            trusted: false,
            expires: undefined,
          },
        ],
      },
    ])
  })

  test('may say what a key may, and how far a toolset reaches', async () => {
    const scoped = `smcp_tv_${'x'.repeat(43)}`
    const [own] = await read(`
toolsets: { quiet: { limit: read } }
keys:
  report: { value: ${KEY}, role: tenant_admin, limit: read, expires: 2100-01-31 }
  look: { value: ${scoped}, role: tenant_viewer }
  chat: { value: ${KEY}, trusted: true, expires: "2100-01-31T12:00:00+01:00" }
`)
    expect(own?.toolsets).toMatchObject([{ settings: { limit: 'read' } }])
    expect(own?.keys).toMatchObject([
      { name: 'report', role: 'tenant_admin', limit: 'read', expires: new Date('2100-01-31') },
      { name: 'look', value: scoped, role: 'tenant_viewer' },
      { name: 'chat', trusted: true, expires: new Date('2100-01-31T11:00:00Z') },
    ])
  })

  test('may say rules of the platform, of an organization, of a connection and of a toolset, whole', async () => {
    const rule = { name: 'a', match: { tools: ['*'] }, action: 'block', parameters: {}, reason: 'x', state: 'on' }
    const [own, acme] = await read(`
platform: { rules: [${RULE}] }
rules: [${RULE}]
organizations:
  acme:
    rules: [{ name: b, action: rate, parameters: { calls: 5 }, reason: x, state: shadow, match: { effects: [write] } }]
    connections: { web: { url: "https://a.example.com", rules: [${RULE}] } }
    toolsets: { work: { rules: [${RULE}] } }
`)
    expect(own).toMatchObject({ platform: { rules: [rule] }, rules: [rule] })
    expect(acme).toMatchObject({
      rules: [
        {
          ...{ name: 'b', action: 'rate', state: 'shadow', match: { tools: ['*'], effects: ['write'] } },
          parameters: { calls: 5, per: 60, of: 'caller' },
        },
      ],
      connections: [{ alias: 'web', rules: [rule] }],
      toolsets: [{ slug: 'work', settings: { rules: [rule] } }],
    })
    expect(acme).not.toHaveProperty('platform')
  })

  test.each([
    ['role: platform_admin', 'role'],
    ['limit: all', 'limit'],
    ['expires: soon', 'must be a date'],
  ])('refuses a key with %s', async (words, said) => {
    await expect(read(`keys: { x: { value: ${KEY}, ${words} } }`)).rejects.toThrow(said)
  })

  test('refuses a scoped key whose beginning says another role', async () => {
    const scoped = `smcp_ta_${'x'.repeat(43)}`
    await expect(read(`keys: { x: { value: ${scoped} } }`)).rejects.toThrow(
      'must be tenant_admin, the beginning of its value',
    )
  })

  test('may declare other organizations, each with its own', async () => {
    const [own, acme, other] = await read(`
organizations:
  acme: { name: Acme Ltd, connections: { web: { url: "https://a.example.com" } } }
  other: {}
`)
    expect(own).toMatchObject({ slug: 'default', connections: [], toolsets: [], keys: [] })
    expect(acme).toMatchObject({ slug: 'acme', name: 'Acme Ltd', connections: [{ alias: 'web' }] })
    expect(other).toEqual({ slug: 'other', name: undefined, connections: [], toolsets: [], groups: [], keys: [] })
  })

  test.each(['', '# nothing yet\n', '{}', '---\n'])('that says nothing (%j) declares nothing', async (text) => {
    expect(await read(text)).toEqual([
      { slug: 'default', name: undefined, connections: [], toolsets: [], groups: [], keys: [] },
    ])
  })

  test('takes an empty value from the environment for a value', async () => {
    const [own] = await read('connections: { web: { url: "https://a.example.com", headers: { x: { env: EMPTY } } } }')
    expect(own?.connections[0]?.wire).toMatchObject({ headers: { x: '' } })
  })
})

describe('what does not fit in a declaration file', () => {
  const web = (more: string) => `connections:\n  web:\n    url: https://a.example.com\n    ${more}\n`
  const cases: [name: string, text: string, place: string, named: string][] = [
    ['broken YAML', 'connections: {\n  web: [\n', ':3:', 'YAML'],
    [
      'a key given twice',
      'connections:\n  a: { url: "https://a" }\n  a: { url: "https://b" }\n',
      ':3:3',
      'appears twice here',
    ],
    ['an unknown alias of a value', 'connections: *gone\n', '', 'gone'],
    ['a misspelt member at the top', 'conections: {}\n', ':1:1', 'conections'],
    ['a misspelt member of a connection', web('header: {}'), ':4:5', 'header'],
    ['an alias that is none', 'connections:\n  Web: { url: "https://a.example.com" }\n', ':2:3', 'Web'],
    ['a slug that is none', 'organizations:\n  Acme: {}\n', ':2:3', 'Acme'],
    ['a revision that is none', web('revision: "2025"'), ':4:5', 'revision'],
    ['a timeout that is none', web('timeout: 0'), ':4:5', 'timeout'],
    ['a timeout that is a text', web('timeout: long'), ':4:5', 'timeout'],
    ['a header that is a number', web('headers: { x: 5 }'), ':4:', 'headers'],
    ['a value that is env and file', web('headers: { x: { env: A, file: b } }'), ':4:', 'headers'],
    ['an enabled that is a word', web('enabled: maybe'), ':4:5', 'enabled'],
    ['a connection of both kinds', web('command: npx'), ':', 'web'],
    ['a connection of no kind', 'connections:\n  web: {}\n', ':2:3', 'web'],
    ['a connection that is a text', 'connections:\n  web: https://a.example.com\n', ':2:3', 'web'],
    ['an empty command', 'connections:\n  a:\n    command: ""\n', ':3:5', 'command'],
    ['an empty pattern', 'toolsets:\n  a:\n    include: [""]\n', ':3:', 'include'],
    ['a key without a value', 'keys:\n  ci: {}\n', ':2:3', 'ci'],
    ['the organization default below organizations', 'organizations:\n  default: {}\n', ':2:3', 'default'],
    ['an environment variable that is not set', web('headers: { x: { env: GONE } }'), ':', 'GONE'],
    ['a file that is not there', web('headers: { x: { file: gone.txt } }'), ':', 'gone.txt'],
    ['a list at the top', '- a\n', '', 'toolway.yaml'],
    ['a text at the top', 'hello\n', '', 'toolway.yaml'],
    ['a misspelt member of a rule', 'rules:\n  - { name: a, action: block, reson: x }\n', ':2:31', '"reason"'],
    ['an action that is none', 'rules:\n  - { name: a, action: blok, reason: x }\n', ':2:16', 'must be one of allow'],
    ['a rule without a reason', 'rules:\n  - { name: a, action: block }\n', ':2:5', 'reason'],
    ['two rules of one name', `rules:\n  - ${RULE}\n  - ${RULE}\n`, ':3:7', 'name'],
    [
      'a condition that is none',
      `rules:\n  - name: a\n    action: hide\n    reason: x\n    match: { when: "1 +" }\n`,
      ':5:14',
      'CEL',
    ],
    [
      'bounds upside down',
      `${web('rules:')}      - { name: a, action: clamp, reason: x, parameters: { parameter: p, min: 2, max: 1 } }\n`,
      ':5:',
      'larger',
    ],
    [
      'an organization in a rule of its own',
      `toolsets:\n  a:\n    rules: [{ name: a, action: hide, reason: x, match: { organizations: [b] } }]\n`,
      ':3:',
      'platform',
    ],
    ['a rule of the platform that is none', 'platform:\n  rules: [{ name: a, action: warn }]\n', ':2:11', 'reason'],
    ['two documents', 'connections: {}\n---\nconnections: {}\n', ':', 'toolway.yaml'],
  ]
  test.each(cases)('is %s: the complaint says file, place and what', async (_, text, place, named) => {
    const said = await complaint(text)
    expect(said).toContain(`toolway.yaml${place}`)
    expect(said).toContain(named)
    expect(said).toMatch(/^[^\n]+\.$/)
  })

  test.each([
    'keys:\n  ci: { value: uru_hunter2 }\n',
    'keys:\n  ci: { value: { env: TOKEN } }\n',
    `keys:\n  ci: { value: ${KEY.toUpperCase()} }\n`,
    'connections:\n  web: { url: "ftp://u:hunter2@x" }\n',
    'connections:\n  web: { url: "https://a.example.com", headers: { authorization: [hunter2] } }\n',
    'connections:\n  web: { url: "https://a.example.com", headers: hunter2 }\n',
  ])('never shows a value that may be a secret: %#', async (text) => {
    expect(await complaint(text)).not.toMatch(/hunter2|from environment|0123456789/i)
  })

  test('is a file that multiplies itself', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 9; level++)
      lines.push(`a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}*a${level - 1}]`)
    expect(await complaint(`${lines.join('\n')}\n`)).toContain('toolway.yaml')
  })

  test('is a file that is not there', () => {
    expect(() => readConfigFile('/nowhere/toolway.yaml', () => undefined)).toThrow(ConfigFault)
    expect(() => readConfigFile('/nowhere/toolway.yaml', () => undefined)).toThrow(/toolway\.yaml.*ENOENT/)
  })
})
