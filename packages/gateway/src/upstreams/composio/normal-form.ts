/**
 * The results of Composio in one form, `{data, successful, error, log_id}` (ledger S0-CMP-06), and as results of tools.
 *
 * Its REST interface answers so; a session's calls have no `successful`, older servers say `success`, and an MCP server has it as text.
 */
import { aroundDigits, isObject, withDigits, type Json, type JsonObject } from '@toolway/protocol'

export interface NormalForm {
  readonly data: Json
  readonly successful: boolean
  readonly error: string | null
  readonly log_id: string | null
}

/** Members of the form, by which it is told from what a tool returns by itself. */
const MEMBERS = ['data', 'successful', 'success', 'successfull', 'error', 'log_id', 'logId']

/** Undefined for what is in none of its spellings. */
export function normalFormOf(value: Json | undefined): NormalForm | undefined {
  if (!isObject(value) || !MEMBERS.some((name) => Object.hasOwn(value, name))) return undefined
  if (!('data' in value) && !('error' in value)) return undefined
  const error = errorIn(value['error'])
  const flag = value['successful'] ?? value['successfull'] ?? value['success']
  const logId = value['log_id'] ?? value['logId']
  return {
    data: value['data'] ?? null,
    successful: typeof flag === 'boolean' ? flag : error === null,
    error,
    log_id: typeof logId === 'string' ? logId : null,
  }
}

/** An error is a text, an object with a message, or nothing: null, false and an empty text. */
function errorIn(error: Json | undefined): string | null {
  if (error === undefined || error === null || error === false || error === '') return null
  if (typeof error === 'string') return error
  const message = isObject(error) ? error['message'] : undefined
  return typeof message === 'string' ? message : JSON.stringify(error)
}

/** An unsuccessful one is an error of the tool that keeps its error and log id (ledger S0-CMP-11, S4-CMP-08). */
export function resultOf(form: NormalForm): JsonObject {
  const { data, successful, error } = form
  const text = successful ? textOf(data) : `${error ?? 'The tool failed and Composio did not say why.'}${more(data)}`
  return {
    content: [{ type: 'text', text }],
    structuredContent: aroundDigits({ ...form }),
    ...(successful ? {} : { isError: true }),
  }
}

const textOf = (data: Json): string => (typeof data === 'string' ? data : JSON.stringify(withDigits(data)))
const more = (data: Json): string =>
  data === null || (isObject(data) && Object.keys(data).length === 0) ? '' : `\n${textOf(data)}`

/** The result of an MCP server of Composio. What is not in the form stays as it is. */
export function normalResult(result: JsonObject): JsonObject {
  const form = normalFormOf(result['structuredContent']) ?? normalFormOf(valueIn(result['content']))
  if (form === undefined) return result
  const isError = result['isError'] === true
  return resultOf(isError ? { ...form, successful: false } : form)
}

function valueIn(content: Json | undefined): Json | undefined {
  const [only, ...others] = Array.isArray(content) ? content : []
  if (others.length > 0 || !isObject(only) || typeof only['text'] !== 'string') return undefined
  try {
    return JSON.parse(only['text']) as Json
  } catch {
    return undefined
  }
}
