/** n8n, whose tagged workflows are tools. The key of its API is the header `X-N8N-API-KEY`; other headers go to its webhooks. */
import { createN8nUpstream } from '../../upstreams/n8n/n8n-upstream.ts'
import { reachAt } from '../addresses.ts'
import { backendKind, type BackendWire } from '../backend.ts'

export type N8nWire = BackendWire<'n8n'>

export const n8n = backendKind({
  connector: 'n8n',
  upstream(opening, target, context) {
    const { reach, settings } = opening
    const { tag, listed_for: seconds } = settings
    const { api, hooks } = headersOf(target.headers)
    const webhooks = reachAt(opening, 'webhooks', hooks) ?? { ...target, headers: hooks }
    const wire = { ...target, headers: api, tag, webhooks, listedFor: seconds * 1000 }
    return createN8nUpstream({ ...context, reach: { ...reach, wire } })
  },
})

const API_KEY = 'x-n8n-api-key'

/** The key of the API is no webhook's affair, and what lets one into a webhook is not the API's. */
function headersOf({ [API_KEY]: key, ...hooks }: Readonly<Record<string, string>>) {
  return { api: key === undefined ? {} : { [API_KEY]: key }, hooks }
}
