/**
 * Tools that ask for input in several rounds (2026-07-28, SEP-2322): the tool returns the inputs it needs, and the client calls
 * again.
 *
 * Keys are part of the contract with the suites (`user_name`, `user_context`). The state is sealed by the codec of the whole
 * fixture; a tool never reads a state that was not verified.
 */
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server'
import type {
  ClientCapabilities,
  InputRequest,
  McpServer,
  RequestStateCodec,
  ServerContext,
} from '@modelcontextprotocol/server'
import { text } from './samples.ts'

/** The content of `requestState`: the tool that asked, and the round. */
export interface RoundState {
  tool: string
  round: number
}

type States = RequestStateCodec<RoundState>

/** An elicitation for one field; `type` is a JSON Schema primitive. */
export function askFor(message: string, field: string, type: 'string' | 'boolean' = 'string'): InputRequest {
  const property = type === 'boolean' ? { type: 'boolean' as const } : { type: 'string' as const }
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: property }, required: [field] },
  })
}

const askModel = (prompt: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  })

/** Adds the tools that ask first and answer on the second call. */
export function registerRoundTools(server: McpServer, states: States): void {
  registerSingle(server, 'test_input_required_result_elicitation', 'user_name', askFor('What is your name?', 'name'))
  registerSingle(server, 'test_streaming_elicitation', 'user_name', askFor('What is your name?', 'name'))
  registerSingle(
    server,
    'test_input_required_result_sampling',
    'capital_question',
    askModel('What is the capital of France?', 100),
  )
  registerSingle(server, 'test_missing_capability', 'question', askModel('Needs sampling', 10))
  registerSingle(server, 'test_input_required_result_list_roots', 'client_roots', inputRequired.listRoots())
  registerSealed(server, states, 'test_input_required_result_request_state')
  registerSealed(server, states, 'test_input_required_result_tampered_state')
  registerMultipleInputs(server, states)
  registerMultiRound(server, states)
  registerCapabilities(server)
}

/** One question without state; a decline is an answer, anything unreadable is asked again. */
function registerSingle(server: McpServer, name: string, key: string, request: InputRequest): void {
  server.registerTool(name, { description: `Asks for ${key} in a first round` }, (ctx) => {
    const said = answerTo(ctx, key)
    return said === undefined ? inputRequired({ inputRequests: { [key]: request } }) : text(said)
  })
}

function answerTo(ctx: ServerContext, key: string): string | undefined {
  const answer = inputResponse(ctx.mcpReq.inputResponses, key)
  if (answer.kind === 'missing') return undefined
  if (answer.kind === 'sampling') return `The model said: ${JSON.stringify(answer.result.content)}`
  if (answer.kind === 'roots') return `Roots: ${answer.roots.map((root) => root.uri).join(', ')}`
  if (answer.action !== 'accept') return `No answer: ${answer.action}`
  const name = acceptedContent(ctx.mcpReq.inputResponses, key)?.['name']
  return typeof name === 'string' ? `Hello, ${name}!` : undefined
}

/** One question with sealed state: the second round must bring both. */
function registerSealed(server: McpServer, states: States, name: string): void {
  server.registerTool(name, { description: 'Asks for a confirmation and checks its own state' }, async (ctx) => {
    const state = ctx.mcpReq.requestState<RoundState>()
    const confirmed = inputResponse(ctx.mcpReq.inputResponses, 'confirm').kind === 'elicit'
    if (confirmed && state?.tool === name) return text('state-ok')
    return inputRequired({
      inputRequests: { confirm: askFor('Please confirm', 'ok', 'boolean') },
      requestState: await states.mint({ tool: name, round: 1 }, ctx),
    })
  })
}

function registerMultipleInputs(server: McpServer, states: States): void {
  const name = 'test_input_required_result_multiple_inputs'
  const inputRequests = {
    user_name: askFor('What is your name?', 'name'),
    greeting: askModel('Generate a greeting', 50),
    client_roots: inputRequired.listRoots(),
  }
  server.registerTool(name, { description: 'Asks three kinds of question at once' }, async (ctx) => {
    const missing = Object.keys(inputRequests).filter((key) => answerTo(ctx, key) === undefined)
    if (missing.length === 0)
      return text(
        Object.keys(inputRequests)
          .map((key) => answerTo(ctx, key))
          .join(' '),
      )
    return inputRequired({ inputRequests, requestState: await states.mint({ tool: name, round: 1 }, ctx) })
  })
}

/** Two questions, one after the other; each round has its own state. */
function registerMultiRound(server: McpServer, states: States): void {
  const name = 'test_input_required_result_multi_round'
  const ask = async (round: number, request: InputRequest, ctx: ServerContext) =>
    inputRequired({
      inputRequests: { [`step${round}`]: request },
      requestState: await states.mint({ tool: name, round }, ctx),
    })
  server.registerTool(name, { description: 'Asks two questions in two rounds' }, (ctx) => {
    const round = ctx.mcpReq.requestState<RoundState>()?.round ?? 0
    const answered = round > 0 && inputResponse(ctx.mcpReq.inputResponses, `step${round}`).kind === 'elicit'
    if (round === 2 && answered) return text('Both questions were answered.')
    if (round === 2 || answered) return ask(2, askFor('Step 2: What is your favorite color?', 'color'), ctx)
    return ask(1, askFor('Step 1: What is your name?', 'name'), ctx)
  })
}

/** Asks only what the caller declared it can answer. */
function registerCapabilities(server: McpServer): void {
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks one question for each capability the client declared' },
    (ctx) => {
      const declared = declaredIn(ctx) ?? server.server.getClientCapabilities() ?? {}
      const inputRequests = {
        ...(declared.sampling && { sampled: askModel('Say hello', 20) }),
        ...(declared.elicitation && { user_name: askFor('What is your name?', 'name') }),
        ...(declared.roots && { client_roots: inputRequired.listRoots() }),
      }
      const keys = Object.keys(inputRequests)
      if (keys.length === 0) return text('The client can answer nothing.')
      const said = keys.map((key) => answerTo(ctx, key))
      return said.includes(undefined) ? inputRequired({ inputRequests }) : text(said.join(' '))
    },
  )
}

/** A modern request carries its client's capabilities; a legacy one relies on `initialize`. */
function declaredIn(ctx: ServerContext): ClientCapabilities | undefined {
  // The SDK validates the envelope before any tool runs and types it as an empty object.
  const envelope: { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined = ctx.mcpReq.envelope
  return envelope?.[CLIENT_CAPABILITIES_META_KEY]
}
