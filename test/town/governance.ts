/** Toolsets, rules and approvals of a town, and the accounts that its people connected, in every state. */
import { createHash } from 'node:crypto'
import { RuleWords, type ApprovalId, type CredentialId } from '@toolway/contract'
import {
  accessTokenSealContext,
  approvalSealContext,
  refreshTokenSealContext,
} from '../../packages/gateway/src/vault/sealed-columns.ts'
import type { TownConnection } from './connections.ts'
import { insert } from './insert.ts'
import { time, type Making, type Person } from './people.ts'
import type { Chance } from './random.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

export interface Town {
  readonly people: readonly Person[]
  readonly connections: readonly TownConnection[]
}

type Several<Item> = readonly [Item, ...Item[]]
const some = <Item>(items: readonly Item[]): Several<Item> | undefined =>
  items[0] === undefined ? undefined : (items as Several<Item>)

/** One toolset for each twenty connections. */
export async function makeToolsets({ sql, chance, organization, now }: Making, { connections }: Town): Promise<void> {
  const from = some(connections)
  if (from === undefined) return
  const rows = Array.from({ length: Math.ceil(connections.length / 20) }, (_, at) => {
    const chosen = [...new Set(Array.from({ length: 1 + chance.under(5) }, () => chance.of(from).alias))]
    const settings = {
      ...{ connections: chosen, include: ['*'], exclude: chance.yes(0.3) ? ['*__delete_*'] : [] },
      ...(chance.yes(0.2) ? { discovery: 'search' } : {}),
    }
    const made = now - chance.under(400) * DAY
    return {
      ...{
        id: chance.id('tls', made),
        organization_id: organization.id,
        slug: `work-${at + 1}`,
        title: `Work ${at + 1}`,
      },
      ...{ settings, origin: 'administration', created_at: time(made) },
    }
  })
  await insert(sql, 'toolsets', rows)
}

/** Most hold for the organization, some for a connection or a member; two in ten only try themselves, or are off. */
export async function makeRules({ sql, chance, organization, now }: Making, town: Town): Promise<void> {
  const [from, people] = [some(town.connections), some(town.people)]
  const rows = Array.from({ length: organization.rules }, (_, at) => {
    const scope =
      from === undefined ? 'organization' : chance.of(['organization', 'organization', 'connection', 'member'])
    const made = now - chance.under(300) * DAY
    return {
      ...{ id: chance.id('rul', made), organization_id: organization.id, scope, toolset: null },
      connection_id: scope === 'connection' ? from && chance.of(from).id : null,
      user_id: scope === 'member' ? people && chance.of(people).id : null,
      ...{ key_id: null, name: `rule-${at + 1}`, words: wordsOf(chance) },
      state: chance.of(['on', 'on', 'on', 'on', 'on', 'on', 'on', 'on', 'shadow', 'off']),
      ...{ origin: 'administration', created_by: town.people[0]?.id ?? 'operator' },
      ...{ created_at: time(made), updated_at: time(made) },
    }
  })
  await insert(sql, 'organization_rules', rows)
}

const wordsOf = (chance: Chance): object =>
  chance.of<object>([
    words('approve', { effects: ['destructive'] }, { by: { roles: ['tenant_admin'] } }),
    words('warn', { tools: ['*export*'] }, {}),
    words('block', { tools: ['*__delete_contract*'] }, {}),
    words('block', { tools: ['*'], when: 'timestamp(context.time).getHours() < 5 && tool.effect == "write"' }, {}),
    words('warn', { tools: ['*'], when: 'principal.role == "tenant_viewer"' }, {}),
  ])

/** The parts of a rule that its row has as JSON, checked as a rule that an administrator writes is. */
function words(action: string, match: object, parameters: object): object {
  const reason = 'Nobody changes records of customers without a second pair of eyes.'
  const rule = RuleWords.parse({ name: 'rule', match, action, parameters, reason })
  return { match: rule.match, action, parameters: rule.parameters, reason }
}

/** The rule that the questions come from, as a call keeps it with its question. */
const ASKING = {
  ...RuleWords.parse({
    ...{ name: 'destructive-needs-approval', action: 'approve', reason: 'Nobody destroys anything alone.' },
    ...{ match: { effects: ['destructive'] }, parameters: { by: { roles: ['tenant_admin'] } } },
  }),
  ...{ id: 'file:organization:destructive-needs-approval', scope: 'organization' },
}

