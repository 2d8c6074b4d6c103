/**
 * Requests of a legacy server to its client while a call is running: sampling and elicitation.
 *
 * A request belongs to the stream of the call that needs the answer. The SDK sends it on the session's own stream by default, so
 * each tool names its call; `test_elicitation_on_session_stream` does not, as many servers in the field do not. That stream must
 * be open before the call, or the request is lost.
 *
 * Legacy only by construction: on a 2026-07-28 request these tools answer with an error result, because that revision has no
 * requests from server to client. The multi-round tools are in round-tools.ts.
 */
import { fromJsonSchema } from '@modelcontextprotocol/server'
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

/** Adds the tools that ask the client back in the middle of a legacy call. */
export function registerPushTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Asks the client to sample', inputSchema: oneText('prompt', 'The prompt to send to the LLM') },
    async ({ prompt }, ctx) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }]
      const { content } = await ctx.mcpReq.requestSampling({ messages, maxTokens: 100 }, onStreamOf(ctx))
      return text(`LLM response: ${'text' in content ? content.text : JSON.stringify(content)}`)
    },
  )
  registerElicitation(server, 'test_elicitation', onStreamOf)
  registerElicitation(server, 'test_elicitation_on_session_stream', () => ({}))
  registerForm(server, 'test_elicitation_sep1034_defaults', 'Asks with a default in each field', defaults)
  registerForm(server, 'test_elicitation_sep1330_enums', 'Asks with each kind of enumeration', enums)
}

function registerElicitation(server: McpServer, name: string, route: (ctx: ServerContext) => RequestOptions): void {
  const inputSchema = oneText('message', 'The message to show the user')
  server.registerTool(name, { description: 'Asks the user', inputSchema }, async ({ message }, ctx) => {
    const { action, content } = await ctx.mcpReq.elicitInput({ message, requestedSchema: account }, route(ctx))
    return text(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`)
  })
}

function registerForm(server: McpServer, name: string, description: string, requestedSchema: Form): void {
  server.registerTool(name, { description }, async (ctx) => {
    const form = { message: 'Please fill in the form', requestedSchema }
    const { action, content } = await ctx.mcpReq.elicitInput(form, onStreamOf(ctx))
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)
  })
}
