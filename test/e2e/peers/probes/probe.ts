/**
 * An MCP server of our own, written with SDK v2, for what the published ones do not show: who asks and for how long, a call
 * that never ends by itself, lists of thousands, a list that grows.
 *
 * It speaks both eras over both transports; `probe-server.ts` serves it over HTTP, `probe.script.ts` over stdio.
 */
import { randomInt } from 'node:crypto'
import { Server } from '@modelcontextprotocol/server'
import type { CallToolRequest, CallToolResult, ServerContext, Tool } from '@modelcontextprotocol/server'
import { createGates, inquire, isInquiry, STEPS, type Gates } from './inquiry.ts'

/** The state of one probe, over all its sessions and requests. */
export interface ProbeState {
  /** `hang N` when a call that never ends begins, `cancelled N` when its caller gives it up. */
  readonly events: string[]
  /** Names of the tools that were called, in their order. */
  readonly called: string[]
  /** Names of tools that came later. */
  readonly grown: string[]
  /** Further tools that do nothing, for long lists. */
  readonly padding: number
  /** A word that tells two probes apart. */
  readonly name: string
  readonly gates: Gates
  /** Called when the list of tools has changed. */
  onGrow: () => void
}

export const createProbeState = (name = 'probe', padding = 0): ProbeState => ({
  events: [],
  called: [],
  grown: [],
  gates: createGates(),
  padding,
  name,
  onGrow: () => {},
})

const PAGE = 500
const object = (properties: Record<string, unknown>, required: string[] = []) =>
  ({ type: 'object', properties, required }) as Tool['inputSchema']
const OWN_TOOLS: Tool[] = [
  { name: 'echo', description: 'Answers with its text', inputSchema: object({ text: { type: 'string' } }, ['text']) },
  { name: 'hang', description: 'Never ends by itself', inputSchema: object({ label: { type: 'string' } }, ['label']) },
  { name: 'events', description: 'What happened here', inputSchema: object({}) },
  { name: 'process', description: 'The process that answers', inputSchema: object({}) },
  { name: 'environment', description: 'A variable', inputSchema: object({ name: { type: 'string' } }, ['name']) },
  { name: 'grow', description: 'Adds a tool to the list', inputSchema: object({ name: { type: 'string' } }, ['name']) },
  { name: 'fail', description: 'Fails', inputSchema: object({ reason: { type: 'string' } }, ['reason']) },
  { name: 'ask', description: 'Asks the user', inputSchema: object({}) },
  { name: 'sample', description: 'Asks the model', inputSchema: object({}) },
  { name: 'roots', description: 'Asks for the roots', inputSchema: object({}) },
  { name: 'steps', description: 'Reports progress', inputSchema: object({ label: { type: 'string' } }, ['label']) },
  { name: 'release', description: 'Lets `steps` go on', inputSchema: object({ label: { type: 'string' } }, ['label']) },
  { name: 'exit', description: 'Ends the process that answers', inputSchema: object({}) },
]
export const OWN_TOOL_COUNT = OWN_TOOLS.length

const toolsOf = ({ grown, padding }: ProbeState): Tool[] => [
  ...OWN_TOOLS,
  ...grown.map((name) => ({ name, description: 'Came later', inputSchema: object({}) })),
  ...Array.from({ length: padding }, (_, at) => ({
    name: `padding_${String(at).padStart(4, '0')}`,
    description: `One of ${padding}`,
    inputSchema: object({ at: { type: 'integer', const: at } }),
  })),
]

/** One instance, for one session or request; `state` is what they share. */
export function createProbe(state: ProbeState): Server {
  const server = new Server(
    { name: state.name, version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } }, instructions: `This is ${state.name}.` },
  )
  server.setRequestHandler('tools/list', ({ params }) => {
    const start = Number(params?.cursor ?? 0)
    const tools = toolsOf(state)
    const end = start + PAGE
    return { tools: tools.slice(start, end), ...(end < tools.length ? { nextCursor: String(end) } : {}) }
  })
  server.setRequestHandler('tools/call', ({ params }, ctx) => answer(state, params, ctx))
  return server
}

/** Differs in each process; process ids do not, because a confined server has those of its own namespace. */
export const INSTANCE = String(randomInt(2 ** 47))

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })

function answer(state: ProbeState, { name, arguments: given = {} }: CallToolRequest['params'], ctx: ServerContext) {
  state.called.push(name)
  if (name === 'echo') return text(String(given['text']))
  if (name === 'hang') return hang(state, String(given['label']), ctx.mcpReq.signal)
  if (name === 'events') return text(state.events.join('\n'))
  if (name === 'process') return text(INSTANCE)
  if (name === 'environment') return text(process.env[String(given['name'])] ?? '(not set)')
  if (name === 'fail') return { ...text(String(given['reason'])), isError: true }
  if (isInquiry(name)) return inquire(name, ctx)
  if (name === 'steps') return steps(state, String(given['label']), ctx)
  if (name === 'release') state.gates.release(String(given['label']))
  if (name === 'exit') process.exit(3)
  if (name !== 'grow') return text(`${state.name} has answered ${name}`)
  state.grown.push(String(given['name']))
  state.onGrow()
  return text('grown')
}

async function steps(state: ProbeState, label: string, { mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken
  for (const step of STEPS) {
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { ...step, progressToken } })
  }
  await state.gates.wait(label)
  return text('done')
}

export function hang(state: ProbeState, label: string, signal: AbortSignal): Promise<CallToolResult> {
  state.events.push(`hang ${label}`)
  return new Promise((resolve) => {
    const giveUp = () => {
      state.events.push(`cancelled ${label}`)
      resolve(text('given up'))
    }
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
}
