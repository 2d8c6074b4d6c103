/**
 * The preset `curatore` (source system S1): one contract backend, and toolsets that are what policy files say. Alone it is a gateway
 * without a database, which `features/curatore` builds and which watches its files; in a declaration file it is one organization of
 * several, whose policy is read at the start.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContractWords } from '@toolway/contract'
import { readPolicyFile, type CuratorePolicy } from './policy-file.ts'
import type { Preset, PresetVariable } from './preset.ts'
import { isUnset, variablesOf } from './preset-variables.ts'

/** Aliases of the connections: each policy file has one of its own, because it says which contracts become tools. */
export const CURATORE_ALIASES: Readonly<Record<string, string>> = { default: 'cwr', admin: 'cwr-admin' }

const SHIPPED = fileURLToPath(new URL('features/curatore/shipped-policies/', import.meta.url))
export const SHIPPED_POLICIES = {
  default: join(SHIPPED, 'policy.yaml'),
  admin: join(SHIPPED, 'policy.admin.yaml'),
} as const

/** The settings of a policy file for the backend's contracts. */
export const contractWordsOf = (organization: string, { allowlist, settings }: CuratorePolicy): ContractWords => ({
  organization,
  contracts_for: settings.contract_cache_ttl,
  facets_for: settings.metadata_cache_ttl,
  // Version 1 names what it exposes; version 2 leaves that to each contract.
  exposes: allowlist === undefined ? 'agent' : 'all',
  side_effects: !settings.block_side_effects,
  allows: [...settings.side_effects_allowlist],
  checks_facets: settings.validate_facets,
  on_behalf: true,
})

/** Alone, the preset has settings of these names. */
const VARIABLES: readonly PresetVariable[] = [
  {
    name: 'CURATORE_BACKEND_URL',
    also: ['BACKEND_URL'],
    needed: true,
    about: 'the address of the backend, such as http://backend:8000',
  },
  { name: 'DEFAULT_ORG_ID', needed: true, about: 'the ID of the organization in the backend for which calls are made' },
  { name: 'BACKEND_API_KEY', needed: false, about: 'the key that is sent to the backend as X-API-Key' },
  { name: 'POLICY_FILE', needed: false, about: 'the policy.yaml to apply' },
  { name: 'ADMIN_POLICY_FILE', needed: false, about: 'the policy of the toolset admin' },
]

export const curatore: Preset = {
  about: 'is a gateway without a database in front of one contract backend',
  settings: {
    TOOLWAY_STORE: 'none',
    TOOLWAY_PORT: '8020',
    // A client before 2026-07-28 is asked within a session; only where something is to be confirmed does it need one.
    TOOLWAY_SESSIONS: 'questions',
    TOOLWAY_DEMO: 'off',
    TOOLWAY_LIMIT_ADDRESS: '60',
    // The policy file says which tools with side effects there are; where there are none, it reaches none.
    MCP_API_KEY_LIMIT: 'execute',
  },
  composed: true,
  variables: VARIABLES,
  organization(input) {
    const lookup = variablesOf('curatore', VARIABLES, input)
    const backend = {
      type: 'contract',
      url: lookup('CURATORE_BACKEND_URL'),
      headers: isUnset(lookup('BACKEND_API_KEY')) ? {} : { 'X-API-Key': lookup('BACKEND_API_KEY') },
      // The operator of this gateway configured the backend, so its address may be private.
      private: true,
    }
    const profile = (toolset: keyof typeof SHIPPED_POLICIES, file: string | undefined) => {
      const policy = readPolicyFile(file ?? SHIPPED_POLICIES[toolset])
      const alias = CURATORE_ALIASES[toolset] ?? toolset
      const words = contractWordsOf(lookup('DEFAULT_ORG_ID') ?? '', policy)
      const { include, exclude } = policy.selection(alias)
      return {
        connection: [alias, { ...backend, ...words }] as const,
        toolset: [toolset, { connections: [alias], include, exclude, rules: policy.rules, naming: 'plain' }] as const,
      }
    }
    const profiles = [
      profile('default', lookup('POLICY_FILE')),
      ...(isUnset(lookup('ADMIN_POLICY_FILE')) ? [] : [profile('admin', lookup('ADMIN_POLICY_FILE'))]),
    ]
    return {
      connections: Object.fromEntries(profiles.map(({ connection }) => connection)),
      toolsets: Object.fromEntries(profiles.map(({ toolset }) => toolset)),
    }
  },
}
