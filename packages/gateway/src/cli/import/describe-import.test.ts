import { describe, expect, test } from 'vitest'
import { describeImport } from './describe-import.ts'
import { readMcpJson, type ImportOptions } from './mcp-json.ts'

const read = (file: unknown, options: Partial<ImportOptions> = {}) =>
  readMcpJson(typeof file === 'string' ? file : JSON.stringify(file), { home: '/home/ada', ...options })

const one = (entry: unknown) => ({ mcpServers: { thing: entry } })

describe('the description', () => {
  test('says what will be done and shows no secret', () => {
    const secrets = [
      's3cretEnv',
      's3cretHeader',
      's3cretArg',
      's3cretUrl',
      's3cretPath0123456789abc',
      's3cretInput',
      'pw0rd',
    ]
    const result = read(
      {
        mcpServers: {
          'Work Tools': {
            command: 'npx',
            args: [
              '-y',
              'thing',
              '--api-key',
              's3cretArg',
              '--token=s3cretArg',
              'postgres://ada:pw0rd@db/x',
              '-e',
              'API_KEY=s3cretArg',
              '${TOKEN}',
              'a b',
            ],
            env: { TOKEN: 's3cretEnv' },
            disabled: true,
          },
          remote: {
            url: 'https://x.example/s/s3cretPath0123456789abc/mcp?key=s3cretUrl',
            headers: { Authorization: 'Bearer s3cretHeader' },
          },
          proxied: {
            command: 'npx',
            args: ['mcp-remote', 'https://y.example/mcp', '--header', 'Authorization: Bearer s3cretHeader'],
          },
          asks: { command: 'x', env: { A: '${input:code}', B: 's3cretEnv' } },
          'evil\u001b[2J\u202Ename': { command: 'x\u001b]0;title\u0007' },
          own: { command: 'npx', args: ['toolway'] },
        },
      },
      { variables: { TOKEN: 's3cretInput' } },
    )
    const lines = describeImport(result)
    expect(lines).toEqual([
      'Read as a file from Cursor: 4 to add, 1 with problems.',
      'Work Tools as work-tools: start npx -y thing --api-key ••• --token=••• ••• -e API_KEY=••• ••• "a b" with TOKEN=••• (disabled)',
      'remote: connect to https://x.example/s/•••/mcp?key=••• with headers Authorization=•••',
      'proxied: connect to https://y.example/mcp with headers Authorization=•••',
      '  note: It was reached through mcp-remote; Toolway connects to the address directly.',
      'asks: start x with A=•••, B=•••',
      "  cannot be added yet: It needs the input 'code'. Supply --input code=…",
      'evil\uFFFD[2J\uFFFDname as evil-2j-name: start x\uFFFD]0;title\uFFFD',
      'Note: own is Toolway itself and is left out.',
    ])
    for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret)
  })

  test('hides variables of docker, headers of curl and the secrets of a command that is a whole line', () => {
    const docker = one({
      command: 'docker',
      args: ['run', '-e', 'COLOR=s3cret', '--env', 'SIZE=s3cret', '-H', 's3cret', 'image'],
    })
    expect(describeImport(read(docker))[1]).toBe('thing: start docker run -e COLOR=••• --env SIZE=••• -H ••• image')
    expect(describeImport(read(one({ command: 'npx thing --token s3cret' })))[1]).toBe(
      'thing: start npx thing --token •••',
    )
  })

  const KEY = ['sk', 'live', 'EXAMPLE1234567890'].join('-')
  test.each([
    [
      'a header of mcp-remote with =',
      { command: 'npx', args: ['mcp-remote', 'https://q.example/mcp', `--header=Authorization: Bearer ${KEY}`] },
    ],
    [
      'a flag of mcp-remote that nobody knows',
      { command: 'npx', args: ['mcp-remote', 'https://q.example/mcp', `--unknown=${KEY}`] },
    ],
    [
      'client information of mcp-remote',
      {
        command: 'npx',
        args: ['mcp-remote', 'https://q.example/mcp', `--static-oauth-client-info={"client_secret":"${KEY}"}`],
      },
    ],
    ['a header name', { url: 'https://q.example/mcp', headers: { [`Authorization: Bearer ${KEY}`]: '' } }],
    ['a header name without the word', { url: 'https://q.example/mcp', headers: { [`X-Key: ${KEY}`]: '' } }],
    ['a variable name', { command: 'x', env: { [KEY]: {} } }],
    ['an unknown placeholder', { command: 'x', args: [`\${${KEY}}`] }],
    [
      'a header in two words',
      { command: 'mcp-proxy', args: ['--headers', 'X-Key', KEY.slice(0, 9), 'https://q.example/mcp'] },
    ],
    ['a bearer flag', { command: 'supergateway', args: ['--oauth2Bearer', KEY.slice(0, 9)] }],
    ['a quoted header of a whole line', { command: `npx thing --header 'Authorization: Bearer ${KEY.slice(0, 9)}'` }],
    ['a bearer in a whole line', { command: `npx thing --say Bearer ${KEY.slice(0, 9)}` }],
  ])('shows no key that stands in %s', (_, entry) => {
    expect(describeImport(read(one(entry))).join('\n')).not.toContain(KEY.slice(0, 9))
    expect(describeImport(read({ mcpServers: { [`my ${KEY}`]: 1 } })).join('\n')).not.toContain(KEY)
  })

  test.each([
    [['sk', 'proj', 'abcdefghij0123456789'].join('-')],
    ['ghp_abcdefghij0123456789'],
    ['eyJhbGciOiJIUzI1NiJ9.e30.abc'],
    ['Bearer abc'],
    ['https://u:p@x.example'],
    ['https://x.example/?token=1'],
    ['--header=Authorization: x'],
    ['SECRET=1'],
    ['Server=db;Password=pw'],
    ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b'],
  ])('hides the argument %s', (arg) => {
    expect(describeImport(read(one({ command: 'x', args: [arg] }))).join('\n')).not.toContain(arg)
  })

  test.each([
    ['@modelcontextprotocol/server-filesystem'],
    ['ghcr.io/github/github-mcp-server'],
    ['/home/ada/projects/2026-01-01'],
    ['--port=3000'],
    ['mcp-server-2024-11-05-preview'],
    ['https://x.example/mcp'],
  ])('shows the argument %s', (arg) => {
    expect(describeImport(read(one({ command: 'x', args: [arg] }))).join('\n')).toContain(arg)
  })
})
