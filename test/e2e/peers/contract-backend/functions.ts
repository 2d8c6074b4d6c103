/** The functions of the contract backend. The same parameters always give the same answer. */
import { COMPOUND_TOOLS, EXCLUDED, SEARCH_TOOLS, type Fields } from './contracts.ts'

/** More than any contract lets be asked for. */
const STOCK = 1_200
const TEXT_OF_ONE = 40_000

export type Outcome = { readonly data: unknown; readonly message?: string } | { readonly error: string }

export function runFunction(name: string, params: Fields): Outcome {
  if (SEARCH_TOOLS.includes(name) || name === 'query_model') {
    const count = Math.min(numberOf(params['limit'], 10), STOCK)
    return { data: Array.from({ length: count }, (_, at) => hit(name, at)), message: `Found ${count} results` }
  }
  if (name === 'get_content') return { data: contentOf(params) }
  if (name === 'get_asset' || name === 'get') {
    const id = String(params['asset_id'] ?? params['item_id'])
    if (id.endsWith('dead')) return { error: `Not found: ${id}` }
    return { data: { id, title: `Asset ${id}`, text: null } }
  }
  if (name === 'llm_summarize' || name === 'llm_generate')
    return {
      data: `${String(params['text'] ?? params['prompt']).slice(0, 40)} in ${numberOf(params['max_tokens'], 1000)} tokens`,
    }
  if (name === 'llm_extract')
    return { data: Object.fromEntries(listOf(params['fields']).map((field) => [field, 'found'])) }
  if (name === 'llm_classify') return { data: { category: listOf(params['categories'])[0], confidence: 0.9 } }
  if (COMPOUND_TOOLS.includes(name)) return { data: { summary: 'done', category: 'other' } }
  if (EXCLUDED.includes(name)) return { data: { done: name } }
  return { data: { echoed: params } }
}

const hit = (name: string, at: number) => ({
  id: `${name}-${at}`,
  title: `Hit ${at} of ${name}`,
  score: Math.round((1 - at / STOCK) * 1000) / 1000,
  summary: null,
})

function contentOf(params: Fields) {
  const most = numberOf(params['max_total_chars'], 100_000)
  const ids = listOf(params['asset_ids']).slice(0, numberOf(params['top_k'], STOCK))
  let left = most
  const documents = ids.map((id) => {
    const text = 'x'.repeat(Math.min(left, TEXT_OF_ONE))
    left -= text.length
    return { id, title: `Asset ${id}`, text, total_chars: TEXT_OF_ONE }
  })
  return { documents, max_total_chars: most }
}

const numberOf = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise)
const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
