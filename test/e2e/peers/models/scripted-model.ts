/**
 * A server with the interface of OpenAI's chat completions, or of Anthropic's messages, whose answers a test says. It refuses what
 * those refuse: another path, another key, a model that it does not have, tools without a schema, an answer to no call.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

export interface Heard {
  /** All texts of the conversation so far: of the person, of the model, and results of tools. */
  readonly texts: readonly string[]
  readonly tools: readonly string[]
}

/** The next thing that the model says: a text, or calls of tools. */
export type Saying = string | { readonly tool: string; readonly arguments: object }[]

export interface ScriptedModel extends AsyncDisposable {
  readonly url: string
  /** Each request as it was understood. */
  readonly heard: Heard[]
  /** Answers with this status from now on; undefined: as the script says. */
  status: number | undefined
  /** Answers wait for it. */
  held: Promise<undefined> | undefined
  say(next: (heard: Heard) => Saying): void
}

export const MODEL = 'scripted-1'

const Schema = z.looseObject({ type: z.literal('object') })
const OpenAi = z.looseObject({
  model: z.literal(MODEL),
  messages: z.array(
    z.discriminatedUnion('role', [
      z.strictObject({ role: z.enum(['system', 'user']), content: z.string() }),
      z.looseObject({
        role: z.literal('assistant'),
        content: z.string().nullish(),
        tool_calls: z.array(z.looseObject({ id: z.string() })).optional(),
      }),
      z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
    ]),
  ),
  tools: z
    .array(
      z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string(), parameters: Schema }) }),
    )
    .optional(),
})
const Block = z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() })
const Anthropic = z.looseObject({
  model: z.literal(MODEL),
  max_tokens: z.int(),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(Block) })),
  tools: z.array(z.looseObject({ name: z.string().regex(/^[\w-]{1,128}$/), input_schema: Schema })).optional(),
})

/** A text block, or the result of a tool: a text, or blocks of its own. */
const textsOf = ({ text, content }: z.output<typeof Block>): string[] => {
  if (text !== undefined) return [text]
  if (typeof content === 'string') return [content]
  return Array.isArray(content) ? content.map((one: { text?: string }) => one.text ?? '') : []
}

export async function startModel(key: string): Promise<ScriptedModel> {
  const heard: Heard[] = []
  let script: (heard: Heard) => Saying = () => 'nothing is scripted'
  let calls = 0
  const state = { status: undefined as number | undefined, held: undefined as Promise<undefined> | undefined }

  const openAi = (body: unknown) => {
    const { messages, tools = [] } = OpenAi.parse(body)
    const asked = new Set(
      messages.flatMap((one) => ('tool_calls' in one ? (one.tool_calls ?? []) : [])).map(({ id }) => id),
    )
    for (const one of messages)
      if (one.role === 'tool' && !asked.has(one.tool_call_id)) throw new Error('an answer to no call')
    const saying = hear(
      messages.map(({ content }) => content ?? ''),
      tools.map((one) => one.function.name),
    )
    const message =
      typeof saying === 'string'
        ? { role: 'assistant', content: saying }
        : {
            role: 'assistant',
            content: null,
            tool_calls: saying.map(({ tool, arguments: given }) => ({
              id: `call_${++calls}`,
              type: 'function',
              function: { name: tool, arguments: JSON.stringify(given) },
            })),
          }
    const reason = typeof saying === 'string' ? 'stop' : 'tool_calls'
    return {
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_760_000_000, model: MODEL },
      choices: [{ index: 0, message, finish_reason: reason }],
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    }
  }

  const anthropic = (body: unknown) => {
    const { messages, tools = [] } = Anthropic.parse(body)
    const saying = hear(
      messages.flatMap(({ content }) => content.flatMap(textsOf)),
      tools.map(({ name }) => name),
    )
    const content =
      typeof saying === 'string'
        ? [{ type: 'text', text: saying }]
        : saying.map(({ tool, arguments: input }) => ({ type: 'tool_use', id: `toolu_${++calls}`, name: tool, input }))
    return {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: MODEL, content, stop_sequence: null },
      stop_reason: typeof saying === 'string' ? 'end_turn' : 'tool_use',
      usage: { input_tokens: 100, output_tokens: 10 },
    }
  }

  function hear(texts: string[], tools: string[]): Saying {
    const one = { texts, tools }
    heard.push(one)
    return script(one)
  }

  const server = createServer((request, response) => {
    const say = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const refuse = (status: number, message: string) =>
      say(status, { type: 'error', error: { type: 'invalid_request_error', message } })
    void textOf(request).then((text) => {
      const { url, headers } = request
      if (state.status !== undefined) return refuse(state.status, 'the script says so')
      const answer = { '/v1/chat/completions': openAi, '/v1/messages': anthropic }[url ?? '']
      if (answer === undefined) return refuse(404, 'no such path')
      const shown = url === '/v1/messages' ? headers['x-api-key'] : headers.authorization?.replace('Bearer ', '')
      if (shown !== key) return refuse(401, 'wrong key')
      try {
        const said = answer(JSON.parse(text))
        return void (state.held ?? Promise.resolve()).then(() => say(200, said))
      } catch (thrown) {
        return refuse(400, String(thrown))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    heard,
    get status() {
      return state.status
    },
    set status(value) {
      state.status = value
    },
    get held() {
      return state.held
    },
    set held(value) {
      state.held = value
    },
    say: (next) => (script = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
