/**
 * The tools of an agent: `uru-mcp` as a child process with a key of the caller, the same program that outside clients start (ledger
 * S0-ARC-05). Its calls come to the gateway by the proxy's addresses, as those of any client.
 */
import { fileURLToPath } from 'node:url'
import { Fault } from '@toolway/contract'
import { isObject, NEWEST_LEGACY, type Json, type JsonObject } from '@toolway/protocol'
import { ownAsk } from '../../upstreams/gateway-request.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { Upstreams } from '../../upstreams/upstreams.ts'
import { createStdioUpstream } from '../../upstreams/stdio/stdio-upstream.ts'

const PROGRAM = fileURLToPath(new URL('../../../../uru-mcp/bin/uru-mcp.mjs', import.meta.url))
const ALIAS = 'uru-mcp'
/** Seconds for one call: a person may have to be asked first. */
const TIMEOUT_SECONDS = 600

export interface UruChildParts {
  readonly upstreams: Pick<Upstreams, 'openApart'>
  readonly key: string
  /** Where the addresses of the proxy are. */
  readonly proxy: string
  readonly signal: AbortSignal
}

export interface AgentTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export interface Outcome {
  readonly failed: boolean
  readonly text: string
  /** The page of the fault with which the gateway refused the call; never of a text, which a server may have written. */
  readonly link: string | undefined
}

export interface UruChild extends AsyncDisposable {
  readonly tools: readonly AgentTool[]
  /** `meta`: what the call says of itself. */
  call(name: string, value: JsonObject, meta?: JsonObject): Promise<Outcome>
}

/** Throws `upstream.*`. */
export async function startUruChild({ upstreams, key, proxy, signal }: UruChildParts): Promise<UruChild> {
  const upstream = upstreams.openApart(ALIAS, (context) =>
    createStdioUpstream({
      ...context,
      reach: {
        ...{ connectionId: ALIAS, alias: ALIAS, timeout: TIMEOUT_SECONDS, revision: NEWEST_LEGACY, pinned: true },
        wire: {
          command: process.execPath,
          args: [PROGRAM],
          own: true,
          environment: { URU_API_KEY: key, URU_PROXY_URL: proxy },
        },
      },
    }),
  )
  const ask = (method: string, params: JsonObject) => upstream.ask(ownAsk(method, params, NEWEST_LEGACY, signal))
  try {
    const listed = await ask('tools/list', {})
    return {
      tools: toolsOf(listed),
      call: async (name, value, meta) =>
        resultOf(await ask('tools/call', { name, arguments: value, ...(meta === undefined ? {} : { _meta: meta }) })),
      [Symbol.asyncDispose]: () => upstream.close(),
    }
  } catch (thrown) {
    await upstream.close()
    throw thrown
  }
}

function toolsOf(answer: Answer): AgentTool[] {
  const { tools } = 'result' in answer ? answer.result : {}
  if (!Array.isArray(tools)) throw new Fault('upstream.malformed', { connection: ALIAS, problem: 'it lists no tools' })
  return tools
    .filter(isObject)
    .flatMap(({ name, description, inputSchema }) =>
      typeof name === 'string' && isObject(inputSchema)
        ? [{ name, description: typeof description === 'string' ? description : '', inputSchema }]
        : [],
    )
}

/** Its program sets this member from a header of the gateway, which no server can write (`http/tools/tool-door.ts`). */
const LINK = 'dev.toolway/link'

const linkIn = (value: Json | undefined): string | undefined =>
  isObject(value) && typeof value[LINK] === 'string' ? value[LINK] : undefined

function resultOf(answer: Answer): Outcome {
  if ('error' in answer) {
    const { message, data } = answer.error
    const text = data === undefined ? message : `${message}\n${JSON.stringify(data)}`
    return { failed: true, text, link: linkIn(data) }
  }
  const { content, isError, _meta: meta } = answer.result
  const texts = (Array.isArray(content) ? content : []).flatMap((value) =>
    isObject(value) && typeof value['text'] === 'string' ? [value['text']] : [JSON.stringify(value)],
  )
  return { failed: isError === true, text: texts.join('\n'), link: linkIn(meta) }
}
