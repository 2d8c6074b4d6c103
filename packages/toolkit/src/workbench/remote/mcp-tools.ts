/**
 * Composio's tools behind an MCP endpoint: a gateway, where rules and records apply, or the address of a session of Composio's own. A
 * gateway may show them with the alias of their connection before the name, or behind its own tools that find and call others.
 */
import type { JsonObject } from '@toolway/protocol'
import { RemoteFailure } from '../remote-failure.ts'
import { Shared } from '../shared.ts'
import type { Doing } from '../workbench.ts'
import type { McpClient } from './mcp-client.ts'
import { dataOf } from './normal-form.ts'
import type { RemoteTools } from './remote-tools.ts'

const KILOBYTE = 1024

export interface McpToolsParts {
  readonly client: McpClient
  /** Of the connection to Composio at the gateway. */
  readonly alias: string
}

interface Found {
  readonly name: string
  /** The arguments of the tool that is called in its place. */
  readonly given: (value: JsonObject) => JsonObject
}

export class McpTools implements RemoteTools {
  readonly parts = { write: 512 * KILOBYTE, read: 512 * KILOBYTE }
  readonly #parts: McpToolsParts
  readonly #names = new Shared<ReadonlySet<string>>()

  constructor(parts: McpToolsParts) {
    this.#parts = parts
  }

  openSession(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  async forgetSession(): Promise<void> {}

  async call(
    slug: string,
    input: Readonly<Record<string, unknown>>,
    { signal, onProgress }: Parameters<RemoteTools['call']>[2],
  ): Promise<unknown> {
    const found = await this.#find(slug, { signal })
    const result = await this.#parts.client.callTool(found.name, found.given(input as JsonObject), {
      signal,
      ...(onProgress === undefined ? {} : { onProgress }),
    })
    return dataIn(result, slug)
  }

  async #find(slug: string, doing: Doing): Promise<Found> {
    const { client, alias } = this.#parts
    const names = await this.#names.get(doing.signal, (signal) => client.toolNames({ signal }))
    const own = `${alias}__${slug}`
    const name =
      [own, slug].find((value) => names.has(value)) ?? [...names].find((value) => value.endsWith(`__${slug}`))
    if (name !== undefined) return { name, given: (value) => value }
    if (names.has('call_tool')) return { name: 'call_tool', given: (value) => ({ name: own, arguments: value }) }
    const pair = `${alias}__execute_tool`
    if (names.has(pair)) return { name: pair, given: (value) => ({ tool: slug, arguments: value }) }
    // It may be connected until the next call.
    this.#names.drop(names)
    throw new RemoteFailure(
      `${client.name} offers no tool ${slug}: connect Composio there with the alias ${alias}, or specify its alias in TOOLWAY_COMPOSIO.`,
    )
  }
}

/** Composio's answer stands in the structured content, or as JSON in the only text. */
function dataIn(result: JsonObject, slug: string): unknown {
  const { structuredContent, content, isError } = result
  const texts = (Array.isArray(content) ? content : []).flatMap((block) =>
    typeof block === 'object' && block !== null && 'text' in block && typeof block['text'] === 'string'
      ? [block['text']]
      : [],
  )
  const text = texts.join('\n')
  const value = structuredContent ?? jsonIn(text) ?? text
  if (isError !== true) return dataOf(value, slug)
  dataOf(value, slug)
  throw new RemoteFailure(text === '' ? `${slug} failed and did not say why.` : text, { details: { data: value } })
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
