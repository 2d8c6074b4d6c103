/** A draft of rules in a file: a rule, a list of them, or `rules:` with a list, and what is to be gone. */
import { PolicyDraft } from '@toolway/contract/admin'
import { readYamlFile } from '../../cli/policy/yaml-file.ts'

const KNOWN = [
  ...['rules', 'remove', 'as', 'scope', 'of', 'name', 'match', 'action', 'parameters', 'reason', 'state'],
  ...['tools', 'connectors', 'effects', 'categories', 'organizations', 'parameter', 'when'],
  ...[
    'lifts',
    'arguments',
    'result',
    'calls',
    'per',
    'value',
    'min',
    'max',
    'default',
    'by',
    'quorum',
    'wait',
    'repeat',
  ],
  ...['in', 'pattern', 'roles', 'members', 'groups', 'self', 'text', 'rows', 'fields', 'redact'],
]

export const readDraft = (path: string): Promise<PolicyDraft> =>
  readYamlFile(path, { shape: PolicyDraft, prepare: asDraft, known: KNOWN })

function asDraft(value: unknown): unknown {
  if (Array.isArray(value)) return { rules: value }
  return typeof value === 'object' && value !== null && 'action' in value ? { rules: [value] } : value
}
