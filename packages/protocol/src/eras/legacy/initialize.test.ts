import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { readInitialize, strangerOf, writeInitialized } from './initialize.ts'

describe('the opening of a session', () => {
  test('says revision, capabilities and client', () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: { roots: {} },
      clientInfo: { name: 'c', version: '1' },
      later: 1,
    }
    expect(readInitialize(params)).toEqual({
      revision: '2025-06-18',
      capabilities: { roots: {} },
      client: { name: 'c', version: '1' },
    })
  })

  test('is taken without capabilities and client, and with odd ones', () => {
    for (const odd of [{}, { capabilities: null, clientInfo: 'x' }, { capabilities: [], clientInfo: [] }]) {
      expect(readInitialize({ protocolVersion: '2024-11-05', ...odd })).toEqual({
        revision: '2024-11-05',
        capabilities: {},
        client: undefined,
      })
    }
  })

  test('is refused where what it says of its client is longer than a session should keep', () => {
    const long = { a: 'x'.repeat(16_384) }
    for (const params of [
      { capabilities: long },
      { clientInfo: long },
      { capabilities: [long] },
      { clientInfo: long.a },
    ])
      expect(() => readInitialize({ protocolVersion: '2025-11-25', ...params })).toThrow('must be shorter than 16384')
    const fits = { capabilities: { a: 'x'.repeat(8_000) }, clientInfo: { b: 'x'.repeat(8_000) } }
    expect(readInitialize({ protocolVersion: '2025-11-25', ...fits })).toMatchObject({ client: fits.clientInfo })
  })

  test('with an unknown revision gets one that we speak', () => {
    expect(readInitialize({ protocolVersion: '2099-01-01' }).revision).toBe('2025-11-25')
  })

  test.each([[{}], [{ protocolVersion: 5 }], [{ protocolVersion: null }], [{ protocolVersion: ['2025-06-18'] }]])(
    'is refused for %j',
    (params) => {
      expect(() => readInitialize(params)).toThrow(Fault)
      expect(() => readInitialize(params)).toThrow('/protocolVersion must be a string')
    },
  )

  test('is answered with who we are, and with instructions only where there are some', () => {
    const server = { name: 'toolway', version: '1' }
    const answer = { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: server }
    expect(writeInitialized('2025-03-26', { server, capabilities: { tools: {} }, instructions: undefined })).toEqual(
      answer,
    )
    expect(writeInitialized('2025-03-26', { server, capabilities: { tools: {} }, instructions: 'Hi' })).toEqual({
      ...answer,
      instructions: 'Hi',
    })
  })
})

test('of a caller without a session nothing is known, so nothing may be asked of it', () => {
  expect(strangerOf('2025-03-26')).toEqual({
    revision: '2025-03-26',
    capabilities: {},
    client: undefined,
    logLevel: undefined,
  })
})
