/**
 * The answers of a server of the zoo, without a transport: it lists what it is given as it is, malformed or not, and answers each call
 * with the result of that name. A row is raw JSON, so that nothing of ours tidies it up on the way.
 */
import type { Json, JsonObject } from '../../packages/protocol/src/json.ts'
import type { Era } from './rows/row.ts'

export interface Shown {
  readonly era: Era
  readonly tools?: readonly Json[]
  readonly resources?: readonly Json[]
  readonly templates?: readonly Json[]
  readonly prompts?: readonly Json[]
  /** The result of a call, as JSON text or as a value; without it the call is told back as text. */
  result?(name: string, body: string): string | JsonObject | undefined
  /** The whole message in answer to a call, in place of a result. */
  message?(request: { readonly id: string | number }): unknown
}

interface Asked {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly protocolVersion?: string; readonly name?: string; readonly uri?: string }
}

/** The text that answers a message; undefined where it wants no answer. */
export function answerTo(shown: Shown, body: string): string | undefined {
  const { id, method = '', params = {} } = JSON.parse(body) as Asked
  if (id === undefined || method === '') return undefined
  if (method === 'tools/call' && shown.message !== undefined) return JSON.stringify(shown.message({ id }))
  const result = resultOf(shown, method, params, body)
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  const answered = text === undefined ? '"error":{"code":-32601,"message":"no such method"}' : `"result":${text}`
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answered}}`
}

function resultOf(
  { era, tools, resources, templates, prompts, result }: Shown,
  method: string,
  { protocolVersion, name = '', uri = '' }: NonNullable<Asked['params']>,
  body: string,
): string | JsonObject | undefined {
  const capabilities: JsonObject = {
    ...(tools === undefined ? {} : { tools: {} }),
    ...(resources === undefined && templates === undefined ? {} : { resources: {} }),
    ...(prompts === undefined ? {} : { prompts: {} }),
  }
  const serverInfo = { name: 'zoo', version: '1' }
  switch (method) {
    case 'server/discover':
      return era === 'modern'
        ? { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities, serverInfo }
        : undefined
    case 'initialize':
      return era === 'legacy'
        ? { protocolVersion: protocolVersion ?? '2025-11-25', capabilities, serverInfo }
        : undefined
    case 'tools/list':
      return tools && { tools: [...tools] }
    case 'resources/list':
      return (resources ?? templates) && { resources: [...(resources ?? [])] }
    case 'resources/templates/list':
      return (resources ?? templates) && { resourceTemplates: [...(templates ?? [])] }
    case 'prompts/list':
      return prompts && { prompts: [...prompts] }
    case 'ping':
      return {}
    default:
      return result?.(name === '' ? uri : name, body) ?? { content: [{ type: 'text', text: body }] }
  }
}
