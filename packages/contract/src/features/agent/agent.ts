/**
 * The agent of an organization: a model of its own choice that works with the tools of whoever asks it, as one more client of the
 * gateway (ledger S0-ARC-05, -08).
 */
import { z } from 'zod'
import { inOrganization, operation } from '../../admin/operation.ts'

const AGENT = '/api/v1/organizations/{organization}/agent'

/** Interfaces of models; `openai` is that of every server compatible with OpenAI's chat completions. */
export const AGENT_PROVIDERS = ['openai', 'anthropic'] as const

/** Addresses of the vendors themselves. */
export const AGENT_URLS = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
} as const satisfies Record<(typeof AGENT_PROVIDERS)[number], string>

const Provider = z.enum(AGENT_PROVIDERS)

export const AgentModel = z.strictObject({
  provider: Provider,
  /** Base address of its interface, such as https://api.openai.com/v1. */
  url: z.string(),
  model: z.string(),
  has_key: z.boolean(),
  updated_at: z.iso.datetime(),
})
export type AgentModel = z.output<typeof AgentModel>

export const getAgentModel = operation({
  id: 'getAgentModel',
  at: `GET ${AGENT}/model`,
  summary: 'Get the model of the agent; null if none is set.',
  needs: inOrganization('tool_call'),
  answer: z.strictObject({ model: AgentModel.nullable() }),
})

export const setAgentModel = operation({
  id: 'setAgentModel',
  at: `PUT ${AGENT}/model`,
  summary: 'Set the model of the agent. The key is stored encrypted and never shown again.',
  needs: inOrganization('connector_update'),
  lasting: true,
  body: z.strictObject({
    provider: Provider,
    /** Absent: the vendor’s own. A private address has to be among those that the platform allows the organization. */
    url: z
      .url({ protocol: /^https?$/, error: 'is not an address that begins with https:// or http://' })
      .max(2_000)
      .refine(
        (text) => URL.parse(text)?.username === '' && URL.parse(text)?.password === '',
        'contains a user name or password: send the key in the field "key"',
      )
      .optional(),
    model: z.string().min(1).max(200),
    /** Absent: the key stays, if provider and address stay; null: it takes none. */
    key: z.string().min(1).max(4_000).nullable().optional(),
  }),
  answer: z.strictObject({ model: AgentModel }),
})

export const removeAgentModel = operation({
  id: 'removeAgentModel',
  at: `DELETE ${AGENT}/model`,
  summary: 'Remove the model of the agent and its key.',
  needs: inOrganization('connector_update'),
})

/** One step of a run, told as it is made. */
export const AgentEvent = z.discriminatedUnion('type', [
  /** Other runs go on: its place among those of the organization that wait, from 1. */
  z.strictObject({ type: z.literal('waiting'), position: z.int().min(1) }),
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('call'),
    id: z.string(),
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({
    type: z.literal('result'),
    /** Of its call. */
    id: z.string(),
    failed: z.boolean(),
    text: z.string(),
    /** A page on which a person approves the call or connects an account; only where the gateway itself refused the call and named it. */
    link: z.string().nullable(),
  }),
])
export type AgentEvent = z.output<typeof AgentEvent>

/** Steps of one run: answers of the model. */
export const AGENT_STEPS = { unsaid: 16, most: 40 } as const

export const runAgent = operation({
  id: 'runAgent',
  at: `POST ${AGENT}/runs`,
  summary:
    'Run the agent on a request, with the caller’s tools. It uses a key that belongs to the caller and expires after an hour.',
  needs: inOrganization('tool_call'),
  body: z.strictObject({
    /** The conversation, the wish last. */
    messages: z
      .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string().min(1).max(50_000) }))
      .min(1)
      .max(100),
    steps: z.int().min(1).max(AGENT_STEPS.most).default(AGENT_STEPS.unsaid),
  }),
  progress: AgentEvent,
  answer: z.strictObject({
    text: z.string(),
    /** How many calls of tools it made. */
    calls: z.int(),
    /** `steps`: it may go on when it is asked to. */
    ended: z.enum(['done', 'steps']),
    /** As the model's server counts them; null where it does not. */
    tokens: z.strictObject({ input: z.int().nullable(), output: z.int().nullable() }),
    /** The key under which its calls are in the audit log. */
    key_id: z.string(),
  }),
})
