/**
 * Writes the present state of organizations as the text of a declaration file: sorted by name, without default values, so that
 * the same state always gives the same text. State that a file cannot hold is left out and reported by name.
 */
import { RuleWords } from '@toolway/contract'
import {
  ProviderSettings,
  type Group,
  type IdentityProvider,
  type KeptRule,
  type Toolset,
  type Webhook,
} from '@toolway/contract/admin'
import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import { namesPrivate } from '../../kinds/remote.ts'
import { DEFAULT_SLUG } from '../../organizations/organizations.ts'
import { impliesPrivate } from './plan-sign-in.ts'
import type { Present } from './present.ts'
import { without } from './without.ts'
import { writtenConnection, type Refer } from './written-connection.ts'

export interface Written {
  readonly text: string
  /** Environment variables that the file refers to, each for one secret. */
  readonly variables: readonly string[]
  /** State that the file cannot hold, one line each. */
  readonly leftOut: readonly string[]
}

export interface Installation {
  readonly organizations: readonly Present[]
  /** Undefined where the rules of the platform are not part of it. */
  readonly platformRules: readonly KeptRule[] | undefined
  readonly platformProviders?: readonly IdentityProvider[] | undefined
}

export function written({ organizations, platformRules = [], platformProviders = [] }: Installation): Written {
  const variables = new Set<string>()
  const leftOut: string[] = []
  const sections = organizations.map((present) => {
    const { slug } = present.organization
    const named = slug === DEFAULT_SLUG ? [] : [slug]
    return [slug, organizationSections(present, createRefer(variables, named), (what) => leftOut.push(what))] as const
  })
  const own = sections.find(([slug]) => slug === DEFAULT_SLUG)?.[1] ?? {}
  const others = Object.fromEntries(sections.filter(([slug]) => slug !== DEFAULT_SLUG))
  const platform = writtenRules(platformRules, (what) => leftOut.push(what))
  const providers = writtenProviders(platformProviders, createRefer(variables, ['platform']))
  const sectionsOfAll = { ...(platform.length === 0 ? {} : { rules: platform }), ...providers }
  const file = {
    ...(Object.keys(sectionsOfAll).length === 0 ? {} : { platform: sectionsOfAll }),
    ...own,
    ...(Object.keys(others).length === 0 ? {} : { organizations: others }),
  }
  return { text: stringify(file, { lineWidth: 0 }), variables: [...variables], leftOut }
}

/** Two names that come to the same variable are told apart by a number. */
function createRefer(variables: Set<string>, prefix: readonly string[]): Refer {
  return (...names) => {
    const name = [...prefix, ...names]
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
    let env = name
    for (let at = 2; variables.has(env); at++) env = `${name}_${at}`
    variables.add(env)
    return { env }
  }
}

type Leave = (what: string) => void

function organizationSections(present: Present, refer: Refer, leave: Leave): object {
  const { organization, egress, webhooks, connections, toolsets, groups, rules, keys } = present
  const { slug, name, description, contact_email: contact, settings } = organization
  const inSlug: Leave = (what) => leave(slug === DEFAULT_SLUG ? what : `${what} of the organization ${slug}`)
  for (const key of keys) inSlug(`the key "${key.name}", whose value is not stored`)
  for (const token of present.scimTokens) inSlug(`the SCIM token "${token.name}", whose secret is not stored`)
  for (const rule of rules)
    if (rule.scope === 'member' || rule.scope === 'key')
      inSlug(`the rule "${rule.name}" of the ${rule.scope} ${rule.of}`)
  if (!organization.is_active) inSlug('that it is not active')
  const rulesOf = (scope: KeptRule['scope'], of: string | null) =>
    writtenRules(
      rules.filter((rule) => rule.scope === scope && rule.of === of),
      inSlug,
    )
  const own = rulesOf('organization', null)
  return {
    ...(name === slug ? {} : { name }),
    ...(description === null ? {} : { description }),
    ...(contact === null ? {} : { contact_email: contact }),
    settings,
    ...(egress.networks.length + egress.hosts.length === 0
      ? {}
      : { egress: without(egress, { networks: [], hosts: [] }) }),
    ...(webhooks.length === 0 ? {} : { webhooks: sorted(webhooks, ({ url }) => url).map(writtenWebhook) }),
    ...writtenProviders(present.identityProviders, refer),
    ...named(
      'identity_domains',
      present.identityDomains,
      ({ domain }) => domain,
      ({ enforced, break_glass: glass }) =>
        without({ enforced, break_glass: glass }, { enforced: false, break_glass: null }),
    ),
    ...(own.length === 0 ? {} : { rules: own }),
    ...named(
      'connections',
      connections,
      ({ alias }) => alias,
      (connection) => writtenConnection(connection, rulesOf('connection', connection.alias), refer),
    ),
    ...named('toolsets', toolsets, ({ slug: key }) => key, writtenToolset),
    ...named('groups', groups, ({ slug: key }) => key, writtenGroup),
  }
}

