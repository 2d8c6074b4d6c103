import type { KeyId, OrganizationId } from '@toolway/contract'
import { MODERN, strangerOf, type Caller } from '@toolway/protocol'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { SeenClient } from './clients-seen.rows.ts'
import { OPERATOR } from '../../identity/principal.ts'
import { createKeepClientsSeen, QUIET } from './keep-clients-seen.job.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const requestContextOf = (id: string, client?: string) =>
  ({
    organizationId: 'org_acme' as OrganizationId,
    principal: { ...OPERATOR, id, kind: 'key', keyId: id as KeyId, client },
  }) as unknown as RequestContext
const LEGACY: Caller = { ...strangerOf('2025-11-25'), client: { name: 'old', version: '1' } }
const NEW: Caller = { ...strangerOf('2025-11-25'), revision: MODERN, client: { name: 'new', version: '2' } }

function fixture(fails = () => false) {
  const stored: SeenClient[] = []
  const seen = createKeepClientsSeen({
    now: Date.now,
    async store(all) {
      if (fails()) throw new Error('away')
      stored.push(...all)
    },
    forget: async () => {},
    log: { warn() {} },
  })
  const told = async () => {
    await vi.advanceTimersByTimeAsync(100)
    return stored.splice(0).map(({ client, steps }) => [client, ...Object.keys(steps)])
  }
  return { seen, told }
}

describe('a client that comes in', () => {
  test('is noted once for each step, those of one moment together', async () => {
    const { seen, told } = fixture()
    for (const method of ['initialize', 'tools/list', 'tools/list', 'ping'])
      seen.note(requestContextOf('key_a'), { method, caller: LEGACY })
    expect(await told()).toEqual([['old', 'initialize', 'list']])
    seen.note(requestContextOf('key_a'), { method: 'tools/list', caller: LEGACY })
    seen.note(requestContextOf('key_a'), { method: 'tools/call', caller: LEGACY })
    expect(await told()).toEqual([['old', 'call']])
    await vi.advanceTimersByTimeAsync(QUIET)
    seen.note(requestContextOf('key_a'), { method: 'tools/list', caller: LEGACY })
    expect(await told()).toEqual([['old', 'list']])
  })

  test('of 2026-07-28 says who it is with whatever it asks first', async () => {
    const { seen, told } = fixture()
    seen.note(requestContextOf('key_a'), { method: 'resources/list', caller: NEW })
    seen.note(requestContextOf('key_b'), { method: 'tools/call', caller: NEW })
    expect(await told()).toEqual([
      ['new', 'initialize'],
      ['new', 'initialize', 'call'],
    ])
  })

  test('is noted again after it could not be stored; what the console does is no client’s', async () => {
    let isAway = true
    const { seen, told } = fixture(() => isAway)
    seen.note(requestContextOf('key_a'), { method: 'initialize', caller: LEGACY })
    seen.note(requestContextOf('usr_a', 'browser'), { method: 'tools/call', caller: LEGACY })
    expect(await told()).toEqual([])
    isAway = false
    seen.note(requestContextOf('key_a'), { method: 'initialize', caller: LEGACY })
    expect(await told()).toEqual([['old', 'initialize']])
  })

  test('whose caller has a name that no database holds is still one row', async () => {
    const { seen, told } = fixture()
    const odd = (name: string): Caller => ({ ...LEGACY, client: { name, version: 7 } })
    seen.note(requestContextOf('key_a'), { method: 'initialize', caller: odd('a\0') })
    seen.note(requestContextOf('key_a'), { method: 'initialize', caller: odd('a\u{fffd}') })
    seen.note(requestContextOf('key_a'), { method: 'initialize', caller: odd('x'.repeat(500)) })
    expect(await told()).toEqual([
      ['a\u{fffd}', 'initialize'],
      ['x'.repeat(100), 'initialize'],
    ])
  })
})
