/** n8n: workflows that are active and carry a tag become tools (ledger S0-PRX-08). */
import { z } from 'zod'
import { header } from './catalog-row.ts'
import type { SettingsForm } from '../form.ts'
import { kind, seconds, shared } from './kind.ts'

/** Workflows run for longer than a request usually takes. */
const TIMEOUT_SECONDS = 120

/** The settings of n8n besides its address and headers. Times are in seconds. */
const N8nShape = {
  /** The tag in n8n of the workflows that become tools. */
  tag: z.string().min(1).max(24),
  /** The address before `/webhook/`, where it is not that of n8n itself (`WEBHOOK_URL` there). */
  webhooks: z.url({ protocol: /^https?$/, error: 'must start with http:// or https://' }),
  /** How long the list of workflows is used before it is fetched anew. */
  listed_for: z.number().min(5).max(86_400),
}
export const N8nWords = z.strictObject(N8nShape).partial()
export type N8nWords = z.output<typeof N8nWords>

export const N8nSettings = z.strictObject({
  connector: z.literal('n8n'),
  /** It speaks no MCP: there is no revision to pin. */
  revision: z.literal('auto').default('auto'),
  /** Arguments are always checked, whatever is said. */
  checks: shared.checks,
  timeout: seconds.default(TIMEOUT_SECONDS),
  url: z.url({ protocol: /^https?$/, error: 'must start with http:// or https://' }),
  /** Whether the address may lie in a private or loopback network. Only an operator may say so. */
  private: z.boolean().default(false),
  tag: N8nShape.tag.default('toolway'),
  webhooks: N8nShape.webhooks.optional(),
  listed_for: N8nShape.listed_for.default(60),
})
export type N8nSettings = z.output<typeof N8nSettings>

const FORM: SettingsForm = {
  fields: [
    {
      name: 'tag',
      control: 'text',
    },
    {
      name: 'webhooks',
      control: 'text',
    },
    { name: 'listed_for', control: 'number', min: 5, max: 86_400 },
  ],
}

export const n8n = kind({
  connector: 'n8n',
  title: 'n8n',
  settings: N8nSettings,
  addresses: { url: { secrets: true }, webhooks: { secrets: true } },
  timeout: TIMEOUT_SECONDS,
  runsHere: false,
  speaksMcp: false,
  keepsDigits: true,
  described: true,
  tellsLeftOut: true,
  isBackend: true,
  isService: true,
  own: { member: 'n8n', shown: N8nWords, given: N8nWords, changed: N8nWords, form: FORM },
  row: {
    id: 'n8n',
    title: 'n8n',
    category: 'other',
    about:
      'Active workflows with a certain tag become tools. They are found through the n8n API and run through their webhooks or forms.',
    url: null,
    auth: ['none'],
    asks: [header('X-N8N-API-KEY', 'A key from n8n: Settings, n8n API.')],
    documentation: 'https://docs.n8n.io/api/authentication/',
    seeds: ['uru'],
  },
})
