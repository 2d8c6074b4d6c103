/**
 * The probe written with SDK 1: what most servers in the field are. Legacy in every way.
 *
 * Each question comes in two ways, because this SDK has two: `ask` puts it on the stream of the call, and `ask_aside` on the
 * session's own stream, where it names no call. `probe-one-server.ts` serves it over HTTP, `probe-one.script.ts` over stdio.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type {
  CallToolResult,
  CreateMessageRequestParamsBase,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { isInquiry, QUESTIONS, STEPS, type Inquiry } from './inquiry.ts'
import { hang, INSTANCE, type ProbeState } from './probe.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

const TOOLS = ['ask', 'sample', 'roots', 'steps'].flatMap((name) => [name, `${name}_aside`])
const OWN_TOOLS = [...TOOLS, 'echo', 'hang', 'release', 'events', 'process']

/** One instance, for one session; `state` is what they share. */
export function createProbeOne(state: ProbeState): Server {
  const server = new Server(
    { name: state.name, version: '1.0.0' },
    { capabilities: { tools: {} }, instructions: `This is ${state.name}.` },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: OWN_TOOLS.map((name) => ({ name, inputSchema: { type: 'object' as const } })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: given = {} } = params
    const [plain = '', aside] = name.split('_')
    if (isInquiry(plain)) {
      const form = { ...QUESTIONS.ask, ...given }
      return text(JSON.stringify(await (aside ? askAside(server, plain, form) : ask(extra, plain, form))))
    }
    if (plain === 'steps') return steps(server, state, String(given['label']), extra, aside !== undefined)
    if (plain === 'hang') return hang(state, String(given['label']), extra.signal)
    if (plain === 'release') state.gates.release(String(given['label']))
    if (plain === 'events') return text(state.events.join('\n'))
    if (plain === 'process') return text(INSTANCE)
    return text(String(given['text']))
  })
  return server
}

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })

type Form = typeof QUESTIONS.ask
/** The two SDKs name the same shape by types of their own. */
const prompt = QUESTIONS.sample as CreateMessageRequestParamsBase

function ask(extra: Extra, inquiry: Inquiry, form: Form) {
  if (inquiry === 'ask') return extra.sendRequest({ method: 'elicitation/create', params: form }, ElicitResultSchema)
  if (inquiry === 'roots') return extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema)
  return extra.sendRequest({ method: 'sampling/createMessage', params: prompt }, CreateMessageResultSchema)
}

function askAside(server: Server, inquiry: Inquiry, form: Form) {
  if (inquiry === 'ask') return server.elicitInput(form)
  return inquiry === 'roots' ? server.listRoots() : server.createMessage(prompt)
}

async function steps(server: Server, state: ProbeState, label: string, extra: Extra, aside: boolean) {
  const progressToken = extra._meta?.progressToken
  for (const step of STEPS) {
    if (progressToken === undefined) break
    const notification = { method: 'notifications/progress' as const, params: { ...step, progressToken } }
    await (aside ? server.notification(notification) : extra.sendNotification(notification))
  }
  await state.gates.wait(label)
  return text('done')
}
