import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { isPrivateNetwork } from '@toolway/contract/address-kind'
import { createPool, isAllowed } from './agent.ts'
import { createExceptions } from './exceptions.ts'

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '93.184.215.14',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::200e',
  '::ffff:8.8.8.8',
]
/** An operator may name these in so many words; nobody else reaches them. */
const PRIVATE = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '::1',
  'fd00::1',
  'fc00::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
]
/** Clouds' metadata, other networks in disguise, and what is no address of a server at all. */
const NEVER = {
  'link-local': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::a9fe:a9fe'],
  'link-local in IPv6 clothes': ['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '0:0:0:0:0:ffff:a9fe:a9fe'],
  'unspecified, which means this machine': ['0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0'],
  '6to4 (2002::/16)': ['2002::1', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:c0a8:101::1'],
  'NAT64 (64:ff9b::/96)': ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::8.8.8.8'],
  'local NAT64 (64:ff9b:1::/48)': ['64:ff9b:1::1', '64:ff9b:1:ffff::a9fe:a9fe'],
  'site-local (fec0::/10)': ['fec0::1', 'feff::1'],
  'Teredo (2001::/32)': ['2001::1', '2001:0:7f00:1::'],
  'IPv4-compatible (::/96, RFC 4291 2.5.5.1) or translated': [
    '::a9fe:a9fe',
    '::7f00:1',
    '::169.254.169.254',
    '::ffff:0:127.0.0.1',
  ],
  'outside of what is given out (2000::/3)': ['4000::1', '100:0:0:1::1', '5f00::1'],
  'where a cloud keeps credentials outside of link-local': [
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '169.254.170.2',
  ],
  'ISATAP (RFC 5214), whatever network it claims to be in': [
    '2606:4700::5efe:127.0.0.1',
    '2606:4700::5efe:a9fe:a9fe',
    '2606:4700::200:5efe:10.0.0.1',
  ],
  'set aside for documents and measurements': ['3fff::1', '2001:db8::1', '2001:2::1', '2001:10::1', '2001:20::1'],
  'where relays of 6to4 were (192.88.99.0/24)': ['192.88.99.1'],
  'no address at all': ['', 'localhost', '127.0.0.1:80', '1.2.3.4.5'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'broadcast and reserved': [
    '255.255.255.255',
    '240.0.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '198.18.0.1',
  ],
}

describe('an address', () => {
  test('that is public may be reached', () => {
    for (const address of PUBLIC)
      expect({ address, allowed: isAllowed(address, { allowPrivate: false }) }).toEqual({ address, allowed: true })
  })

  test('that is private may be reached where the operator said so, and nowhere else', () => {
    for (const address of PRIVATE) {
      expect({
        address,
        plain: isAllowed(address, { allowPrivate: false }),
        said: isAllowed(address, { allowPrivate: true }),
      }).toEqual({
        address,
        plain: false,
        said: true,
      })
    }
  })

  test.each(Object.entries(NEVER))('that is %s may never be reached', (_, addresses) => {
    for (const address of addresses) {
      expect({
        address,
        plain: isAllowed(address, { allowPrivate: false }),
        said: isAllowed(address, { allowPrivate: true }),
      }).toEqual({
        address,
        plain: false,
        said: false,
      })
    }
  })

  test('of carriers (100.64.0.0/10) is not public', () => {
    expect(isAllowed('100.64.0.1', { allowPrivate: false })).toBe(false)
    expect(isAllowed('100.127.255.255', { allowPrivate: false })).toBe(false)
  })
})

describe('an exception', () => {
  const exceptions = createExceptions({
    networks: ['10.1.0.0/16', 'fd12:3456::/32', '100.64.0.0/10'],
    hosts: ['mcp.internal', '*.corp.example'],
  })
  const permits = { allowPrivate: false, exceptions }

  test('opens its network, and no other', () => {
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd12:3456::1', '100.64.0.1', '8.8.8.8'])
      expect([address, isAllowed(address, permits)]).toEqual([address, true])
    for (const address of ['10.2.0.1', '127.0.0.1', 'fd12:3457::1', '192.168.0.1', '::1'])
      expect([address, isAllowed(address, permits)]).toEqual([address, false])
  })

  test('opens what its name leads to, by that name only', () => {
    for (const host of ['mcp.internal', 'MCP.internal.', 'a.corp.example', 'a.b.corp.example'])
      expect([host, isAllowed('192.168.7.7', permits, host)]).toEqual([host, true])
    for (const host of ['x.mcp.internal', 'corp.example', 'evilcorp.example', 'mcp.internal.evil.example', ''])
      expect([host, isAllowed('192.168.7.7', permits, host)]).toEqual([host, false])
  })

  test('never opens what holds clouds’ credentials or hides another network, however wide it is', () => {
    const wide = createExceptions({ networks: ['0.0.0.0/0', '::/0'], hosts: ['mcp.internal'] })
    for (const address of Object.values(NEVER).flat())
      expect([address, isAllowed(address, { allowPrivate: true, exceptions: wide }, 'mcp.internal')]).toEqual([
        address,
        false,
      ])
  })
})

describe('a network', () => {
  test('is private where all of it is', () => {
    for (const network of ['10.0.0.0/8', '10.1.2.0/24', '127.0.0.0/8', '100.64.0.0/10', 'fd00::/8', '::1/128'])
      expect([network, isPrivateNetwork(network)]).toEqual([network, true])
    for (const network of ['0.0.0.0/0', '10.0.0.0/7', '8.8.8.0/24', '169.254.0.0/16', 'fe80::/10', '::/0', '2000::/3'])
      expect([network, isPrivateNetwork(network)]).toEqual([network, false])
  })
})

describe('a connection that leaves', () => {
  async function listen() {
    let reached = 0
    const server = createServer((_, response) => void (reached++, response.end('hello')))
    await new Promise<void>((resolve) => server.listen(0, resolve))
    const { port } = server.address() as AddressInfo
    return {
      port,
      reached: () => reached,
      [Symbol.asyncDispose]: () =>
        new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
    }
  }
  /** Returns the result of one request: the status, or the code of the fault. */
  async function reach(origin: string, allowPrivate: boolean): Promise<unknown> {
    const pool = createPool(origin, { alias: 'x', allowPrivate, headersTimeout: 5_000 })
    try {
      const { statusCode, body } = await pool.request({ path: '/', method: 'GET' })
      await body.dump()
      return statusCode
    } catch (thrown) {
      return thrown instanceof Fault ? thrown.code : thrown
    } finally {
      await pool.destroy()
    }
  }

  test('to a name that resolves to this machine is refused, however innocent the name', async () => {
    await using server = await listen()
    expect(await reach(`http://localhost:${server.port}`, false)).toBe('egress.refused')
    expect(server.reached()).toBe(0)
    expect(await reach(`http://localhost:${server.port}`, true)).toBe(200)
  })

  test('to this machine is refused in every spelling that a URL knows', async () => {
    await using server = await listen()
    for (const host of [
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
    ]) {
      const { origin } = new URL(`http://${host}:${server.port}`)
      expect({ host, outcome: await reach(origin, false) }).toEqual({ host, outcome: 'egress.refused' })
    }
    expect(server.reached()).toBe(0)
  })

  test('to the metadata of clouds and to the unspecified address is refused, even where private addresses are allowed', async () => {
    for (const host of [
      '169.254.169.254',
      '[::ffff:169.254.169.254]',
      '[::ffff:a9fe:a9fe]',
      '0.0.0.0',
      '[::]',
      '[fe80::1]',
      '[2002:a9fe:a9fe::]',
      '[64:ff9b::a9fe:a9fe]',
    ]) {
      expect({ host, outcome: await reach(`http://${host}`, true) }).toEqual({ host, outcome: 'egress.refused' })
    }
  })
})
