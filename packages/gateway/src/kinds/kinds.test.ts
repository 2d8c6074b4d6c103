import { CONNECTORS } from '@toolway/connectors'
import { authorityAt, authorityOf, ConnectionAuth, ConnectionSecrets, Fault, newId } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { kindFor, partsOf, sealerOf, type ConnectionWords } from './kinds.ts'
import { providerOf } from './native/least-scopes.ts'
import { connectorOf } from './native/native.ts'

const http = (url: string, headers: Record<string, string> = {}): ConnectionWords => ({
  revision: 'auto',
  timeout: 60,
  wire: { kind: 'http', url, headers },
})
const child = (args: readonly string[], environment: Record<string, string> = {}): ConnectionWords => ({
  revision: 'auto',
  timeout: 60,
  wire: { kind: 'process', command: 'npx', args, environment },
})

describe('what is kept of a connection', () => {
  test('are settings that may be shown, and secrets apart', () => {
    expect(partsOf(http('https://mcp.example.com/mcp', { Authorization: 'Bearer hunter2' }))).toEqual({
      settings: {
        connector: 'mcp.http',
        url: 'https://mcp.example.com/mcp',
        revision: 'auto',
        timeout: 60,
        private: false,
        auth: ConnectionAuth.parse({}),
      },
      secrets: { headers: { Authorization: 'Bearer hunter2' }, environment: {} },
    })
    expect(partsOf(child(['-y', 'server'], { API_KEY: 'hunter2' }))).toEqual({
      settings: { connector: 'mcp.process', command: 'npx', args: ['-y', 'server'], revision: 'auto', timeout: 60 },
      secrets: { headers: {}, environment: { API_KEY: 'hunter2' } },
    })
  })

  test('has no accounts where a WebSocket carries it', () => {
    for (const kind of ['oauth', 'key'] as const) {
      const words = http('wss://mcp.example.com/')
      expect(() =>
        partsOf({
          ...words,
          wire: { kind: 'http', url: 'wss://mcp.example.com/', headers: {}, auth: { kind } },
        }),
      ).toThrow(
        expect.objectContaining({
          code: 'params.shape',
          facts: expect.objectContaining({ place: '/auth/kind' }) as object,
        }),
      )
    }
  })

  test('of an address with a secret in it is the masked one to show and the true one sealed', () => {
    const parts = partsOf({
      ...http('https://a.example.com/?key=hunter2'),
      shown: { url: 'https://a.example.com/?key=***' },
    })
    expect(JSON.stringify(parts.settings)).not.toContain('hunter2')
    expect(parts.settings).toMatchObject({ url: 'https://a.example.com/?key=***' })
    expect(parts.secrets.url).toBe('https://a.example.com/?key=hunter2')
    expect(
      partsOf({ ...http('https://a.example.com/'), shown: { url: 'https://a.example.com/' } }).secrets,
    ).not.toHaveProperty('url')
  })

  test('of a command line with a secret in it is the masked one to show and the true one sealed', () => {
    const parts = partsOf({ ...child(['--token', 'hunter2']), shown: { args: ['--token', '***'] } })
    expect(JSON.stringify(parts.settings)).not.toContain('hunter2')
    expect(parts.secrets.args).toEqual(['--token', 'hunter2'])
    expect(partsOf({ ...child(['--token']), shown: { args: ['--token'] } }).secrets).not.toHaveProperty('args')
  })

  test.each([
    ['an address that is none', http('mcp.example.com'), '/url'],
    ['an address of another scheme', http('file:///etc/passwd'), '/url'],
    [
      'an empty command',
      { ...child([]), wire: { kind: 'process', command: '', args: [], environment: {} } },
      '/command',
    ],
    ['a user name in an address', http('https://ada@mcp.example.com'), '/url'],
    ['a password in an address', http('https://:hunter2@mcp.example.com'), '/url'],
    ...Object.entries({
      host: 'other.example.com',
      'Content-Length': '3',
      'transfer-encoding': 'chunked',
      connection: 'x-secret',
      Upgrade: 'websocket',
      'mcp-session-id': 'x',
      'Mcp-Name': 'x',
      'last-event-id': '1',
      'two words': 'x',
      '': 'x',
      'x-lines': 'a\r\nhost: other.example.com',
      'x-nul': 'a\0b',
      'x-wide': '\u4e00',
    }).map(
      ([name, value]) =>
        [
          `the header ${JSON.stringify(name)}`,
          http('https://a.example.com', { [name]: value }),
          `/headers/${name}`,
        ] as const,
    ),
    ['no time', { ...http('https://a.example.com'), timeout: 0 }, '/timeout'],
    ['endless time', { ...child([]), timeout: Infinity }, '/timeout'],
  ] as [string, ConnectionWords, string][])('is nothing for %s', (_, words, place) => {
    expect(() => partsOf(words)).toThrow(Fault)
    try {
      partsOf(words)
    } catch (thrown) {
      expect(Fault.of(thrown)).toMatchObject({ code: 'params.shape', facts: { place } })
    }
  })
})

