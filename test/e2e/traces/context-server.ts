/** The answers of an MCP server whose one tool says which `_meta` it was sent. */

export interface Message {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly _meta?: object }
}

const TOOL = { name: 'context', inputSchema: { type: 'object' } }
const META = { 'io.modelcontextprotocol/serverInfo': { name: 'context', version: '1' } }
const capabilities = { tools: {} }

/** Undefined for what wants no answer. */
export function answerOf(era: string, { id, method, params }: Message): object | undefined {
  if (id === undefined) return undefined
  const result = resultOf(era, method, params)
  if (result === undefined) return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }
  const modern = era === 'modern' ? { resultType: 'complete', _meta: META } : {}
  return { jsonrpc: '2.0', id, result: { ...modern, ...result } }
}

function resultOf(era: string, method: string, params: Message['params']): object | undefined {
  if (method === 'tools/call') return { content: [{ type: 'text', text: JSON.stringify(params?._meta ?? {}) }] }
  if (method === 'tools/list')
    return { tools: [TOOL], ...(era === 'modern' ? { ttlMs: 0, cacheScope: 'private' } : {}) }
  if (era === 'modern')
    return method === 'server/discover' ? { supportedVersions: ['2026-07-28'], capabilities } : undefined
  if (method === 'initialize')
    return { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'context', version: '1' } }
  return method === 'ping' ? {} : undefined
}
