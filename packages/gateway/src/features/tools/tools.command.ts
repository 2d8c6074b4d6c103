/** `toolway tools` and `toolway call`: what a key can see, and one call of it, through the door that every client uses. */
import { effectOf, statesEffect } from '@toolway/contract'
import { isObject, type Json, type JsonObject, type Notification } from '@toolway/protocol'
import { readInput } from '../../cli/terminal/input.ts'
import { ask, findEndpoint, listTools, type EndpointWords } from '../../cli/mcp-client.ts'
import { CommandFault, EXIT, harmless, table, type Output } from '../../cli/terminal/output.ts'

export async function tools(words: EndpointWords, output: Output): Promise<number> {
  const found = await listTools(await findEndpoint(words, output))
  const rows = found.map((tool) => [String(tool['name']), effectIn(tool), firstLine(tool['description'])])
  const empty = ['No tools yet: `toolway connection list` shows the connections and their state.']
  output.result(found, found.length === 0 ? empty : table(['TOOL', 'EFFECT', 'DESCRIPTION'], rows))
  return EXIT.ok
}

/** The effect of a tool as its annotations state it. Hints are claims of the server, not guarantees. */
const effectIn = ({ annotations }: JsonObject): string =>
  statesEffect(annotations) ? effectOf(annotations) : 'unknown'

const WIDTH = 90
function firstLine(description: Json | undefined): string {
  const [line = ''] = typeof description === 'string' ? description.split('\n') : []
  return line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line
}

export async function call(name: string, text: string, words: EndpointWords, output: Output): Promise<number> {
  const value = readArguments(text === '-' ? await readInput() : text)
  const endpoint = await findEndpoint(words, output)
  const result = await ask(endpoint, 'tools/call', { name, arguments: value }, (notification) =>
    printNotification(notification, output),
  )
  output.result(result, linesOf(result))
  return result['isError'] === true ? EXIT.toolFailed : EXIT.ok
}

function readArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : 'it does not parse'
    throw new CommandFault(
      `The arguments are not valid JSON (${problem}): quote them for the shell, as in '{"zones": ["Asia/Tokyo"]}'.`,
      EXIT.usage,
    )
  }
  throw new CommandFault(`The arguments must be a JSON object, as in '{"zones": ["Asia/Tokyo"]}'.`, EXIT.usage)
}

function printNotification({ method, params = {} }: Notification, output: Output): void {
  if (method === 'notifications/progress') {
    const { progress, total, message } = params
    const share = typeof total === 'number' ? ` of ${total}` : ''
    output.progress(harmless(`${String(progress)}${share} ${typeof message === 'string' ? message : ''}`.trim()))
  }
  if (method === 'notifications/message') output.progress(harmless(JSON.stringify(params['data'] ?? '')))
}

function linesOf(result: JsonObject): string[] {
  const content = Array.isArray(result['content']) ? result['content'] : []
  const lines = content.map((block) => {
    if (!isObject(block)) return JSON.stringify(block)
    if (block['type'] === 'text') return harmless(String(block['text']))
    if (block['type'] === 'resource_link') return harmless(`[link] ${String(block['uri'])}`)
    return `[${String(block['type'])}${typeof block['mimeType'] === 'string' ? `, ${block['mimeType']}` : ''}; --json shows it]`
  })
  return lines.length > 0 ? lines : [JSON.stringify(result['structuredContent'] ?? result, null, 2)]
}
