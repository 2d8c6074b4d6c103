/**
 * Accounts at servers whose OAuth is of the published SDKs, set up as their own examples do: from the address through sign-in, call and
 * renewal to revocation. The Python ones are installed from PyPI into `node_modules/.cache`, the one of the Go SDK is built there; without
 * Python, Go or what they fetch from, they are skipped.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { bringOAuthServers, buildOAuthServerOfGo } from '../../../tools/counterparts.ts'
import { startGoServer, startPythonServer } from '../peers/authorities/program-servers.ts'
import { startSdkServer, type OAuthPeer } from '../peers/authorities/sdk-server.ts'
import { IS_SHORT } from '../../setup/form.ts'
import { ask } from '../peers/clients/raw-client.ts'
import { createConnectingPerson } from '../peers/people/connecting-person.ts'
import { join } from '../peers/people/people.ts'
import { toolNames } from '../peers/open-gateway.ts'
import { until } from '../peers/until.ts'

// Installed by nobody whose tests leave this file out.
const python = IS_SHORT ? { lacking: 'they are for the long form' } : bringOAuthServers()
if ('lacking' in python && !IS_SHORT) console.warn(`Python's OAuth servers are not tested: ${python.lacking}.`)
const go = IS_SHORT ? { lacking: 'it is for the long form' } : buildOAuthServerOfGo()
if ('lacking' in go && !IS_SHORT) console.warn(`The OAuth server of the Go SDK is not tested: ${go.lacking}.`)
const ofGo = () => {
  if ('lacking' in go) throw new Error(go.lacking)
  return startGoServer(go)
}
const ofPython = (kind: 'sdk' | 'fastmcp') => () => {
  if ('lacking' in python) throw new Error(python.lacking)
  return startPythonServer(kind, python)
}
const isLacking = 'lacking' in python
const SERVERS: [name: string, start: () => Promise<OAuthPeer>, isLacking: boolean, method: string][] = [
  ['the TypeScript SDK', startSdkServer, false, 'client_secret_post'],
  ['the Python SDK', ofPython('sdk'), isLacking, 'client_secret_basic'],
  ['FastMCP', ofPython('fastmcp'), isLacking, 'client_secret_basic'],
  ['the Go SDK', ofGo, 'lacking' in go, 'client_secret_basic'],
]
const App = z.object({ auth_method: z.string() })
const Left = z.object({ id: z.string() })

for (const [name, start, lacking, method] of SERVERS)
  test.skipIf(lacking)(`an account at a server of ${name} is connected, used, renewed and revoked`, async () => {
    await using peer = await start()
    const wire = { kind: 'http', url: peer.url, headers: {}, private: true } as const
    await using gateway = await startTestGateway({ connections: [{ alias: 'docs', title: 'Docs', wire }] })
    const { organization, db } = gateway
    const admin = await join('admin@example.com', { ...gateway, roles: [[organization.id, 'tenant_admin']] })
    await until('the server has said no', async () => (await gateway.settled('docs')).status === 'needs_auth')
    const link = await admin.client('POST /api/v1/admin/tenants/default/connectors/docs/link', {
      owner: 'organization',
    })
    const person = createConnectingPerson(gateway.address, { email: 'admin@example.com' })
    const end = await person.open(link.body.url)
    expect(end.html).toContain('<strong>Docs (docs)</strong> is connected')
    expect((await db.system((sql) => sql(App)`select auth_method from oauth_apps`))[0]?.auth_method).toBe(method)

    await until('the tools are listed', async () => (await toolNames(gateway, gateway.url)).includes('docs__get_time'))
    const call = async () => {
      const { answer } = await ask({ url: gateway.url, key: gateway.key, era: 'modern' }, 'tools/call', {
        name: 'docs__get_time',
        arguments: {},
      })
      return JSON.stringify(answer)
    }
    expect(await call()).toContain('It is ')
    // Each token lives for seconds.
    await until('it is renewed', async () => {
      expect(await call()).toContain('It is ')
      return (await peer.counts()).refreshes > 0
    })
    expect(await call()).toContain('It is ')

    const accounts = await admin.client('GET /api/v1/admin/tenants/default/connectors/docs/accounts')
    const [account] = accounts.body.items
    const removed = await admin.client(`DELETE /api/v1/admin/tenants/default/connectors/docs/accounts/${account.id}`)
    expect([removed.status, JSON.stringify(removed.body)]).toEqual([200, expect.not.stringContaining('not revoked')])
    expect((await peer.counts()).revocations).toBeGreaterThan(0)
    expect(await db.system((sql) => sql(Left)`select id from credentials`)).toEqual([])
    expect(await peer.counts()).toMatchObject({ codes: 1 })
  })
