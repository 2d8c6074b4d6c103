/**
 * The contracts of a contract backend, as Curatore's `GET /api/v1/cwr/contracts/` gives them: sixteen functions that agents are meant
 * to have and five that they are not (whitepaper, section 9). The forms are those of its generator: optional parameters are
 * `nullable`, which is OpenAPI's word and none of JSON Schema's; the flag is `side_effects`; the two compounds have it set.
 */
export type Fields = Record<string, unknown>

export interface Contract extends Fields {
  readonly name: string
}

const text = (description: string, more: Fields = {}) => ({ type: 'string', description, ...more })
const integer = (description: string, more: Fields = {}) => ({ type: 'integer', description, ...more })
const optional = (schema: Fields, more: Fields = {}) => ({ ...schema, nullable: true, ...more })

const FACETS = optional({
  type: 'object',
  description: 'Filters by facet, and by field within a namespace: {"agency": "GSA", "custom": {"region": "west"}}',
})
const PROCEDURE_ONLY = optional(
  { type: 'array', items: { type: 'object' }, description: 'Items of an earlier step' },
  { 'x-procedure-only': true },
)
const ID = text('Its id', { format: 'uuid' })

interface Words {
  readonly category: string
  readonly properties: Fields
  readonly required?: readonly string[]
  readonly output: Fields
  readonly more?: Fields
}

const contract = (
  name: string,
  description: string,
  { category, properties, required = [], output, more }: Words,
): Contract => ({
  name,
  description,
  category,
  version: '1.0.0',
  input_schema: { type: 'object', properties, ...(required.length === 0 ? {} : { required }) },
  output_schema: output,
  side_effects: false,
  is_primitive: true,
  payload_profile: 'full',
  exposure_profile: { procedure: true, agent: true },
  requires_llm: false,
  requires_session: true,
  tags: [category],
  ...more,
})

const HIT = {
  type: 'object',
  properties: {
    id: text('Id, for get_content'),
    title: text('Title'),
    score: { type: 'number', description: 'From 0 to 1' },
    summary: optional(text('A line about it')),
  },
  required: ['id', 'title', 'score'],
}

const search = (name: string, what: string, own: Fields = {}, required: readonly string[] = []): Contract =>
  contract(name, `Search ${what} of the organization.`, {
    category: 'search',
    properties: {
      query: optional(text('Words to look for'), { default: null }),
      limit: optional(integer('How many at most', { minimum: 1, maximum: 1000 }), { default: 10 }),
      facet_filters: FACETS,
      ...own,
    },
    required,
    output: { type: 'array', description: 'Thin hits', items: HIT },
    more: { payload_profile: 'thin', required_data_sources: [name.replace('search_', '')] },
  })

const SEARCHES = [
  search(
    'search_assets',
    'assets',
    {
      query: text('Words to look for', { minLength: 1 }),
      search_mode: optional(text('How', { enum: ['keyword', 'semantic', 'hybrid'] }), { default: 'hybrid' }),
      items: PROCEDURE_ONLY,
    },
    ['query'],
  ),
  search('search_notices', 'SAM.gov notices', {
    posted_after: optional(text('Not older than', { format: 'date' })),
  }),
  search('search_solicitations', 'solicitations', {
    naics_codes: optional({ type: 'array', items: { type: 'string' }, description: 'NAICS codes' }),
  }),
  search('search_forecasts', 'acquisition forecasts', { fiscal_year: optional(integer('Fiscal year')) }),
  search('search_scraped_assets', 'scraped pages', {
    collection_id: optional(text('In this collection only', { format: 'uuid' })),
  }),
  search('search_salesforce', 'Salesforce records', {
    entity_types: optional({
      type: 'array',
      items: { type: 'string', enum: ['account', 'contact', 'opportunity'] },
      description: 'Kinds',
    }),
  }),
]

const DOCUMENT = {
  type: 'object',
  properties: {
    id: text('Id'),
    title: text('Title'),
    text: optional(text('Its text')),
    total_chars: integer('Characters of it in all'),
  },
  required: ['id'],
}

const CONTENTS = [
  contract('get_asset', 'One asset with its metadata.', {
    category: 'search',
    properties: {
      asset_id: ID,
      include_metadata: optional({ type: 'boolean', description: 'Metadata too' }, { default: true }),
    },
    required: ['asset_id'],
    output: DOCUMENT,
  }),
  contract('get_content', 'The text of assets.', {
    category: 'search',
    properties: {
      asset_ids: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'Ids, as a search gives them' },
      top_k: optional(integer('Only the first so many', { minimum: 1 })),
      max_total_chars: optional(integer('Characters in all', { minimum: 1, maximum: 500_000 }), { default: 100_000 }),
    },
    required: ['asset_ids'],
    output: {
      type: 'object',
      properties: { documents: { type: 'array', items: DOCUMENT }, max_total_chars: integer('As asked') },
      required: ['documents'],
    },
  }),
  contract('get', 'Anything by kind and id.', {
    category: 'search',
    properties: {
      item_type: text('Kind', { enum: ['asset', 'notice', 'solicitation', 'forecast'] }),
      item_id: text('Id'),
    },
    required: ['item_type', 'item_id'],
    output: DOCUMENT,
  }),
  contract('query_model', 'Rows of a model of the organization.', {
    category: 'search',
    properties: {
      model: text('Model', { enum: ['Asset', 'Notice', 'Solicitation'] }),
      filters: optional({ type: 'object', description: 'Field to value' }),
      limit: optional(integer('How many at most', { minimum: 1, maximum: 1000 }), { default: 10 }),
    },
    required: ['model'],
    output: { type: 'array', description: 'Rows', items: { type: 'object' } },
  }),
]

