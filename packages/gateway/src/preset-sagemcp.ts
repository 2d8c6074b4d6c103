/**
 * The preset `sagemcp` (source system S3): a platform of tenants, whose administrators add connectors. Clients come to each connector at
 * `/api/v1/{tenant}/connectors/{connector}/mcp`; the toolset `all` has the tools of all of them under the same names.
 *
 * The source system's own variables are other names of settings (`SAGEMCP_ENABLE_…`, `SECRET_KEY`, `MCP_ALLOWED_ORIGINS` and so on), and
 * the OAuth clients of vendors have the same names here.
 */
import type { Preset } from './preset.ts'

export const sagemcp: Preset = {
  about: 'is a platform of tenants with native connectors, on the ports and with the limits of SageMCP',
  settings: {
    // The port of the source system's backend, which clients of connectors know.
    TOOLWAY_PORT: '8000',
    TOOLWAY_DEMO: 'off',
    // There are metrics only where SAGEMCP_ENABLE_METRICS says so.
    TOOLWAY_METRICS: 'off',
    TOOLWAY_METRICS_NAMES: 'sagemcp',
    TOOLWAY_LIMIT_ORGANIZATION: '100',
    TOOLWAY_SESSIONS_PER_PRINCIPAL: '10',
    TOOLWAY_ACCESS_TOKEN_MINUTES: '30',
    TOOLWAY_REFRESH_TOKEN_DAYS: '7',
  },
  // The frontend, and the backend behind it, which also has the MCP endpoints.
  ports: { web: '3001', api: '8000', mcp: '8000' },
  organization: () => ({ toolsets: { all: { title: 'All connectors', include: ['*'], naming: 'plain' } } }),
  organizationSettings: { requests_per_minute: 100 },
}
