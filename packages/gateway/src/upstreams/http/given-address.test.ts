import { expect, test } from 'vitest'
import { createExceptions } from './exceptions.ts'
import { problemOfAddress } from './given-address.ts'

const open = { allowPrivate: false }

test('an address that a person gives is kept where it may be public', () => {
  for (const given of [
    'https://mcp.example.com/mcp',
    'http://mcp.example.com.:8080/',
    'https://93.184.215.14/',
    'https://[2606:4700:4700::1111]/',
    ' https://mcp.example.com/ ',
    'https://bücher.example/',
  ])
    expect([given, problemOfAddress(given, open)]).toEqual([given, undefined])
})

test('U-23: a private address is refused with a sentence in every spelling that a URL knows', () => {
  for (const host of [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.1.',
    '①②⑦.⓪.⓪.①',
    '１２７.０.０.１',
    '%31%32%37.0.0.1',
    '10.0.0.8',
    '100.64.1.1',
    '169.254.169.254',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[fd00::1]',
    '[64:ff9b::a9fe:a9fe]',
    'localhost',
    'LOCALHOST.',
    'x.localhost',
    'printer.local',
    'metadata.google.internal',
    'router.home.arpa',
  ]) {
    const problem = problemOfAddress(`http://${host}/mcp`, open)
    expect([host, problem]).toEqual([host, expect.stringContaining('private network')])
  }
})

test('what is not an address, or of another kind, is refused with a sentence of its own', () => {
  for (const [given, says] of [
    ['', 'not an address'],
    ['mcp.example.com', 'not an address'],
    ['http://', 'not an address'],
    ['http://[fe80::1%25eth0]/', 'not an address'],
    ['http://999.1.1.1/', 'not an address'],
    [`https://example.com/${'x'.repeat(3_000)}`, 'not an address'],
    ['file:///etc/passwd', 'not an address'],
    ['javascript:alert(1)', 'not an address'],
    ['ftp://example.com/', 'must start with http:// or https://'],
    ['wss://example.com/', 'must start with http:// or https://'],
    ['https://user:secret@example.com/', 'Authorization header'],
  ] as const) {
    const problem = problemOfAddress(given, open)
    expect([given, problem]).toEqual([given, expect.stringContaining(says)])
    expect(problem).not.toContain('secret')
  }
  expect(problemOfAddress('wss://example.com/', open, ['ws:', 'wss:'])).toBeUndefined()
})

test('what is excepted is kept, and what holds clouds’ credentials never is', () => {
  const exceptions = createExceptions({ networks: ['10.1.0.0/16', '169.254.0.0/16'], hosts: ['mcp.internal'] })
  const permits = { ...open, exceptions }
  expect(problemOfAddress('http://10.1.2.3/', permits)).toBeUndefined()
  expect(problemOfAddress('http://mcp.internal/', permits)).toBeUndefined()
  expect(problemOfAddress('http://10.2.0.1/', permits)).toContain('private network')
  expect(problemOfAddress('http://169.254.169.254/', permits)).toContain('private network')
  expect(problemOfAddress('http://169.254.169.254/', { allowPrivate: true })).toContain('private network')
  expect(problemOfAddress('http://127.0.0.1/', { allowPrivate: true })).toBeUndefined()
})
