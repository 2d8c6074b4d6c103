/**
 * The preset `nebo` (source system S2): the integrations of one agent. Servers are added under `/api/v1/integrations` or in the
 * console, the agent sees their tools as `mcp__{server}__{tool}`, and calls that may change something wait for an approval.
 *
 * `MCP_ENCRYPTION_KEY` and `JWT_SECRET` are settings of the same names; like the source system, a start keeps the key in the keychain of
 * the operating system where there is one.
 */
import type { Preset } from './preset.ts'

export const nebo: Preset = {
  about: 'has the integrations of one agent, whose tools that write wait for an approval',
  settings: {
    TOOLWAY_DEMO: 'off',
    TOOLWAY_APPROVALS: 'ask-writes',
    TOOLWAY_KEYCHAIN: 'on',
  },
  organization: () => ({ toolsets: { agent: { title: 'Agent', include: ['*'], naming: 'mcp' } } }),
  organizationSettings: { approvals: 'ask-writes' },
}
