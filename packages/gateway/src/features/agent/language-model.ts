/** The language model of an agent, by the AI SDK; every request to it goes through the guarded client. */
import { Fault } from '@toolway/contract'
import type { LanguageModel } from 'ai'
import type { AgentModelRow } from './agent-models.rows.ts'
import type { Exceptions } from '../../upstreams/http/exceptions.ts'
import { createGuardedFetch, type GuardedFetch } from '../../upstreams/http/guarded-fetch.ts'

/** Milliseconds for one answer of a model, and bytes of it. */
const LIMITS = { patience: 180_000, mostBytes: 8 * 1024 * 1024 }

export interface LanguageModelParts {
  readonly row: Pick<AgentModelRow, 'provider' | 'url' | 'model'>
  readonly key: string | undefined
  /** Private addresses that the organization may reach. */
  readonly exceptions: Exceptions
}

/** The SDK is loaded by the first run of an agent, so that no start waits for it. */
export async function languageModelOf({ row, key, exceptions }: LanguageModelParts): Promise<LanguageModel> {
  const { provider, url: baseURL, model } = row
  const fetch = fetchBy(createGuardedFetch({ alias: 'agent model', privateOrigins: [], exceptions }, LIMITS))
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ baseURL, apiKey: key ?? '', fetch })(model)
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({ name: 'agent', baseURL, fetch, ...(key === undefined ? {} : { apiKey: key }) })(model)
}

const fetchBy =
  (guarded: GuardedFetch): typeof globalThis.fetch =>
  (input, { method = 'POST', headers, body, signal } = {}) =>
    guarded(input instanceof Request ? input.url : String(input), {
      method,
      headers: new Headers(headers),
      body,
      signal: signal ?? undefined,
    })

/** The fault of a run whose model failed; faults of ours stay as they are. */
export function modelFault(thrown: unknown, key: string | undefined): Fault {
  const inner = thrown instanceof Error && 'lastError' in thrown ? thrown.lastError : thrown
  for (let cause: unknown = inner; cause instanceof Error; cause = cause.cause)
    if (cause instanceof Fault && cause.code !== 'internal') return cause
  const { statusCode, message = '' } = (inner ?? {}) as { statusCode?: number; message?: string }
  const problem = statusCode === undefined ? 'it returned no usable response' : `it responded with HTTP ${statusCode}`
  // A server may repeat what it was sent.
  const text = (key === undefined ? message : message.replaceAll(key, '[key]'))
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300)
    .trim()
  return new Fault('agent.model', { problem: text === '' ? problem : `${problem}: ${text}` })
}
