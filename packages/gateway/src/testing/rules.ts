/** Rules, a tool and a caller for tests of policy, each as little as it may be. */
import { RuleWords, type Facts, type PrincipalFacts, type Rule, type ToolFacts } from '@toolway/contract'

let made = 0

/** A rule of the organization that says `words`; name, reason and place are given where they are not said. */
export function testRule(words: object, place: Partial<Pick<Rule, 'scope' | 'of' | 'id'>> = {}): Rule {
  made++
  const read = RuleWords.parse({ name: `rule-${made}`, reason: 'Because', ...words })
  return { ...read, id: `rul_${made}`, scope: 'organization', of: undefined, ...place }
}

export const TOOL: ToolFacts = {
  name: 'delete_branch',
  joined: 'git__delete_branch',
  connection: 'git',
  connector: 'mcp.http',
  effect: 'destructive',
  effectFrom: 'administrator',
  category: '',
}

export const MARIA: PrincipalFacts = {
  id: 'usr_maria',
  kind: 'user',
  role: 'tenant_member',
  email: 'maria@acme.test',
  groups: ['sales'],
  key: '',
  keyId: '',
  client: '',
  clientRegistered: false,
}

export const testFacts = (args?: Facts['arguments'], principal: Partial<PrincipalFacts> = {}): Facts => ({
  principal: { ...MARIA, ...principal },
  context: { organization: 'acme', toolset: 'default', time: '2026-11-22T08:00:00Z', address: '127.0.0.1' },
  arguments: args,
})

export const ENDPOINT = { organization: 'acme', toolset: 'default' }
