import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../../mcp-request.ts'
import type { JsonObject } from '../../json.ts'
import {
  CAPABILITIES_KEY,
  CLIENT_KEY,
  hasEnvelope,
  LOG_LEVEL_KEY,
  readEnvelope,
  stripEnvelope,
  VERSION_KEY,
  writeEnvelope,
} from './envelope.ts'

const client = { name: 'c', version: '1' }
const full = {
  [VERSION_KEY]: '2026-07-28',
  [CAPABILITIES_KEY]: { elicitation: {} },
  [CLIENT_KEY]: client,
  [LOG_LEVEL_KEY]: 'info',
}
const version = (value: string | undefined) => (name: string) => (name === 'mcp-protocol-version' ? value : undefined)

const faultOf = (meta: JsonObject | undefined, header?: string | null): Fault => {
  try {
    readEnvelope(
      meta === undefined ? undefined : { _meta: meta },
      header === undefined ? undefined : version(header ?? undefined),
    )
  } catch (thrown) {
    return Fault.of(thrown)
  }
  throw new Error('it was read')
}

describe('an envelope', () => {
  test('is there as soon as the version key is, whatever it says', () => {
    expect(hasEnvelope({ _meta: { [VERSION_KEY]: null } })).toBe(true)
    for (const params of [undefined, {}, { _meta: {} }, { _meta: { [CAPABILITIES_KEY]: {} } }])
      expect(hasEnvelope(params)).toBe(false)
  })

  test('says who calls: revision, capabilities, client and level', () => {
    expect(readEnvelope({ _meta: full }, version('2026-07-28'))).toEqual({
      revision: '2026-07-28',
      capabilities: { elicitation: {} },
      client,
      logLevel: 'info',
    })
  })

  test('may lack client and level, and a malformed one counts as lacking', () => {
    const bare = { revision: '2026-07-28', capabilities: {}, client: undefined, logLevel: undefined }
    const needed = { [VERSION_KEY]: '2026-07-28', [CAPABILITIES_KEY]: {} }
    expect(readEnvelope({ _meta: needed }, undefined)).toEqual(bare)
    expect(readEnvelope({ _meta: { ...needed, [CLIENT_KEY]: 'curl', [LOG_LEVEL_KEY]: 5 } }, undefined)).toEqual(bare)
  })

  const refused: [name: string, meta: JsonObject | undefined, header: string | null | undefined, fault: JsonObject][] =
    [
      ['is missing altogether', undefined, '2026-07-28', { code: 'envelope.missing', key: VERSION_KEY }],
      ['lacks the version', { [CAPABILITIES_KEY]: {} }, '2026-07-28', { code: 'envelope.missing', key: VERSION_KEY }],
      [
        'has a version that is no text',
        { ...full, [VERSION_KEY]: 20260728 },
        '2026-07-28',
        { code: 'envelope.missing', key: VERSION_KEY },
      ],
      [
        'lacks the capabilities',
        { [VERSION_KEY]: '2026-07-28' },
        '2026-07-28',
        { code: 'envelope.missing', key: CAPABILITIES_KEY },
      ],
      [
        'has capabilities in a list',
        { ...full, [CAPABILITIES_KEY]: [] },
        '2026-07-28',
        { code: 'envelope.missing', key: CAPABILITIES_KEY },
      ],
      [
        'has capabilities of null',
        { ...full, [CAPABILITIES_KEY]: null },
        '2026-07-28',
        { code: 'envelope.missing', key: CAPABILITIES_KEY },
      ],
      ['comes without the version header', full, null, { code: 'envelope.header' }],
      ['comes with another version header', full, '2025-11-25', { code: 'envelope.header' }],
      [
        'names an unknown version that the header does not name',
        { ...full, [VERSION_KEY]: 'v999.0.0' },
        '2026-07-28',
        { code: 'envelope.header' },
      ],
      ['names an unknown version', { ...full, [VERSION_KEY]: 'v999.0.0' }, 'v999.0.0', { code: 'envelope.version' }],
      ['names a legacy version', { ...full, [VERSION_KEY]: '2025-11-25' }, '2025-11-25', { code: 'envelope.version' }],
      [
        'names an unknown version where there are no headers',
        { ...full, [VERSION_KEY]: '' },
        undefined,
        { code: 'envelope.version' },
      ],
    ]
  test.each(refused)('is refused when it %s', (_, meta, header, { code, key }) => {
    const fault = faultOf(meta, header)
    expect(fault.code).toBe(code)
    expect(fault.row.http).toBe(400)
    if (key !== undefined) expect(fault.facts['key']).toBe(key)
  })

  test('of an unknown version is told the versions there are, newest first', () => {
    expect(faultOf({ ...full, [VERSION_KEY]: 'v999.0.0' }, 'v999.0.0').data).toEqual({
      requested: 'v999.0.0',
      supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    })
  })
})

const caller: Caller = { revision: '2025-11-25', capabilities: { roots: {} }, client, logLevel: 'debug' }
const vendor = { traceparent: '00-1', 'com.example/x': { y: [1] } }

describe('params for a modern server', () => {
  test('carry the caller as it is, our progress token, and every other key', () => {
    const params = { name: 'a', _meta: { ...vendor, progressToken: 'theirs' }, later: 1 }
    expect(writeEnvelope(params, caller, 'p1')).toEqual({
      name: 'a',
      later: 1,
      _meta: {
        ...vendor,
        progressToken: 'p1',
        [VERSION_KEY]: '2026-07-28',
        [CAPABILITIES_KEY]: { roots: {} },
        [CLIENT_KEY]: client,
        [LOG_LEVEL_KEY]: 'debug',
      },
    })
    expect(params._meta.progressToken).toBe('theirs')
  })

  test('carry no token where no progress is wanted', () => {
    expect(writeEnvelope({ _meta: { progressToken: 7 } }, caller, undefined)['_meta']).not.toHaveProperty(
      'progressToken',
    )
  })

  test('carry nothing of the caller that was not read of it', () => {
    const stranger = { ...caller, capabilities: {}, client: undefined, logLevel: undefined }
    const forged = {
      [CLIENT_KEY]: 'odd',
      [LOG_LEVEL_KEY]: 'debug',
      [CAPABILITIES_KEY]: { sampling: {} },
      [VERSION_KEY]: 'v1',
    }
    expect(writeEnvelope({ _meta: forged }, stranger, undefined)).toEqual({
      _meta: { [VERSION_KEY]: '2026-07-28', [CAPABILITIES_KEY]: {} },
    })
  })

  test('are read back as the same caller', () => {
    expect(readEnvelope(writeEnvelope({}, caller, undefined), undefined)).toEqual({ ...caller, revision: '2026-07-28' })
  })
})

describe('params for a legacy server', () => {
  test('lose the envelope and keep every other key', () => {
    expect(stripEnvelope({ name: 'a', _meta: { ...full, ...vendor } }, 'p1')).toEqual({
      name: 'a',
      _meta: { ...vendor, progressToken: 'p1' },
    })
  })

  test('have no _meta where nothing is left in it', () => {
    expect(stripEnvelope({ name: 'a', _meta: { ...full, progressToken: 0 } }, undefined)).toEqual({ name: 'a' })
    expect(stripEnvelope({}, undefined)).toEqual({})
  })
})
