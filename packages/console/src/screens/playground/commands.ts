/**
 * A call as one makes it elsewhere: by curl and by the command line, at the ordinary endpoint, with a key that the shell knows.
 * And how much of a call its address may hold: nothing that looks like a secret, nothing long.
 */
import { publicAddress, type Endpoint } from '../../parts/call/endpoint.ts'
import { headerParameters, headersFor, MODERN, type JsonObject as Params } from '@toolway/protocol'
import { isObject, type Json, type JsonObject } from '../../parts/call/mcp/wire.ts'

export interface Call {
  readonly endpoint: Endpoint
  readonly tool: string
  readonly arguments: JsonObject
  readonly schema?: JsonObject | undefined
}

export function curlOf({ endpoint, tool, arguments: input, schema }: Call, origin: string): string {
  const params = { name: tool, arguments: input }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headersFor('tools/call', params as Params, headerParameters(schema as Params | undefined) ?? []),
  }
  return [
    `curl -sS ${quoted(origin + publicAddress(endpoint))}`,
    '-H "Authorization: Bearer $TOOLWAY_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

/** The key is taken from the variable TOOLWAY_KEY by the command itself. */
export const commandOf = ({ endpoint, tool, arguments: value }: Call, origin: string): string =>
  `npx toolway call ${quoted(tool)} ${quoted(JSON.stringify(value))} --url ${quoted(origin + publicAddress(endpoint))}`

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const LONGEST = 1_000
const SECRET_NAME = /pass(word|phrase|wd)?$|secret|token|api_?key|credential|private|authorization/i
/** The form of generated secrets: many characters of several kinds without a space. */
const SECRET_VALUE = /^(?=[^\s]*\d)(?=[^\s]*[a-z])[\w.+/=-]{32,}$/i

/** The arguments as text for the address, where that may be shared. */
export function shareable(value: JsonObject, schema: JsonObject): string | undefined {
  const text = JSON.stringify(value)
  return text === '{}' || text.length > LONGEST || hasSecret(value, schema) ? undefined : text
}

function hasSecret(value: Json | undefined, schema: unknown): boolean {
  if (isObject(schema) && (schema['format'] === 'password' || schema['writeOnly'] === true)) return value !== undefined
  if (typeof value === 'string') return SECRET_VALUE.test(value)
  if (Array.isArray(value))
    return value.some((item: Json) => hasSecret(item, isObject(schema) ? schema['items'] : undefined))
  if (!isObject(value)) return false
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
  return Object.entries(value).some(([name, item]) => SECRET_NAME.test(name) || hasSecret(item, properties[name]))
}

/** Reads the arguments from the address; a value that is not an object is ignored. */
export function readArguments(text: string): JsonObject {
  try {
    const read: unknown = JSON.parse(text)
    return isObject(read) ? read : {}
  } catch {
    return {}
  }
}
