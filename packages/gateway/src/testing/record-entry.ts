/** A record for a test: a call that went well, but for what the test says. */
import { newId, type OrganizationId } from '@toolway/contract'
import type { Entry } from '../records/records.ts'

export const testEntry = (more: Partial<Entry> = {}): Entry => ({
  id: newId('rec'),
  timestamp: '2026-11-20T10:00:00.123Z',
  kind: 'call',
  org_id: 'org_1' as OrganizationId,
  organization: 'acme',
  principal: 'key_1',
  key_id: undefined,
  toolset: 'default',
  connection: 'web',
  method: 'tools/call',
  tool_name: 'web__read',
  era_client: '2025-11-25',
  era_upstream: '2026-07-28',
  client: 'c',
  bytes_in: 0,
  bytes_out: 12,
  duration_ms: 1.234,
  outcome: 'ok',
  code: undefined,
  decision: 'allow',
  request_id: 'r-1',
  actor_type: 'api_key',
  resource_type: undefined,
  resource_id: undefined,
  ip_address: undefined,
  user_agent: undefined,
  detail: undefined,
  ...more,
})
