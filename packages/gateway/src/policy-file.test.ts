/** The contract gateway's `policy.yaml`: both versions, what they become here, and what is refused before anything runs. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigFault } from './config.ts'
import { createPolicy } from './policy/compile.ts'
import { readPolicy, readPolicyFile } from './policy-file.ts'
import { selectionOf } from './toolsets/toolsets.ts'

const SHIPPED = new URL('./features/curatore/shipped-policies/', import.meta.url)
const shipped = (name: string) => readPolicy(name, readFileSync(new URL(name, SHIPPED), 'utf8'))

const SIXTEEN = [
  'search_assets',
  'search_notices',
  'search_solicitations',
  'search_forecasts',
  'search_scraped_assets',
  'search_salesforce',
  'get_asset',
  'get_content',
  'get',
  'query_model',
  'llm_summarize',
  'llm_extract',
  'llm_classify',
  'llm_generate',
  'analyze_solicitation',
  'classify_document',
]
const NEVER = ['send_email', 'webhook', 'update_metadata', 'bulk_update_metadata', 'create_artifact']

/** The names that a policy selects, before their contracts are read. */
const selected = (policy: ReturnType<typeof readPolicy>, names: readonly string[]) => {
  const selection = selectionOf({ connections: ['cwr'], ...policy.selection('cwr') })
  return names.filter((name) => selection.tool('cwr', `cwr__${name}`))
}

const decide = (policy: ReturnType<typeof readPolicy>, name: string, effect: string, args?: Record<string, number>) =>
  createPolicy(policy.rules.map((words) => ({ ...words, id: words.name, scope: 'toolset', of: 'default' })))
    .of(
      {
        name,
        joined: `cwr__${name}`,
        connection: 'cwr',
        connector: 'contract',
        effect,
        effectFrom: 'connector',
        category: '',
      },
      { organization: 'default', toolset: 'default' },
    )
    ?.decide({
      principal: {
        id: 'k',
        kind: 'key',
        role: 'tenant_member',
        email: '',
        groups: [],
        key: '',
        keyId: '',
        client: '',
        clientRegistered: false,
      },
      context: { organization: 'default', toolset: 'default', time: '2026-01-01T00:00:00Z', address: '' },
      arguments: args,
    })

/** As the seed's text describes it: names of its own time, and an allowlist. */
const SEED_AGE = `
version: "1.0"
allowlist: [search_assets, materialize_text, llm_summarize]
clamps:
  search_assets: { limit: { max: 50 } }
  materialize_text: { max_total_chars: { max: 80000 } }
  llm_summarize: { max_tokens: { max: 2000 } }
`

/** As the source system's repository has it today. */
const CURRENT = `
version: "2.0"
denylist: [webhook]
clamps:
  sp_list_items:
    limit: { max: 200, default: 50 }
  generate_document:
    save_to_storage: { default: true }
settings:
  block_side_effects: true
  side_effects_allowlist: [confirm_email, generate_document]
  validate_facets: false
  contract_cache_ttl: 60
  metadata_cache_ttl: 120
`

describe('S1-POL-08: a policy file of version 1 and of version 2', () => {
  test('of the age of the seed exposes what it names, and means what a renamed tool is called now', () => {
    const policy = readPolicy('policy.yaml', SEED_AGE)
    expect(selected(policy, [...SIXTEEN, ...NEVER])).toEqual(['search_assets', 'get_content', 'llm_summarize'])
    expect(policy.settings).toMatchObject({ block_side_effects: true, validate_facets: true, contract_cache_ttl: 300 })
    expect(decide(policy, 'get_content', 'read', { max_total_chars: 500_000 })?.arguments).toEqual({
      max_total_chars: 80_000,
    })
    expect(decide(policy, 'search_assets', 'read', { limit: 3 })?.arguments).toEqual({ limit: 3 })
  })

  test('of today leaves out what it denies, hides side effects but for the names it lists, and says how long to keep things', () => {
    const policy = readPolicy('policy.yaml', CURRENT)
    expect(selected(policy, ['search_assets', 'webhook', 'confirm_email'])).toEqual(['search_assets', 'confirm_email'])
    expect(decide(policy, 'send_email', 'write')?.action).toBe('hide')
    expect(decide(policy, 'confirm_email', 'write')?.action).toBe('allow')
    expect(decide(policy, 'sp_list_items', 'read', {})?.arguments).toEqual({ limit: 50 })
    expect(decide(policy, 'generate_document', 'write', {})?.arguments).toEqual({ save_to_storage: true })
    expect(policy.settings).toMatchObject({ validate_facets: false, contract_cache_ttl: 60, metadata_cache_ttl: 120 })
  })

  test('refuses a value outside its limits instead of changing it, where a limit says mode: reject', () => {
    const limit = '{ max: 50, min: 1, default: 20, mode: reject }'
    const policy = readPolicy('p', `version: "2.0"\nclamps: { search_assets: { limit: ${limit} } }`)
    for (const [given, action, sent] of [
      [51, 'reject', undefined],
      [0, 'reject', undefined],
      [50, 'allow', 50],
      [undefined, 'allow', 20],
    ] as const) {
      const verdict = decide(policy, 'search_assets', 'read', given === undefined ? {} : { limit: given })
      expect(verdict?.action).toBe(action)
      if (sent !== undefined) expect(verdict?.arguments).toEqual({ limit: sent })
    }
  })

  test('is read where the version is a number, too', () => {
    expect(readPolicy('p', 'version: 2').version).toBe('2')
    expect(readPolicy('p', 'version: 1.0\nallowlist: []').allowlist).toEqual([])
  })
})