describe('the accounts of a program', () => {
  const words = (auth: object | undefined, environment = {}): ConnectionWords => ({
    ...child([], environment),
    wire: { kind: 'process', command: 'npx', args: [], environment, ...(auth === undefined ? {} : { auth }) },
  })

  test('are named by the variable that holds their key or token, as it is', () => {
    expect(partsOf(words({ variable: 'TOKEN', owners: ['member'] })).settings).toMatchObject({
      auth: { kind: 'key', variable: 'TOKEN', prefix: '', owners: ['member'] },
    })
    expect(partsOf(words({ kind: 'oauth', provider: 'github', variable: 'TOKEN' })).settings).toHaveProperty('auth')
    for (const none of [undefined, { kind: 'none' }, { kind: 'none', variable: 'TOKEN' }])
      expect(partsOf(words(none)).settings).not.toHaveProperty('auth')
  })

  test.each([
    ['/auth/kind', { kind: 'auto', variable: 'TOKEN' }],
    ['/auth/variable', { kind: 'key' }],
    ['/auth/variable', { variable: 'DECLARED' }],
    ['/auth/variable', { variable: 'no name' }],
    // A value of a member's would be code there.
    ...['LD_PRELOAD', 'NODE_OPTIONS', 'PATH', 'PYTHONSTARTUP', 'GIT_SSH_COMMAND', 'BASH_ENV'].map(
      (variable) => ['/auth/variable', { variable }] as const,
    ),
    ['/auth/provider', { kind: 'oauth', variable: 'TOKEN' }],
    ['/auth/provider', { kind: 'oauth', variable: 'TOKEN', provider: 'mcp' }],
    ['/auth/brought', { variable: 'TOKEN', brought: true }],
  ] as [string, object][])('are refused at %s for %j', (place, auth) => {
    expect(() => partsOf(words(auth, { DECLARED: 'x' }))).toThrow(
      expect.objectContaining({ code: 'params.shape', facts: expect.objectContaining({ place }) as object }),
    )
  })

  test('have no variable where the server is at an address', () => {
    const wire = { kind: 'http' as const, url: 'https://a.example.com/', headers: {}, auth: { variable: 'TOKEN' } }
    expect(() => partsOf({ revision: 'auto', timeout: 60, wire })).toThrow(/variable/)
  })
})

describe('a private address is allowed where the operator writes one', () => {
  const allowed = (url: string) => {
    const { settings } = partsOf(http(url))
    return settings.connector === 'mcp.http' && settings.private
  }
  test.each([
    'http://localhost:3000/mcp',
    'http://LOCALHOST/',
    'http://mcp.localhost/',
    'http://127.0.0.1:3000/',
    'http://10.0.0.7/',
    'http://[::1]:3000/',
    'http://[fd00::1]/',
    'http://0x7f.1/',
    'http://service.internal/',
    'http://printer.local/',
    'ws://localhost:9000/',
    'wss://10.0.0.7/mcp',
    'ws://[::1]:9000/',
  ])('%s', (url) => expect(allowed(url)).toBe(true))

  test.each([
    'https://mcp.example.com/',
    'https://localhost.example.com/',
    'https://127.0.0.1.nip.io/',
    'https://internal/',
    'https://local/',
    'https://notlocalhost/',
    'wss://mcp.example.com/',
    'https://mylocal/',
    'https://example.com/?host=127.0.0.1',
  ])('and not for %s, whatever it resolves to', (url) => expect(allowed(url)).toBe(false))

  test('by the true address, not by the one that is shown', () => {
    const { settings } = partsOf({ ...http('https://mcp.example.com/?key=1'), shown: { url: 'http://localhost/' } })
    expect(settings).toMatchObject({ private: false })
  })
})

describe('sealing', () => {
  const id = newId('con')
  const seal = (text: string, row: string) => Buffer.from(`${row}: ${text}`)
  const sealed = (secrets: object) =>
    sealerOf(ConnectionSecrets.parse(secrets), seal, (of) => `connection ${of}`)(id)?.toString()

  test('is for the row of the connection, and for all its secrets', () => {
    expect(sealed({ headers: { a: 'b' } })).toBe(`connection ${id}: {"headers":{"a":"b"},"environment":{}}`)
    for (const secrets of [{ environment: { A: '' } }, { url: 'https://x' }, { args: [] }])
      expect(sealed(secrets)).toBeDefined()
  })

  test('is nothing where there is no secret', () => expect(sealed({})).toBeUndefined())
})

describe('a native connector', () => {
  const scopesOf = async (vendor: string, scopesFor?: 'read' | 'write' | 'execute') => {
    const { settings } = partsOf({ revision: 'auto', timeout: 60, wire: connectorOf({ vendor, scopesFor }) })
    return new Set(await kindFor('native').scopes?.(settings))
  }

  test('asks an account for the scopes of the tools within its limit, and for who it is', async () => {
    expect(await scopesOf('outlook', 'read')).toEqual(
      new Set(['openid', 'profile', 'email', 'offline_access', 'User.Read', 'Mail.Read']),
    )
    expect(await scopesOf('outlook', 'write')).toContain('Mail.ReadWrite')
    expect(await scopesOf('outlook', 'write')).not.toContain('Mail.Send')
    expect(await scopesOf('outlook')).toContain('Mail.Send')
  })

  test('leaves scopes that an administrator of the vendor has to grant until a tool needs them', async () => {
    expect(await scopesOf('teams')).toContain('ChannelMessage.Send')
    expect(await scopesOf('teams')).not.toContain('ChannelMessage.Read.All')
  })
})

test('every address of a vendor that a connection has by itself is one that the vendor’s accounts are for', () => {
  for (const [vendor, { address, officialServer = address }] of Object.entries(CONNECTORS)) {
    const provider = providerOf(vendor)?.key
    if (provider === undefined) continue
    for (const url of [address, officialServer]) expect(authorityAt(provider, url), url).toEqual(authorityOf(provider))
  }
})