const TOKENS = optional(integer('Tokens at most', { minimum: 1, maximum: 8000 }), { default: 1000 })

const llm = (name: string, description: string, own: Fields, required: readonly string[], output: Fields): Contract =>
  contract(name, description, {
    category: 'llm',
    properties: { ...own, max_tokens: TOKENS, items: PROCEDURE_ONLY },
    required,
    output,
    more: { requires_llm: true, payload_profile: name === 'llm_summarize' ? 'summary' : 'full' },
  })

const MODELS = [
  llm(
    'llm_summarize',
    'Summarise a text.',
    {
      text: text('The text'),
      style: optional(text('Form', { enum: ['paragraph', 'bullets'] }), { default: 'paragraph' }),
    },
    ['text'],
    { type: 'string', description: 'The summary' },
  ),
  llm(
    'llm_extract',
    'Take fields out of a text.',
    { text: text('The text'), fields: { type: 'array', items: { type: 'string' }, minItems: 1 } },
    ['text', 'fields'],
    { type: 'object', description: 'Field to value' },
  ),
  llm(
    'llm_classify',
    'Say which category a text belongs to.',
    { text: text('The text'), categories: { type: 'array', items: { type: 'string' }, minItems: 1 } },
    ['text', 'categories'],
    {
      type: 'object',
      properties: { category: text('Which'), confidence: { type: 'number', minimum: 0, maximum: 1 } },
      required: ['category'],
    },
  ),
  llm('llm_generate', 'Write a text.', { prompt: text('What to write') }, ['prompt'], {
    type: 'string',
    description: 'The text',
  }),
]

const COMPOUND = { is_primitive: false, side_effects: true, requires_llm: true }
const COMPOUNDS = [
  contract('analyze_solicitation', 'Read a solicitation and keep what was found.', {
    category: 'compound',
    properties: { solicitation_id: ID },
    required: ['solicitation_id'],
    output: { type: 'object', properties: { summary: text('What it is about') } },
    more: COMPOUND,
  }),
  contract('classify_document', 'Classify a document and keep the result.', {
    category: 'compound',
    properties: {
      asset_id: ID,
      categories: optional({ type: 'array', items: { type: 'string' }, description: 'Which there are' }),
    },
    required: ['asset_id'],
    output: { type: 'object', properties: { category: text('Which') } },
    more: COMPOUND,
  }),
]

const act = (
  name: string,
  description: string,
  category: string,
  properties: Fields,
  required: readonly string[],
): Contract =>
  contract(name, description, {
    category,
    properties,
    required,
    output: { type: 'object', description: 'What was done' },
    more: { side_effects: true, exposure_profile: { procedure: true, agent: false } },
  })

const EXCLUDED_CONTRACTS = [
  act(
    'send_email',
    'Send a mail.',
    'notify',
    { to: { type: 'array', items: { type: 'string', format: 'email' } }, subject: text('Subject'), body: text('Text') },
    ['to', 'subject', 'body'],
  ),
  act(
    'webhook',
    'Call an address.',
    'notify',
    { url: text('Address', { format: 'uri' }), payload: { type: 'object' } },
    ['url'],
  ),
  act('update_metadata', 'Change the metadata of an asset.', 'output', { asset_id: ID, metadata: { type: 'object' } }, [
    'asset_id',
    'metadata',
  ]),
  act(
    'bulk_update_metadata',
    'Change the metadata of many assets.',
    'output',
    { asset_ids: { type: 'array', items: { type: 'string' } }, metadata: { type: 'object' } },
    ['asset_ids', 'metadata'],
  ),
  act('create_artifact', 'Keep a file.', 'output', { filename: text('Name'), content: text('Text') }, [
    'filename',
    'content',
  ]),
]

const namesOf = (contracts: readonly Contract[]) => contracts.map(({ name }) => name)

export const EXPOSED = namesOf([...SEARCHES, ...CONTENTS, ...MODELS, ...COMPOUNDS])
export const EXCLUDED = namesOf(EXCLUDED_CONTRACTS)
export const SEARCH_TOOLS = namesOf(SEARCHES)
export const MODEL_TOOLS = namesOf(MODELS)
export const COMPOUND_TOOLS = namesOf(COMPOUNDS)

/** All of them, anew each time: a test may change its own. */
export const contractPack = (): Contract[] =>
  structuredClone([...SEARCHES, ...CONTENTS, ...MODELS, ...COMPOUNDS, ...EXCLUDED_CONTRACTS])
