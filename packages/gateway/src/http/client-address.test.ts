import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createClients } from './client-address.ts'

const PROXIES = ['10.0.0.0/8', '2001:db8:ffff::/48', '192.0.2.10']

function client(peer: string | undefined, headers: Record<string, string> = {}, trusted = PROXIES) {
  return createClients(trusted).of({ socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage)
}

describe('the address of a client', () => {
  test.each([
    ['is its peer’s', '198.51.100.7', {}, '198.51.100.7'],
    ['is IPv4 where that is what it is', '::ffff:198.51.100.7', {}, '198.51.100.7'],
    ['has no zone', 'fe80::1%eth0', {}, 'fe80::1'],
    ['is not what a stranger says it is', '198.51.100.7', { 'x-forwarded-for': '203.0.113.9' }, '198.51.100.7'],
    ['nor in the standard’s words', '198.51.100.7', { forwarded: 'for=203.0.113.9' }, '198.51.100.7'],
    ['is what a trusted proxy says', '10.1.2.3', { 'x-forwarded-for': '203.0.113.9' }, '203.0.113.9'],
    ['also through a mapped peer', '::ffff:10.1.2.3', { 'x-forwarded-for': '203.0.113.9' }, '203.0.113.9'],
    [
      'is the last that no proxy is',
      '10.1.2.3',
      { 'x-forwarded-for': '1.1.1.1, 203.0.113.9, 10.0.0.4' },
      '203.0.113.9',
    ],
    ['is the first where all are proxies', '10.1.2.3', { 'x-forwarded-for': '10.0.0.9, 192.0.2.10' }, '10.0.0.9'],
    ['ends where the list cannot be read', '10.1.2.3', { 'x-forwarded-for': '1.1.1.1, unknown, 10.0.0.4' }, '10.0.0.4'],
    ['is the proxy’s for nonsense', '10.1.2.3', { 'x-forwarded-for': '0x7f.1' }, '10.1.2.3'],
    ['has no port', '10.1.2.3', { 'x-forwarded-for': '203.0.113.9:4711' }, '203.0.113.9'],
    [
      'is read from Forwarded',
      '2001:db8:ffff::1',
      { forwarded: 'for=1.1.1.1;proto=http, For="[2001:db8:7::5]:4711";by=203.0.113.43' },
      '2001:db8:7::5',
    ],
    ['is nobody’s hidden name', '10.1.2.3', { forwarded: 'for=_hidden' }, '10.1.2.3'],
    [
      'is the proxy’s where two headers differ: one of them the client wrote',
      '10.1.2.3',
      { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '203.0.113.9' },
      '10.1.2.3',
    ],
    ['is what both say', '10.1.2.3', { forwarded: 'for=203.0.113.9', 'x-forwarded-for': '203.0.113.9' }, '203.0.113.9'],
    ['is unknown for a connection that is gone', undefined, { 'x-forwarded-for': '203.0.113.9' }, 'unknown'],
  ])('%s', (_, peer, headers, address) => {
    expect(client(peer, headers as Record<string, string>).address).toBe(address)
  })

  test('is counted by what one customer is given: an IPv4 address, or 64 bits of IPv6', () => {
    expect(client('198.51.100.7').network).toBe('198.51.100.7')
    const [one, same, other] = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1'].map(
      (peer) => client(peer).network,
    )
    expect(one).toBe('2001:db8:1:2::')
    expect(same).toBe(one)
    expect(other).not.toBe(one)
  })

  test('is believed to come by TLS only from a trusted proxy', () => {
    expect(client('198.51.100.7', { 'x-forwarded-proto': 'https' }).secure).toBe(false)
    expect(client('10.1.2.3', { 'x-forwarded-proto': 'https' }).secure).toBe(true)
    expect(client('10.1.2.3', { 'x-forwarded-proto': 'https, http' }).secure).toBe(false)
    expect(client('10.1.2.3', { forwarded: 'for=1.1.1.1;proto=https' }).secure).toBe(true)
  })

  test('a mapped range is the range that it maps', () => {
    expect(client('10.1.2.3', { 'x-forwarded-for': '203.0.113.9' }, ['::ffff:10.0.0.0/104']).address).toBe(
      '203.0.113.9',
    )
  })
})
