import type { ConnectionId, OrganizationId, Rule } from '@toolway/contract'
import { MODERN, type McpRequest, type Notification } from '@toolway/protocol'
import { expect, test } from 'vitest'
import { createChanges } from '../../catalog/changes.ts'
import { createToolListing } from '../../catalog/create-tool-listing.ts'
import type { Offered } from '../../catalog/tool-listing.ts'
import { OPERATOR } from '../../identity/principal.ts'
import { createPolicy } from '../../policy/compile.ts'
import type { Hearing } from '../../upstreams/upstream.ts'
import type { CallParts } from '../call-parts.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { createListeners } from './listeners.ts'
import { listen } from './listen.ts'

const offered: Offered = {
  connectionId: 'con_1' as ConnectionId,
  alias: 'shop',
  revision: MODERN,
  server: {},
  capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
  instructions: undefined,
  tools: [{ name: 'orders', inputSchema: { type: 'object' } }],
  resources: [],
  templates: [],
  prompts: [],
}
const redacts: Rule<'size'> = {
  ...{
    id: 'rul_1',
    name: 'r',
    scope: 'organization',
    of: undefined,
    match: { tools: ['*'] },
    reason: 'r',
    state: 'on',
  },
  ...{ action: 'size', parameters: { result: { redact: ['email'] } } },
}

test('a task that is told of with its result is told within the budget of results', async () => {
  const policy = createPolicy([redacts])
  const toolListing = createToolListing([offered], false, undefined, {
    tool: () => undefined,
    any: () => true,
    policy: (tool, schema) => policy.of(tool, { organization: 'acme', toolset: 'default' }, schema),
  })
  const hearings: Hearing[] = []
  const upstream = () => ({
    listen: (hearing: Hearing) => Promise.resolve({ uris: [], tasks: (hearings.push(hearing), hearing.tasks) }),
  })
  const requestContext = {
    toolListing,
    upstream,
    now: () => ({ toolListing, upstream }),
    sees: () => true,
    organizationId: 'org_1' as OrganizationId,
    principal: OPERATOR,
    owner: 'o',
  } as unknown as RequestContext
  const heard: Notification[] = []
  const leaving = new AbortController()
  const channel = { signal: leaving.signal, notify: (one: Notification) => heard.push(one) } as unknown as ClientChannel
  const caller = { revision: MODERN, capabilities: {} }
  const asked = { id: 1, method: 'subscriptions/listen', params: { notifications: { taskIds: ['mine'] } }, caller }
  const over = listen(requestContext, asked as unknown as McpRequest, channel, {
    changes: createChanges(),
    listeners: createListeners(),
    credentials: undefined,
    results: undefined,
    resultLimit: 1_000_000,
    fileFrom: 5_242_880,
    tasks: { release: () => ({ place: offered, taskId: 't1' }) } as unknown as CallParts['tasks'],
  })
  await expect.poll(() => hearings.length).toBe(1)
  const told = { jsonrpc: '2.0', method: 'notifications/tasks' } as const
  const structuredContent = { email: 'ada@example.com' }
  const result = { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  hearings[0]?.onNotification({ ...told, params: { taskId: 't1', status: 'completed', result } })
  hearings[0]?.onNotification({ ...told, params: { taskId: 't1', status: 'late' } })
  await expect.poll(() => heard.length).toBe(3)
  expect(heard.map(({ params }) => params?.['status'])).toEqual([undefined, 'completed', 'late'])
  expect(heard[1]?.params).toMatchObject({ taskId: 'mine', result: { structuredContent: { email: '[redacted]' } } })
  expect(JSON.stringify(heard)).not.toContain('ada@')
  leaving.abort()
  await over
})
