/** The log of a gateway in a process of its own, in the format of SageMCP. */
// @module-tag long
import { expect, test } from 'vitest'
import { makeInstallation } from '../../cli/installation.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { until } from '../peers/until.ts'

const KEY = `uru_${'ab'.repeat(32)}`

test('S3-OBS-06: the log is JSON with timestamp, level, message, tenant_slug, connector_id, request_id and duration_ms', async () => {
  await using here = await makeInstallation()
  const settings = { TOOLWAY_LOG_FORMAT: 'sagemcp', TOOLWAY_BOOTSTRAP_KEY: KEY, LOG_LEVEL: 'info' }
  const gateway = await here.start(settings)
  const url = `${gateway.address}/api/v1/default/connectors/demo/mcp`
  await callTool({ url, key: KEY, era: 'modern' }, 'world_clock', {}, {})
  const parsed = () =>
    gateway
      .err()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const call = await until('the line of the call', () =>
    Promise.resolve(parsed().find((one) => one['message'] === 'call')),
  )
  expect(call).toMatchObject({
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    level: 'info',
    tenant_slug: 'default',
    connector_id: 'demo',
    request_id: expect.any(String) as string,
    duration_ms: expect.any(Number) as number,
  })
  const FIELDS = ['timestamp', 'level', 'message', 'tenant_slug', 'connector_id', 'request_id', 'duration_ms']
  for (const line of parsed()) expect(Object.keys(line).slice(0, 7)).toEqual(FIELDS)
})
