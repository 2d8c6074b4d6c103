/**
 * Tries the tools of a native connector that read, with an account at the real vendor: through the gateway's own client of vendors, with
 * its guards, and without keeping anything. It prints what each answered and which members of its output were never filled.
 *
 * TOOLWAY_LIVE_TOKEN=… npm run connectors:live -- github owner=octocat repo=hello-world
 */
import { CONNECTORS, definitionOf, type Json, type Tool } from '../../packages/connectors/src/index.ts'
import { loadedOf } from '../../packages/gateway/src/upstreams/native/loaded-vendor.ts'
import { createNativeUpstream } from '../../packages/gateway/src/upstreams/native/native-upstream.ts'
import type { Answer, Ask } from '../../packages/gateway/src/upstreams/upstream.ts'
import { MODERN, type JsonObject } from '../../packages/protocol/src/index.ts'

export interface Live {
  readonly id: string
  /** A token or a key of the vendor. */
  readonly token: string
  /** Inputs by name, for all tools that take them. */
  readonly values: Readonly<Record<string, string>>
  /** A server of the vendor's kind, in place of the vendor's own. */
  readonly url?: string
}

export interface LiveLine {
  readonly tool: string
  readonly state: 'read' | 'failed' | 'skipped'
  readonly says: string
}

/** Throws where there is no such connector, and where the vendor refuses the token. */
export async function tryLive({ id, token, values, url }: Live, tell: (line: LiveLine) => void): Promise<LiveLine[]> {
  const known = CONNECTORS[id]
  if (known === undefined)
    throw new Error(`There is no connector ${id}; take one of ${Object.keys(CONNECTORS).join(', ')}.`)
  const vendor = await known.load()
  const wire = {
    ...{ url: url ?? known.address, own: known.address, private: url !== undefined, headers: {} },
    ...{
      title: known.title,
      load: () => Promise.resolve(loadedOf(vendor)),
      key: { header: 'authorization', prefix: 'Bearer ' },
    },
  }
  const reach = { connectionId: 'live', alias: id, timeout: 60, revision: undefined, pinned: false, wire }
  const upstream = createNativeUpstream({ reach, onStateChange: () => undefined })
  const caller: Ask['caller'] = { revision: MODERN, capabilities: {}, client: undefined, logLevel: undefined }
  const nobody = { session: undefined, owner: 'live', headerParameters: [], onNotification: () => undefined, caller }
  const ask = (method: string, params: JsonObject) =>
    upstream.ask({
      ...{ method, params, ...nobody, credential: { id: 'live', headers: { authorization: `Bearer ${token}` } } },
      ...{ signal: AbortSignal.timeout(60_000), onQuestion: () => Promise.reject(new Error('nobody is here')) },
    })
  const lines: LiveLine[] = []
  try {
    await ask('ping', {})
    for (const [name, tool] of vendor.tools) {
      if (tool.effect !== 'read') continue
      const line = await tryTool({ ask, name, tool, values })
      lines.push(line)
      tell(line)
    }
  } finally {
    await upstream.close()
  }
  return lines
}

interface Trying {
  ask(method: string, params: JsonObject): Promise<Answer>
  readonly name: string
  readonly tool: Tool
  readonly values: Live['values']
}

async function tryTool({ ask, name, tool, values }: Trying): Promise<LiveLine> {
  const { properties = {}, required = [] } = definitionOf(name, tool)['inputSchema'] as {
    properties?: Readonly<Record<string, { type?: string }>>
    required?: readonly string[]
  }
  const missing = required.filter((input) => !Object.hasOwn(values, input))
  if (missing.length > 0)
    return { tool: name, state: 'skipped', says: `needs ${missing.map((input) => `${input}=…`).join(' ')}` }
  const given = Object.fromEntries(
    Object.entries(properties).flatMap(([input, { type }]) => {
      const value = values[input]
      if (value === undefined) return []
      return [[input, type === 'integer' || type === 'number' ? Number(value) : value]]
    }),
  )
  try {
    const answer = await ask('tools/call', { name, arguments: given })
    if ('error' in answer) return { tool: name, state: 'failed', says: answer.error.message }
    const output = answer.result['structuredContent'] as Json
    return { tool: name, state: 'read', says: readingOf(tool, output) }
  } catch (thrown) {
    return { tool: name, state: 'failed', says: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

/** How much came, and the members of the output that nothing filled. */
function readingOf(tool: Tool, output: Json): string {
  const items = Array.isArray(output['items']) ? (output['items'] as readonly Json[]) : undefined
  const bytes = `${JSON.stringify(output).length} bytes`
  if (items?.length === 0) return `no items, ${bytes}`
  const filled = new Set((items ?? [output]).flatMap((one) => Object.keys(one)))
  const never = membersOf(tool, items !== undefined).filter((member) => !filled.has(member))
  const count = items === undefined ? '' : `${items.length} items, `
  return `${count}${bytes}${never.length === 0 ? '' : `; never filled: ${never.join(', ')}`}`
}

function membersOf(tool: Tool, isList: boolean): readonly string[] {
  const schema = definitionOf('x', tool)['outputSchema'] as { properties?: Json }
  const whole = schema.properties ?? {}
  if (!isList) return Object.keys(whole)
  const list = whole['items'] as { items?: { properties?: Json } } | undefined
  return Object.keys(list?.items?.properties ?? {})
}

if (process.argv[1] === import.meta.filename) {
  const [id, ...pairs] = process.argv.slice(2)
  const token = process.env['TOOLWAY_LIVE_TOKEN']
  const values = Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
  const url = process.env['TOOLWAY_LIVE_URL']
  try {
    if (id === undefined || token === undefined || token === '')
      throw new Error(
        'Say which: TOOLWAY_LIVE_TOKEN=… npm run connectors:live -- github owner=octocat repo=hello-world',
      )
    const lines = await tryLive({ id, token, values, ...(url === undefined ? {} : { url }) }, ({ tool, state, says }) =>
      process.stdout.write(`${state.padEnd(8)} ${tool.padEnd(40)} ${says.replaceAll(token, '•••')}\n`),
    )
    const count = (state: LiveLine['state']) => lines.filter((line) => line.state === state).length
    process.stdout.write(`${count('read')} read, ${count('failed')} failed, ${count('skipped')} skipped\n`)
    if (count('failed') > 0) process.exitCode = 1
  } catch (thrown) {
    process.stderr.write(
      `${(thrown instanceof Error ? thrown.message : String(thrown)).replaceAll(token || '\0', '•••')}\n`,
    )
    process.exitCode = 1
  }
}
