/** Secrets of record streams by reference: read from a Vault (or its double) for each delivery, of the own organization alone. */
import type { RecordStreamId } from '@toolway/contract'
import { StreamDestination } from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { createSendBatch } from '../../../packages/gateway/src/features/record-streams/send-batch.ts'
import { testItem } from '../../../packages/gateway/src/features/record-streams/stream-items.rows.ts'
import { startOtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import { createGuardedFetch } from '../../../packages/gateway/src/upstreams/http/guarded-fetch.ts'
import { connectTls } from '../../../packages/gateway/src/upstreams/http/guarded-tls.ts'
import { createSecretReferences } from '../../../packages/gateway/src/vault/references/references.ts'
import { recordStreamSealContext } from '../../../packages/gateway/src/vault/sealed-columns.ts'
import { createVault } from '../../../packages/gateway/src/vault/vault.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey } from '../peers/people/administrators.ts'
import { startBaoServer } from '../peers/servers/bao-server.ts'

test('a header of a record stream is a reference: of the organization, of the installation, or told by its words where it cannot be read', async () => {
  await using bao = await startBaoServer()
  await using ofAcme = await startOtlpReceiver({ authorization: 'Bearer of-default' })
  await using ofAll = await startOtlpReceiver({ authorization: 'Bearer of-installation' })
  await bao.ask('POST', 'secret/data/toolway/default/siem', { data: { token: 'of-default' } })
  await bao.ask('POST', 'secret/data/toolway/_installation/siem', { data: { token: 'of-installation' } })
  await using gateway = await openGateway({
    settings: { TOOLWAY_SECRET_VAULT: `${bao.address}/secret/toolway/{organization}`, VAULT_TOKEN: bao.rootToken },
  })
  const key = await addKey(gateway, { role: 'platform_admin' })
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const url = `${gateway.address}/api/v1/admin/${path}`
    const response = await fetch(url, {
      method: 'POST',
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, unknown>
  }
  const streamTo = (receiver: { url: string }, reference: string) => ({
    ...{ name: 'siem', private: true, destination: { kind: 'otlp', url: `${receiver.url}/v1/logs` } },
    secrets: { headers: { authorization: `Bearer ${reference}` } },
  })
  const own = await ask('tenants/default/record-streams', streamTo(ofAcme, 'secret://vault/siem#token'))
  expect(await ask(`tenants/default/record-streams/${String(own['id'])}/test`)).toEqual({
    delivered: true,
    problem: null,
  })
  expect(ofAcme.lines.length).toBeGreaterThan(0)

  await ask('record-streams', { ...streamTo(ofAll, 'secret://vault/siem#token'), from: 'start' })
  await expect.poll(() => ofAll.lines.length).toBeGreaterThan(0)

  const before = ofAcme.lines.length
  const gone = await ask('tenants/default/record-streams', streamTo(ofAcme, 'secret://vault/none#token'))
  const { delivered, problem } = await ask(`tenants/default/record-streams/${String(gone['id'])}/test`)
  expect(delivered).toBe(false)
  expect(problem).toMatch(/^its secret cannot be read: secret:\/\/vault\/none#token: /)
  expect(
    ofAcme.lines
      .slice(before)
      .map(({ body }) => body)
      .join(),
  ).not.toContain(String(gone['id']))
  expect(JSON.stringify(gateway.log)).not.toMatch(/of-default|of-installation/)
})

test('a value that changes is used by the next delivery after it was read again, and every secret of every kind may be a reference', async () => {
  const values: Record<string, string> = { siem: 'one' }
  const clock = { now: 0 }
  const references = createSecretReferences({
    sources: { vault: { read: (_, { path }) => Promise.resolve(values[path] ?? '') } },
    ...{ onChange() {}, log: { warn() {} }, now: () => clock.now },
  })
  const asked: string[] = []
  const vault = createVault(Buffer.alloc(32, 6))
  const send = createSendBatch({
    ...{ vault, connectTls, now: Date.now, host: 'gateway-1', fetchFor: (reach) => createGuardedFetch(reach) },
    reveal(owner, text) {
      asked.push(`${owner} ${text}`)
      return references.resolve(owner, text)
    },
  })
  const id = 'str_1' as RecordStreamId
  const deliver = (destination: object, secrets: object) => {
    const sealed = vault.seal(JSON.stringify(secrets), recordStreamSealContext(id))
    const stream = { id, organization_id: 'org_1', destination: StreamDestination.parse(destination), private: true }
    const batch = { id: 'b', streamId: id, organizationId: 'org_1', items: [testItem('org_1', 'rec_1', new Date(0))] }
    return send({ ...stream, sealed_secrets: sealed }, batch, new AbortController().signal)
  }
  await using one = await startOtlpReceiver({ authorization: 'one' })
  await using two = await startOtlpReceiver({ authorization: 'two' })
  const to = ({ url }: { url: string }) =>
    deliver({ kind: 'otlp', url: `${url}/v1/logs` }, { headers: { authorization: 'secret://vault/siem' } })
  expect(await to(one)).toBeUndefined()
  values['siem'] = 'two'
  expect(await to(two)).toMatchObject({ problem: 'it responded with HTTP 401' })
  clock.now = 61_000
  await references.renew()
  expect(await to(two)).toBeUndefined()
  references.close()

  const nowhere = { url: 'http://127.0.0.1:1/', endpoint: 'http://127.0.0.1:1/' }
  const s3 = { kind: 's3', endpoint: nowhere.endpoint, bucket: 'toolway', access_key_id: 'id' }
  await deliver(s3, { secret_access_key: 'secret://vault/s3' })
  await deliver({ kind: 'clickhouse', url: nowhere.url }, { password: 'secret://vault/ch' })
  const syslog = { kind: 'syslog', host: '127.0.0.1', port: 1 }
  await deliver(syslog, { private_key: 'secret://vault/key' })
  await deliver({ kind: 'webhook', url: nowhere.url }, { webhook: 'whsec_own' })
  expect(asked.slice(-3)).toEqual(['org_1 secret://vault/s3', 'org_1 secret://vault/ch', 'org_1 secret://vault/key'])
})
