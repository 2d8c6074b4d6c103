/** Composio, whose toolkits are tools. The project's API key is the header `x-api-key`; users connect their accounts there. */
import { Fault } from '@toolway/contract'
import { createComposioUpstream } from '../../upstreams/composio/composio-upstream.ts'
import { reachAt } from '../addresses.ts'
import { backendKind, type BackendWire } from '../backend.ts'

export type ComposioWire = BackendWire<'composio'>

export const composio = backendKind({
  connector: 'composio',
  check({ headers, words }) {
    const refuse = (pointer: string, problem: string) => {
      throw new Fault('params.shape', { place: pointer, problem })
    }
    const key = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-api-key')?.[1]
    if (key === undefined || key === '')
      refuse('/headers/x-api-key', 'is missing: it is the API key of your Composio project (COMPOSIO_API_KEY)')
    if (words.way === 'mcp' && words.server === undefined)
      refuse('/composio/server', 'is missing: the ID of the MCP server at Composio')
    if (words.way !== 'mcp' && (words.toolkits ?? []).length === 0)
      refuse('/composio/toolkits', 'is missing: the toolkits whose tools are offered, such as ["gmail"]')
  },
  upstream(opening, target, context) {
    const { reach, settings } = opening
    const { way, toolkits, server, users, default_user: defaultUser } = settings
    const { webhookSecret, headers } = withoutSecret(target.headers)
    // Only this way goes there.
    const servers = reachAt(opening, 'servers_at', way === 'mcp' ? headers : {}) ?? target
    const terms = { way, toolkits, server, servers, users, defaultUser, listedFor: settings.listed_for * 1000 }
    return createComposioUpstream({
      ...context,
      reach: { ...reach, wire: { ...target, headers, ...terms, webhookSecret } },
    })
  },
})

/** By which Composio signs its events to us; it is kept with the headers, and never sent. */
const SECRET = 'webhook-secret'

function withoutSecret(headers: Readonly<Record<string, string>>) {
  const isSecret = ([name]: readonly [string, string]) => name.toLowerCase() === SECRET
  const all = Object.entries(headers)
  return { webhookSecret: all.find(isSecret)?.[1], headers: Object.fromEntries(all.filter((item) => !isSecret(item))) }
}
