/** n8n, whose tagged workflows are tools. The key of its API is the header `X-N8N-API-KEY`; other headers go to its webhooks. */
import { n8nWordsOf, type N8nWords } from '@toolway/contract'
import { createN8nUpstream } from '../../upstreams/n8n/n8n-upstream.ts'
import { backendKind, type BackendWire } from '../backend.ts'

export type N8nWire = BackendWire<'n8n', N8nWords>

export const n8n = backendKind({
  connector: 'n8n',
  wordsOf: n8nWordsOf,
  upstream({ reach, settings }, target, making) {
    const { tag, webhooks, listed_for: seconds } = settings
    return createN8nUpstream({
      ...making,
      reach: { ...reach, wire: { ...target, tag, webhooks, listedFor: seconds * 1000 } },
    })
  },
})
