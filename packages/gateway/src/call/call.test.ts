import type { ConnectionId, Rule } from '@toolway/contract'
import { MODERN, type McpRequest } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { createToolListing } from '../catalog/create-tool-listing.ts'
import type { Offered } from '../catalog/tool-listing.ts'
import { OPERATOR } from '../identity/principal.ts'
import { createPolicy } from '../policy/compile.ts'
import { createTestAuditLog } from '../testing/audit-log.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { startEverythingServer } from '../../../../test/conformance/everything-server.ts'
import { call } from './call.ts'
import type { CallParts } from './call-parts.ts'
import type { ClientChannel } from '../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'

describe('a tool call', () => {
  test('reaches the upstream and comes back', async () => {
    await using upstream = await startEverythingServer()
    await using gateway = await startTestGateway({
      connections: [{ alias: 'everything', wire: { kind: 'http', url: upstream.url, headers: {} } }],
    })
    const { status, tools } = await gateway.settled('everything')
    expect({ status, some: tools > 10 }).toEqual({ status: 'connected', some: true })
  })
})

test('a tool that a rule hides from a caller is not there for it, also where its reach or a lock would refuse it', async () => {
  const hides: Rule<'hide'> = {
    ...{ id: 'rul_1', name: 'r', scope: 'organization', of: undefined, reason: 'r', state: 'on' },
    ...{ action: 'hide', parameters: {}, match: { tools: ['*'], when: 'principal.role != "tenant_admin"' } },
  }
  const offered: Offered = {
    ...{ connectionId: 'con_1' as ConnectionId, alias: 'a', revision: MODERN, server: {}, capabilities: {} },
    ...{ instructions: undefined, resources: [], templates: [], prompts: [] },
    tools: [{ name: 'wipe', inputSchema: { type: 'object' } }],
  }
  const policy = createPolicy([hides])
  const codeFor = (role: string, limit: 'read' | 'execute', held: boolean) => {
    const toolListing = createToolListing([offered], false, undefined, {
      tool: () => (held ? { action: 'hold', effect: 'destructive' } : undefined),
      any: () => true,
      policy: (tool, schema) => policy.of(tool, { organization: 'acme', toolset: 'default' }, schema),
    })
    const who = () => ({
      ...{ id: 'u', kind: 'user', email: '', groups: [], key: '', keyId: '', client: '', clientRegistered: false },
      role,
    })
    const requestContext = {
      toolListing,
      who,
      principal: { ...OPERATOR, limit },
      organization: 'acme',
      toolset: 'default',
    }
    const asked = { id: 1, method: 'tools/call', params: { name: 'wipe' }, caller: { revision: MODERN } }
    const answer = call(
      {
        requestContext: requestContext as unknown as RequestContext,
        mcpRequest: asked as unknown as McpRequest,
        channel: {} as ClientChannel,
        audit: createTestAuditLog().begin(0),
      },
      {} as CallParts,
    )
    return answer.then(
      (said) => JSON.stringify(said).match(/"fault":"([^"]+)"/)?.[1],
      (thrown: { code: string }) => thrown.code,
    )
  }
  expect(await codeFor('tenant_member', 'read', false)).toBe('tool.unknown')
  expect(await codeFor('tenant_member', 'execute', true)).toBe('tool.unknown')
  expect(await codeFor('tenant_admin', 'read', false)).toBe('scope.insufficient')
  expect(await codeFor('tenant_admin', 'execute', true)).toBe('tool.held')
})
