/** The endpoint of one connection, for callers who may see it (the source system's `…/mcp/info`). */
import { z } from 'zod'
import { inOrganization, operation } from '../../admin/operation.ts'

export const Endpoint = z.strictObject({
  tenant_slug: z.string(),
  connector_id: z.string(),
  connector: z.string(),
  title: z.string(),
  enabled: z.boolean(),
  /** Where MCP clients connect, below the address of this gateway. */
  path: z.string(),
  /** The revision that the server supports, as last known. */
  revision: z.string().nullable(),
  server: z.strictObject({ name: z.string(), version: z.string() }).nullable(),
  tools: z.int(),
  resources: z.int(),
  prompts: z.int(),
})

export const findEndpoint = operation({
  id: 'findEndpoint',
  at: 'GET /api/v1/{organization}/connectors/{connection}/mcp/info',
  summary: 'Show what a connection offers at its own endpoint, as last known.',
  needs: inOrganization('connector_read'),
  answer: Endpoint,
})