function named<Row>(member: string, rows: readonly Row[], keyOf: (row: Row) => string, write: (row: Row) => object) {
  const entries = sorted(rows, keyOf).map((row) => [keyOf(row), write(row)])
  return entries.length === 0 ? {} : { [member]: Object.fromEntries(entries) as Record<string, object> }
}

const sorted = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): readonly Row[] =>
  rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

function writtenRules(rules: readonly KeptRule[], leave: Leave): object[] {
  return sorted(rules, ({ name }) => name).flatMap((rule) => {
    const words = wordsOf(rule)
    if (words !== undefined) return [writtenRule(words)]
    leave(`the rule "${rule.name}", which cannot be read (${rule.problem ?? 'unknown'})`)
    return []
  })
}

/** A rule as it is written; undefined where this version cannot read it. */
export function wordsOf({ name, match, action, parameters, reason, state }: KeptRule): RuleWords | undefined {
  const read = RuleWords.safeParse({ name, match, action, parameters, reason, state })
  return read.success ? read.data : undefined
}

/** Shorter by what is the same where nothing is said; read again, it is the same rule. */
function writtenRule({ name, action, parameters, match, reason, state }: RuleWords): object {
  const bare = RuleWords.safeParse({ name, action, reason })
  return without(
    { name, action, parameters, match: without(match, { tools: ['*'] }), reason, state },
    { parameters: bare.success ? bare.data.parameters : undefined, match: {}, state: 'on' },
  )
}

function writtenToolset({ slug, title, settings }: Toolset): object {
  const { rules, ...rest } = settings
  return without(
    { title, ...rest, ...(rules === undefined ? {} : { rules: rules.map(writtenRule) }) },
    { title: slug, include: ['*'], exclude: [] },
  )
}

/** Everybody who is in it or will be, by address. */
export const addressesIn = ({
  members,
  awaited,
}: {
  readonly members: readonly Pick<Group['members'][number], 'email'>[]
  readonly awaited: readonly string[]
}): string[] => [...new Set([...members.map(({ email }) => email), ...awaited])].toSorted()

const writtenGroup = (group: Group): object =>
  without({ title: group.title, members: addressesIn(group) }, { title: group.slug, members: [] })

const writtenProviders = (providers: readonly IdentityProvider[], refer: Refer): object =>
  named(
    'identity_providers',
    providers,
    ({ slug }) => slug,
    ({ slug, title, enabled, private: reach, settings, has_secret: hasSecret }) =>
      without(
        {
          ...{ title, enabled, private: reach },
          settings: { ...leastOf(settings), ...without(settings, ProviderSettings.parse(leastOf(settings))) },
          client_secret: hasSecret ? refer('identity_provider', slug, 'secret') : undefined,
        },
        { title: slug, enabled: false, private: impliesPrivate(settings) },
      ),
  )

/** Without what has a default. */
const leastOf = (settings: ProviderSettings): object =>
  settings.kind === 'oidc'
    ? { kind: settings.kind, issuer: settings.issuer, client_id: settings.client_id }
    : {
        ...{ kind: settings.kind, entity_id: settings.entity_id },
        ...{ sso_url: settings.sso_url, certificates: settings.certificates },
      }

function writtenWebhook({ url, description, events, enabled, private: reach }: Webhook): object {
  const isAlert = isDeepStrictEqual(events, ['alert'])
  return without(
    { url, description: description ?? undefined, events: isAlert ? undefined : events, enabled, private: reach },
    { enabled: true, private: namesPrivate(url) },
  )
}
