/** What a modern request repeats of its body in its head (MCP 2026-07-28, Streamable HTTP). */
import type { Json, JsonObject } from './wire.ts'

export const MODERN = '2026-07-28'

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** @param schema of the tool that is called, whose arguments may have headers of their own */
export function modernHeaders(method: string, params: JsonObject, schema?: JsonObject): Record<string, string> {
  const name = params[NAMED[method] ?? '']
  return {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}),
    ...(method === 'tools/call' && schema !== undefined ? parameterHeaders(schema, params['arguments']) : {}),
  }
}

/** Of properties that say `x-mcp-header`, wherever `properties` lead to them. */
function parameterHeaders(schema: JsonObject, value: Json | undefined): Record<string, string> {
  const { properties } = schema
  if (!isObject(properties) || !isObject(value)) return {}
  return Object.assign(
    {},
    ...Object.entries(properties).map(([name, property]) => {
      const given = value[name]
      if (!isObject(property) || given === undefined || given === null) return {}
      const header = property['x-mcp-header']
      return {
        ...(typeof header === 'string' && !isObject(given) && !Array.isArray(given)
          ? { [`mcp-param-${header.toLowerCase()}`]: encoded(String(given)) }
          : {}),
        ...parameterHeaders(property, given),
      }
    }),
  ) as Record<string, string>
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Visible ASCII as it is; anything else, and what looks like it, in Base64. */
export function encoded(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)) return text
  const bytes = new TextEncoder().encode(text)
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`
}
