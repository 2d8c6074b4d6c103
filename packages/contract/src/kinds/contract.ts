/** A backend that describes its functions by contracts and runs them over HTTP (ledger S1). */
import { z } from 'zod'
import type { SettingsForm } from '../form.ts'
import { kind, seconds, shared } from './kind.ts'

const TIMEOUT_SECONDS = 30

const Name = z.string().min(1).max(200)

/** The settings of a contract backend besides its address and headers. Times are in seconds. */
const ContractShape = {
  /** The organization as the backend knows it, which every call is given as `org_id`; absent: our own slug. */
  organization: Name.optional(),
  /** How long contracts, and facets, are used before they are fetched anew. */
  contracts_for: z.number().min(1).max(86_400),
  facets_for: z.number().min(1).max(86_400),
  /** How old they may become where they cannot be fetched; after that they count as unavailable. */
  stale_for: z.number().min(0).max(604_800),
  /** Whether the member for whom a trusted key calls is told to the backend (`X-On-Behalf-Of`). */
  on_behalf: z.boolean(),
  /** The functions that become tools, by their exposure profile. */
  exposes: z.enum(['agent', 'procedure', 'all']),
  /** Whether functions with side effects become tools, and which do all the same. */
  side_effects: z.boolean(),
  allows: z.array(Name).max(200),
  /** Old names that a tool can be called by, and what it is called now. */
  aliases: z.record(Name, Name),
  /** Whether `facet_filters` are looked at before a call; without it made-up names reach the backend. */
  checks_facets: z.boolean(),
}
export const ContractWords = z.strictObject(ContractShape).partial()
export type ContractWords = z.output<typeof ContractWords>

/** A backend that describes its functions by contracts and runs them over HTTP (ledger S1). */
export const ContractSettings = z.strictObject({
  connector: z.literal('contract'),
  /** It speaks no MCP: there is no revision to pin. */
  revision: z.literal('auto').default('auto'),
  /** Theirs are always checked, whatever is said. */
  checks: shared.checks,
  timeout: seconds.default(TIMEOUT_SECONDS),
  url: z.url({ protocol: /^https?$/, error: 'must start with http:// or https://' }),
  /** Whether the address may lie in a private or loopback network. Only an operator may say so. */
  private: z.boolean().default(false),
  organization: ContractShape.organization,
  contracts_for: ContractShape.contracts_for.default(300),
  facets_for: ContractShape.facets_for.default(600),
  stale_for: ContractShape.stale_for.default(3600),
  on_behalf: ContractShape.on_behalf.default(false),
  exposes: ContractShape.exposes.default('agent'),
  side_effects: ContractShape.side_effects.default(false),
  allows: ContractShape.allows.default([]),
  aliases: ContractShape.aliases.default({ materialize_text: 'get_content' }),
  checks_facets: ContractShape.checks_facets.default(true),
})
export type ContractSettings = z.output<typeof ContractSettings>

const FORM: SettingsForm = {
  fields: [
    {
      name: 'organization',
      control: 'text',
    },
    {
      name: 'exposes',
      control: 'choice',
      choices: ['agent', 'procedure', 'all'],
    },
    {
      name: 'side_effects',
      control: 'switch',
    },
    {
      name: 'on_behalf',
      control: 'switch',
    },
    {
      name: 'checks_facets',
      control: 'switch',
    },
    {
      name: 'allows',
      control: 'list',
    },
    { name: 'contracts_for', control: 'number', min: 1, max: 86_400 },
    { name: 'facets_for', control: 'number', min: 1, max: 86_400 },
    { name: 'stale_for', control: 'number', min: 0, max: 604_800 },
    {
      name: 'aliases',
      control: 'pairs',
    },
  ],
}

export const contract = kind({
  connector: 'contract',
  title: 'Contract backend',
  settings: ContractSettings,
  addresses: { url: { secrets: true } },
  timeout: TIMEOUT_SECONDS,
  runsHere: false,
  speaksMcp: false,
  keepsDigits: true,
  described: true,
  toolsKnownUnasked: true,
  hasDocument: true,
  oldNames: true,
  absentNulls: true,
  reviews: true,
  organizationArgument: 'org_id',
  tellsLeftOut: true,
  isBackend: true,
  own: { member: 'contract', shown: ContractWords, given: ContractWords, changed: ContractWords, form: FORM },
  row: {
    id: 'contract',
    title: 'Contract backend',
    category: 'other',
    about: 'Your own backend that describes its functions. Each function becomes a tool.',
    icon: 'server',
    url: null,
    auth: ['api_key', 'none'],
    asks: [
      {
        name: 'url',
        in: 'url',
        about: 'The URL of the backend.',
        required: true,
        secret: false,
        placeholder: 'https://backend.example.com',
      },
    ],
    seeds: ['curatore'],
  },
})
