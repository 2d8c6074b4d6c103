/**
 * Requests of a legacy server to its client while a call is running: sampling and elicitation.
 *
 * A request belongs to the stream of the call that needs the answer. The SDK sends it on the session's own stream by default, so
 * each tool names its call; `test_elicitation_on_session_stream` does not, as many servers in the field do not. That stream must
 * be open before the call, or the request is lost.
 *
 * As after a mere update of the SDK: on a 2026-07-28 request these tools answer with an error result, because that revision has no
 * requests from server to client. With `asks: returned` they are written for that revision and ask by their result.
 */
import { fromJsonSchema, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type { ElicitRequestFormParams, McpServer, RequestOptions, ServerContext } from '@modelcontextprotocol/server'
import { text } from './samples.ts'

type Form = ElicitRequestFormParams['requestedSchema']

const account: Form = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
}

/** SEP-1034: a default for each primitive type. */
const defaults: Form = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
}

const titled = (first: string) => [
  { const: 'value1', title: `First ${first}` },
  { const: 'value2', title: `Second ${first}` },
  { const: 'value3', title: `Third ${first}` },
]

/** SEP-1330: the five ways to write an enumeration. */
const enums: Form = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
}

const oneText = <Name extends string>(name: Name, description: string) =>
  fromJsonSchema<Record<Name, string>>({
    type: 'object',
    properties: { [name]: { type: 'string', description } },
    required: [name],
  })

const onStreamOf = (ctx: ServerContext): RequestOptions => ({ relatedRequestId: ctx.mcpReq.id })

/** How the tools ask: by a request in the middle of the call, or by their result. */
export type Asks = 'pushed' | 'returned'

/** Adds the tools that ask the client back. */
export function registerPushTools(server: McpServer, asks: Asks): void {
  server.registerTool(
    'test_sampling',
    { description: 'Asks the client to sample', inputSchema: oneText('prompt', 'The prompt to send to the LLM') },
    async ({ prompt }, ctx) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }]
      const request = { messages, maxTokens: 100 }
      const answer = inputResponse(ctx.mcpReq.inputResponses, KEY)
      if (asks === 'returned' && answer.kind !== 'sampling')
        return inputRequired({ inputRequests: { [KEY]: inputRequired.createMessage(request) } })
      const { content } =
        answer.kind === 'sampling' ? answer.result : await ctx.mcpReq.requestSampling(request, onStreamOf(ctx))
      return text(`LLM response: ${'text' in content ? content.text : JSON.stringify(content)}`)
    },
  )
  const elicits = (name: string, route: (ctx: ServerContext) => RequestOptions) =>
    server.registerTool(
      name,
      { description: 'Asks the user', inputSchema: oneText('message', 'The message to show the user') },
      ({ message }, ctx) => elicit(ctx, { message, requestedSchema: account }, route(ctx), 'User response'),
    )
  const form = (name: string, description: string, requestedSchema: Form) =>
    server.registerTool(name, { description }, (ctx) =>
      elicit(ctx, { message: 'Please fill in the form', requestedSchema }, onStreamOf(ctx), 'Elicitation completed'),
    )
  elicits('test_elicitation', onStreamOf)
  elicits('test_elicitation_on_session_stream', () => ({}))
  form('test_elicitation_sep1034_defaults', 'Asks with a default in each field', defaults)
  form('test_elicitation_sep1330_enums', 'Asks with each kind of enumeration', enums)

  async function elicit(
    ctx: ServerContext,
    request: { message: string; requestedSchema: Form },
    options: RequestOptions,
    words: string,
  ) {
    const answer = inputResponse(ctx.mcpReq.inputResponses, KEY)
    if (asks === 'returned' && answer.kind !== 'elicit')
      return inputRequired({ inputRequests: { [KEY]: inputRequired.elicit(request) } })
    const { action, content } = answer.kind === 'elicit' ? answer : await ctx.mcpReq.elicitInput(request, options)
    return text(`${words}: action=${action}, content=${JSON.stringify(content ?? {})}`)
  }
}

/** Under which a tool asks by its result. */
const KEY = 'answer'
