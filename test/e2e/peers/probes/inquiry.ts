/**
 * The exact requests that the probes send to their clients in the middle of a call, and their use of the answers: each tool
 * returns what reached it, as JSON.
 *
 * The requests are the same for every SDK, era and transport, so that the received messages can be compared with them.
 */
import { inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type {
  CallToolResult,
  CreateMessageRequestParamsBase,
  ElicitRequestFormParams,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server'

const form: ElicitRequestFormParams = {
  message: 'Which account – “prod” or “dev”?',
  requestedSchema: {
    type: 'object',
    properties: {
      account: { type: 'string', title: 'Account', minLength: 2, maxLength: 40 },
      amount: { type: 'integer', minimum: 0, default: 7 },
    },
    required: ['account'],
  },
}
const prompt: CreateMessageRequestParamsBase = {
  messages: [{ role: 'user', content: { type: 'text', text: 'The capital of France?' } }],
  systemPrompt: 'Be short.',
  maxTokens: 64,
  temperature: 0.5,
  stopSequences: ['\n'],
}

/** `roots/list` has no params. */
export const QUESTIONS = { ask: form, sample: prompt, roots: undefined }
export type Inquiry = keyof typeof QUESTIONS

/** The method under which a client hears each question, in every era. */
export const METHODS: Readonly<Record<Inquiry, string>> = {
  ask: 'elicitation/create',
  sample: 'sampling/createMessage',
  roots: 'roots/list',
}
export const isInquiry = (name: string): name is Inquiry => Object.hasOwn(QUESTIONS, name)

const REQUESTS = {
  ask: inputRequired.elicit(form),
  sample: inputRequired.createMessage(prompt),
  roots: inputRequired.listRoots(),
}

/** SDK 2 in either era: to a legacy client it puts what is wanted as requests on the stream of the call. */
export function inquire(name: Inquiry, { mcpReq }: ServerContext): CallToolResult | InputRequiredResult {
  const heard = inputResponse(mcpReq.inputResponses, 'answer')
  if (heard.kind === 'missing') return inputRequired({ inputRequests: { answer: REQUESTS[name] } })
  return { content: [{ type: 'text', text: JSON.stringify(mcpReq.inputResponses?.['answer']) }] }
}

/** Reports progress and then waits to be released, so that all of it has arrived before the answer does. */
export const STEPS = [
  { progress: 1, total: 3, message: 'one' },
  { progress: 2, total: 3, message: 'two' },
  { progress: 3, total: 3, message: 'three' },
]

/** Calls that wait for another call. */
export function createGates() {
  const gates = new Map<string, PromiseWithResolvers<void>>()
  function gate(label: string) {
    const held = gates.get(label) ?? Promise.withResolvers<void>()
    gates.set(label, held)
    return held
  }
  return { wait: (label: string) => gate(label).promise, release: (label: string) => gate(label).resolve() }
}
export type Gates = ReturnType<typeof createGates>
