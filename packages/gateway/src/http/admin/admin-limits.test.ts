import { Readable } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import { anyone, inOrganization, operation } from '@toolway/contract/admin'
import { Fault } from '@toolway/contract'
import type { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { OperationBase, Served } from '../../operations/serve.ts'
import { OPERATOR } from '../../identity/principal.ts'
import { createLimits, type LimitRates } from '../../limits/limits.ts'
import { createAdminDoor } from './admin-door.ts'
import { createClients } from '../client-address.ts'

const OPERATIONS = [
  operation({ id: 'signIn', at: 'POST /api/v1/auth/sign-in', summary: 'x', needs: anyone }),
  operation({
    id: 'look',
    at: 'GET /api/v1/tenants/{organization}',
    summary: 'x',
    needs: inOrganization('tenant_read'),
  }),
]

function fixture(rates: Partial<LimitRates>) {
  const limits = createLimits({
    rates: { address: 0, organization: 0, administration: 0, key: 0, connection: 0, ...rates },
    now: () => 0,
    onRefuse() {},
  })
  const acme = { organization: { id: 'org_1', slug: 'acme', settings: {} }, members: new Map() }
  const parts = {
    accounts: { find: () => undefined },
    snapshots: { find: ({ slug }: { slug?: string }) => (slug === 'acme' ? acme : undefined) },
  }
  const door: Hono<{ Bindings: HttpBindings }> = createAdminDoor({
    operations: OPERATIONS.map((operation): Served<OperationBase> => ({ operation, run: () => undefined })),
    parts: parts as unknown as Parameters<typeof createAdminDoor>[0]['parts'],
    identify: () => OPERATOR,
    web: { identify: () => Promise.resolve(undefined), checkCsrf() {} },
    publicUrl: () => 'http://gateway.test',
    newCorrelationId: () => 'id',
    clients: createClients([]),
    limits,
    bodyLimit: 1_000,
    refusals: { write() {}, refuseStranger() {} },
    streams: { watch: () => () => {}, draining: new AbortController().signal },
  })
  door.onError((thrown, c) => {
    const fault = Fault.of(thrown)
    return c.json({ code: fault.code, facts: fault.facts }, fault.row.http as 400)
  })
  const ask = async (method: string, path: string) => {
    const incoming = Object.assign(Readable.from([]), { socket: { remoteAddress: '192.0.2.1' }, headers: {} })
    const response = await door.request(path, { method }, { incoming })
    return response.status === 204 ? '204' : ((await response.json()) as { code: string }).code
  }
  return { ask, limits }
}

describe('the admin door', () => {
  test('counts what a stranger changes as ten requests of its address', async () => {
    const { ask } = fixture({ address: 20 })
    const answers = [await ask('POST', '/api/v1/auth/sign-in'), await ask('POST', '/api/v1/auth/sign-in')]
    expect(answers).toEqual(['204', '204'])
    expect(await ask('POST', '/api/v1/auth/sign-in')).toBe('limit.address')
  })

  test('counts what is done in an organization apart from its calls', async () => {
    const { ask, limits } = fixture({ organization: 2, administration: 2 })
    const look = () => ask('GET', '/api/v1/tenants/acme')
    expect([await look(), await look(), await look()]).toEqual(['204', '204', 'limit.administration'])
    expect(limits.request('key', 'org_1', undefined)).toBeUndefined()
  })

  test('counts organizations that are not there in one bucket', async () => {
    const { ask } = fixture({ organization: 2 })
    const answers = ['a', 'b', 'c'].map((slug) => ask('GET', `/api/v1/tenants/${slug}`))
    expect(await Promise.all(answers)).toEqual(['place.unknown', 'place.unknown', 'limit.unknown'])
    expect(await ask('GET', '/api/v1/tenants/acme')).toBe('204')
  })
})