describe('the files that are shipped', () => {
  test('limit six searches, content and four language tools, leave in sixteen names and never five', () => {
    const policy = shipped('policy.yaml')
    expect(selected(policy, SIXTEEN)).toHaveLength(16)
    expect(selected(policy, NEVER)).toEqual([])
    const searches = SIXTEEN.filter((name) => name.startsWith('search_'))
    expect(searches).toHaveLength(6)
    for (const name of searches) {
      expect(decide(policy, name, 'read', { limit: 500 })?.arguments).toEqual({ limit: 50 })
      expect(decide(policy, name, 'read', {})?.arguments).toEqual({ limit: 20 })
    }
    expect(decide(policy, 'get_content', 'read', { max_total_chars: 500_000 })?.arguments).toEqual({
      max_total_chars: 80_000,
    })
    expect(decide(policy, 'get_content', 'read', {})?.arguments).toEqual({ max_total_chars: 50_000 })
    for (const name of SIXTEEN.filter((one) => one.startsWith('llm_'))) {
      expect(decide(policy, name, 'read', { max_tokens: 8000 })?.arguments).toEqual({ max_tokens: 2000 })
      expect(decide(policy, name, 'read', {})?.arguments).toEqual({ max_tokens: 1000 })
    }
    // Their contracts have the flag: only who names them exposes them.
    for (const name of ['analyze_solicitation', 'classify_document'])
      expect(decide(policy, name, 'write')?.action).toBe('hide')
  })

  test('give the toolset of administrators everything, within the same limits', () => {
    const policy = shipped('policy.admin.yaml')
    expect(selected(policy, [...SIXTEEN, ...NEVER])).toHaveLength(21)
    // Tools that write need an approval at each call, but for two that are marked as writing and only read.
    expect(NEVER.map((name) => decide(policy, name, 'write')?.action)).toEqual(NEVER.map(() => 'approve'))
    expect(decide(policy, 'classify_document', 'write')?.action ?? 'allow').toBe('allow')
    expect(decide(policy, 'get_asset', 'read')?.action ?? 'allow').toBe('allow')
    expect(decide(policy, 'search_assets', 'read', { limit: 500 })?.arguments).toEqual({ limit: 50 })
  })
})

describe('a policy file that cannot be meant', () => {
  const complaint = (text: string): string => {
    try {
      readPolicy('policy.yaml', text)
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(ConfigFault)
      return (thrown as Error).message
    }
    throw new Error('it was taken')
  }

  test.each([
    ['', 'policy.yaml: the file is empty'],
    ['version: "3.0"', 'policy.yaml:1:1: version must be "1.0" or "2.0"'],
    ['version: "1.0"', 'policy.yaml:1:1: version is 1, which requires an allowlist'],
    ['version: "2.0"\nallowlist: [get]', 'policy.yaml:2:1: allowlist belongs to version 1'],
    ['version: "2.0"\ndenilist: []', 'policy.yaml:2:1: denilist is unknown (did you mean "denylist"?)'],
    [
      'version: "2.0"\nclamps:\n  search_assets:\n    limit: { maximum: 50 }',
      'policy.yaml:4:14: clamps.search_assets.limit.maximum is unknown',
    ],
    [
      'version: "2.0"\nclamps:\n  a:\n    limit: { max: fifty }',
      'policy.yaml:4:14: clamps.a.limit.max must be a number',
    ],
    ['version: "2.0"\nclamps:\n  a:\n    limit: { min: 5, max: 2 }', 'has a min above its max'],
    ['version: "2.0"\nclamps:\n  a:\n    limit: { max: 5, default: 20 }', 'has a default outside its own limits'],
    ['version: "2.0"\nclamps:\n  a:\n    limit: {}', 'needs max, min or default'],
    [
      'version: "2.0"\nclamps:\n  a:\n    limit: { max: 5, mode: refuse }',
      'clamps.a.limit.mode must be one of clamp, reject',
    ],
    [
      'version: "2.0"\nclamps:\n  a:\n    limit: { default: 5, mode: reject }',
      'has mode reject, which needs max or min',
    ],
    ['version: "2.0"\nsettings:\n  contract_cache_ttl: 0', 'must be a whole number of seconds from 1 to 86400'],
    ['version: "2.0"\nversion: "1.0"', 'policy.yaml:2:1: version appears twice here'],
    ['version: "2.0"\nclamps: {', 'this is not YAML'],
    ['version: "2.0"\ndenylist: [*none]', 'an alias cannot be followed'],
  ])('%j is refused with its place', (text, said) => {
    expect(complaint(text)).toContain(said)
  })

  test('that is not there names its path', () => {
    expect(() => readPolicyFile('/no/such/policy.yaml')).toThrow(
      'The policy file /no/such/policy.yaml cannot be read (ENOENT): check the path and its permissions.',
    )
  })

  test('gives each limit a name of its own, whatever its tool is called', () => {
    const long = 'A'.repeat(120)
    const clamp = 'limit: { max: 5 }'
    const { rules } = readPolicy(
      'p',
      `version: "2.0"\nclamps:\n  ${long}: { ${clamp} }\n  ${long}B: { ${clamp} }\n  search.x: { a.b: { max: 1 } }`,
    )
    const names = rules.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    // A dot in a name is no way into an object.
    expect(rules.at(-1)).toMatchObject({ parameters: { parameter: String.raw`a\.b`, max: 1 } })
  })
})
