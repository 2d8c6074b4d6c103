/**
 * The roles of a gateway process (ledger S0-ARC-01): which addresses it answers. A process has all of them unless `TOOLWAY_ROLES`
 * names some; the health addresses and `/metrics` belong to every role, and whatever belongs to another role is not found.
 *
 * - `web`: the console and the pages on which people sign in
 * - `api`: administration, the authorization server, the pages and callbacks that connect accounts, approvals, events
 * - `mcp`: the MCP endpoints in every transport, and the addresses of tools for clients that speak no MCP
 */
export const PROCESS_ROLES = ['web', 'api', 'mcp'] as const
export type ProcessRole = (typeof PROCESS_ROLES)[number]
