/** The link from the record of a call to its trace in the tracing system of the installation (TOOLWAY_TRACE_URL). */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { callTool } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const Page = z.object({ items: z.array(z.object({ details: z.record(z.string(), z.unknown()) })) })

test.each([
  [
    { TOOLWAY_TRACE_URL: 'https://traces.example.com/trace/{trace_id}?view=spans' },
    `https://traces.example.com/trace/${TRACE}?view=spans`,
  ],
  [{}, undefined],
] as const)('with %j, a record links to its trace: %s', async (settings, link) => {
  await using probe = await startProbe({ era: 'modern' })
  await using gateway = await openGateway({ connections: [{ alias: 'probe', wire: httpWire(probe.url) }], settings })
  const peer = { url: gateway.connectionUrl('probe'), key: gateway.key, era: 'modern' as const }
  await callTool(peer, 'echo', { text: 'x' }, { headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` } })
  const admin = createAsk(
    gateway,
    await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }),
  )
  const details = await until('the record of the call', async () => {
    const { body } = await admin('GET /api/v1/admin/tenants/default/audit?action=tools/call')
    return Page.parse(body).items[0]?.details
  })
  expect([details['trace_id'], details['trace_url']]).toEqual([TRACE, link])
})