/** Of ten: one waits, and the others were granted, denied, used, or ran out. */
export async function makeApprovals({ sql, vault, chance, organization, now }: Making, town: Town): Promise<void> {
  const [from, people] = [some(town.connections.filter(({ tools }) => tools.length > 0)), some(town.people)]
  if (from === undefined || people === undefined) return
  const rows = Array.from({ length: organization.approvals }, () => {
    const state = chance.of([
      'pending',
      'granted',
      'denied',
      'denied',
      'expired',
      'used',
      'used',
      'used',
      'used',
      'used',
    ])
    const made =
      state === 'pending' || state === 'granted' ? now - chance.under(20) * HOUR : now - chance.under(90) * DAY
    const id = chance.id('apr', made) as ApprovalId
    const [connection, person] = [chance.of(from), chance.of(people)]
    const decided = state === 'pending' || state === 'expired' ? null : time(made + chance.under(HOUR))
    return {
      ...{ id, organization_id: organization.id, connection_id: connection.id },
      ...{ tool: chance.of(connection.tools as Several<string>), effect: chance.of(['write', 'write', 'destructive']) },
      ...{ digest: createHash('sha256').update(id).digest('hex'), principal: person.id, caller: person.email },
      ...{ user_id: person.id, client: chance.of(['claude-ai', 'Cursor', 'Open WebUI']), account: null },
      rules: [ASKING],
      sealed_arguments: vault.seal(
        JSON.stringify({ arguments: { id: `C-${chance.under(90_000)}` } }),
        approvalSealContext(id),
      ),
      ...{ state, created_at: time(made), expires_at: time(made + DAY), decided_at: decided },
      decided_by: decided === null ? null : (people[0]?.id ?? null),
      good_until: state === 'granted' ? time(now + DAY) : decided === null ? null : time(made + DAY),
      ...{ repeats: false, used_at: state === 'used' ? decided : null, uses: state === 'used' ? 1 : 0 },
      ...{ told_at: null, rounds: 0, lasting_digest: null, tool_hash: null, made_by: null },
    }
  })
  await insert(sql, 'approvals', rows)
}

/** Of the servers that keep accounts, each third has one of the organization's; and each has some of its members'. */
export async function makeAccounts({ sql, vault, chance, organization, now }: Making, town: Town): Promise<number> {
  const rows = town.connections.flatMap((connection, at) => {
    const { provider } = connection
    if (provider === undefined) return []
    const members = Array.from({ length: 1 + chance.under(12) }, () => town.people[chance.under(town.people.length)])
    const owners = [...(at % 3 === 0 ? [undefined] : []), ...new Set(members)]
    return owners.map((person) => {
      const made = now - chance.under(200) * DAY
      const id = chance.id('crd', made) as CredentialId
      const named = chance.yes(0.7)
      const refused = chance.yes(0.1)
      const renewable = chance.yes(0.7)
      // No authorization server of the town is there: those that a gateway would renew expire later, or all of them become alerts.
      const days = renewable ? 2 + chance.under(38) : chance.under(60) - 20
      return {
        ...{ id, organization_id: organization.id, connection_id: provider === 'mcp' ? connection.id : null, provider },
        ...{ user_id: person?.id ?? null, provider_user_id: named ? `account-${chance.under(1e6)}` : null },
        provider_username: named ? (person?.email ?? `robot@${organization.slug}.example`) : null,
        sealed_access_token: vault.seal(`town-access-${id}`, accessTokenSealContext(id)),
        sealed_refresh_token: renewable ? vault.seal(`town-refresh-${id}`, refreshTokenSealContext(id)) : null,
        ...{ token_type: 'Bearer', expires_at: chance.yes(0.5) ? time(now + days * DAY) : null },
        ...{ scopes: ['read', 'write'], provider_data: {}, active: !chance.yes(0.03) },
        ...{ created_at: time(made), updated_at: time(made), kind: 'oauth', account: 'default', is_default: true },
        problem: refused ? 'its authorization server does not renew it: invalid_grant' : null,
        problem_at: refused ? time(now - DAY) : null,
        ...{ version: 1, renewed_at: time(made), failures: 0 },
      }
    })
  })
  // A member has one account at a vendor, whatever number of connections uses it.
  const places = new Map(rows.map((row) => [`${row.provider} ${row.connection_id} ${row.user_id}`, row]))
  await insert(sql, 'credentials', [...places.values()])
  return places.size
}
