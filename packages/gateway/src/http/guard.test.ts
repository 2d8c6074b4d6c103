import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { checkRepeated, createGuard, type GuardParts } from './guard.ts'

const answer = (parts: Partial<GuardParts>, host: string | undefined, origin?: string): string => {
  const guard = createGuard({ host: '127.0.0.1', publicUrl: undefined, allowedHosts: [], allowedOrigins: [], ...parts })
  try {
    guard.check(host, origin)
    return 'welcome'
  } catch (thrown) {
    const fault = Fault.of(thrown)
    expect(fault.row.http).toBe(403)
    return fault.code
  }
}

describe('on loopback', () => {
  test.each(['localhost', 'localhost:8787', 'LOCALHOST:1', '127.0.0.1:8787', '[::1]:8787', '[::1]'])(
    '%s is welcome',
    (host) => {
      expect(answer({}, host)).toBe('welcome')
    },
  )

  test.each([
    'evil.example.com',
    'evil.example.com:8787',
    'localhost.evil.com',
    'evil.com:8787:8787',
    'localhost:8787@evil.com',
    'localhost:port',
    'localhost.',
    '127.0.0.2',
    '0.0.0.0:8787',
    '[::]',
    '::1',
    ' localhost',
    '',
    undefined,
  ])('the Host %j is not, whatever it resolves to', (host) => {
    expect(answer({}, host)).toBe('request.host')
  })
})

describe('a browser', () => {
  test.each(['http://localhost:8787', 'https://localhost:8787', 'HTTP://LOCALHOST:8787'])(
    'may call from the very address it calls: %s',
    (origin) => {
      expect(answer({}, 'localhost:8787', origin)).toBe('welcome')
    },
  )

  test.each([
    'http://evil.example.com',
    'http://localhost:3000',
    'http://localhost',
    'http://127.0.0.1:8787',
    'http://localhost:8787.evil.com',
    'http://localhost:8787/',
    'null',
    '',
    'file://',
  ])('may not call from %j', (origin) => {
    expect(answer({}, 'localhost:8787', origin)).toBe('request.origin')
  })

  test('that is pointed here by a name of its own is stopped by that name, before its origin is looked at', () => {
    expect(answer({}, 'evil.example.com:8787', 'http://evil.example.com:8787')).toBe('request.host')
  })
})

describe('what an operator allows', () => {
  const publicUrl = 'https://Tools.Example.com:8443/base'

  test('is the public address, by its name at any port, and its origin exactly', () => {
    for (const host of ['tools.example.com:8443', 'tools.example.com', 'TOOLS.example.com:80'])
      expect(answer({ publicUrl }, host)).toBe('welcome')
    expect(answer({ publicUrl }, 'localhost:8787', 'https://tools.example.com:8443')).toBe('welcome')
    expect(answer({ publicUrl }, 'localhost:8787', 'https://tools.example.com')).toBe('request.origin')
    expect(answer({ publicUrl }, 'other.example.com')).toBe('request.host')
  })

  test('are further names, with or without a port', () => {
    const parts = { allowedHosts: ['Gateway.internal', 'narrow.internal:8787'] }
    expect(
      ['gateway.internal', 'gateway.internal:9', 'narrow.internal:8787'].map((host) => answer(parts, host)),
    ).toEqual(['welcome', 'welcome', 'welcome'])
    expect(['narrow.internal:9', 'narrow.internal', 'x.gateway.internal'].map((host) => answer(parts, host))).toEqual([
      'request.host',
      'request.host',
      'request.host',
    ])
  })

  test('are further origins, which make no host welcome', () => {
    const parts = { allowedOrigins: ['https://App.example.com'] }
    expect(answer(parts, 'localhost', 'https://app.example.com')).toBe('welcome')
    expect(answer(parts, 'localhost', 'https://app.example.com.evil.com')).toBe('request.origin')
    expect(answer(parts, 'app.example.com')).toBe('request.host')
  })

  test('is the address that is listened on, unless that is every address', () => {
    expect(answer({ host: '10.0.0.5' }, '10.0.0.5:8787')).toBe('welcome')
    expect(answer({ host: 'fd00::AB' }, '[fd00::ab]:8787')).toBe('welcome')
    expect(answer({ host: 'MyHost' }, 'myhost:8787')).toBe('welcome')
    for (const host of ['0.0.0.0', '::', '']) {
      for (const asked of ['10.0.0.5', '0.0.0.0', '[::]', '']) expect(answer({ host }, asked)).toBe('request.host')
      expect(answer({ host }, 'localhost')).toBe('welcome')
    }
  })
})

describe('a request whose target names an authority itself', () => {
  const check = (host: string, authority: string) => {
    const guard = createGuard({ host: '127.0.0.1', publicUrl: undefined, allowedHosts: [], allowedOrigins: [] })
    return () => guard.check(host, undefined, authority)
  }

  test('is welcome where it is the Host’s, and ours', () => {
    expect(check('localhost:8787', 'LOCALHOST:8787')).not.toThrow()
    for (const authority of ['localhost', 'localhost:1', '127.0.0.1:8787', 'evil.example', 'me@localhost:8787', ''])
      expect(check('localhost:8787', authority)).toThrow('Host header')
    expect(check('evil.example', 'evil.example')).toThrow('Host header')
  })
})

test('a request that says Host or Authorization twice is refused, be it the same or in other letters', () => {
  const refused = { code: 'request.repeated' }
  expect(() => checkRepeated(['Host', 'a', 'Accept', 'x', 'host', 'a'])).toThrow(expect.objectContaining(refused))
  expect(() => checkRepeated(['AUTHORIZATION', 'Bearer a', 'authorization', 'Bearer b'])).toThrow(
    expect.objectContaining(refused),
  )
  expect(() => checkRepeated(['Host', 'a', 'Authorization', 'b', 'Accept', 'x', 'Accept', 'y'])).not.toThrow()
  // A value that looks like a name is none.
  expect(() => checkRepeated(['Host', 'host', 'X-Name', 'host'])).not.toThrow()
})

describe('the address that a connection came in at', () => {
  const guard = createGuard({
    host: '0.0.0.0',
    publicUrl: 'https://tools.example',
    allowedHosts: [],
    allowedOrigins: [],
  })
  const at = (host: string, localAddress: string, localPort = 8787) => {
    return () => guard.check(host, undefined, undefined, { localAddress, localPort })
  }

  test('is taken as Host, as probes of Kubernetes and Prometheus send it', () => {
    expect(at('10.1.2.3:8787', '10.1.2.3')).not.toThrow()
    expect(at('10.1.2.3:8787', '::ffff:10.1.2.3')).not.toThrow()
    expect(at('[fd00::7]:8787', 'fd00::7')).not.toThrow()
  })

  test('is another than that of a neighbour, of another port, and than any name', () => {
    for (const host of ['10.1.2.4:8787', '10.1.2.3:80', '10.1.2.3', 'rebound.example:8787', ':8787', 'undefined'])
      expect(at(host, '10.1.2.3')).toThrow('Host')
    expect(() => guard.check('rebound.example', undefined, undefined, {})).toThrow('Host')
    expect(() => guard.check(':undefined', undefined, undefined, {})).toThrow('Host')
  })
})
