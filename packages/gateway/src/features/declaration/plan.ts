/**
 * Plans the steps that bring an installation to the state of a declaration file, in the order in which they are carried out, each
 * with its calls of operations. Planning changes nothing.
 *
 * The order is for safety: rules come before the connections that they apply to can be used, exceptions after the rules that they
 * lift, and removals at the end.
 */
import {
  addWebhook,
  changeWebhook,
  putGroup,
  putToolset,
  removeConnection,
  removeGroup,
  removeToolset,
  removeWebhook,
} from '@toolway/contract/admin'
import { namesPrivate } from '../../kinds/remote.ts'
import type { Act, Call } from './call.ts'
import type { Declared, DeclaredProvider } from './declared.ts'
import { planConnections } from './plan-connections.ts'
import { planSections } from './plan-sections.ts'
import { extraDomains, extraProviders, planDomains, planProviders, type KnownProvider } from './plan-sign-in.ts'
import { forcing, planOrganizationRules, planPlatformRules, type RulePlan } from './plan-rules.ts'
import {
  readOrganizations,
  readPlatformProviders,
  readPlatformRules,
  readPresent,
  type KnownContent,
  type KnownState,
} from './present.ts'
import { fieldsOf, type Step, type PlanMode } from './steps.ts'
import { connectorOf } from './wanted-connection.ts'
import { addressesIn } from './written.ts'

export interface Plan {
  readonly steps: readonly Step[]
  /** Removals of what is there and is not declared, in their order. */
  readonly extra: readonly Step[]
  /** Declarations of the file that no operation can apply. */
  readonly notes: readonly string[]
}

/** Plans with the state that operations answer. */
export async function planOf(call: Call, way: PlanMode, declarations: readonly Declared[]): Promise<Plan> {
  const known = new Set((await readOrganizations(call)).map(({ slug }) => slug))
  const organizations: { readonly declared: Declared; readonly present: KnownState | undefined }[] = []
  for (const declared of declarations)
    organizations.push({
      declared,
      present: known.has(declared.slug) ? await readPresent(call, declared.slug) : undefined,
    })
  const rules = declaredPlatformRules(declarations)
  const providers = declaredPlatformProviders(declarations)
  const toBeCreated = organizations.flatMap(({ declared, present }) => comingOf(declared, present))
  const plans: RulePlan[] =
    rules === undefined ? [] : [planPlatformRules(way, await readPlatformRules(call), rules, toBeCreated)]
  for (const { declared, present } of organizations) {
    const { steps, undeclared } = await planInside(call, way, declared, present)
    plans.push({ steps: [...planSections(declared, present), ...steps], undeclared })
  }
  // Their mappings name organizations and groups, which are there by then.
  if (providers !== undefined) plans.push(planPlatformProviders(way, providers, await readPlatformProviders(call)))
  return {
    steps: plans.flatMap(({ steps }) => steps),
    extra: plans.flatMap(({ undeclared }) => undeclared),
    notes: declarations.flatMap(({ slug, keys }) =>
      keys.map(
        ({ name }) => `The key "${name}" of ${slug} can be declared only at startup: no operation accepts its value.`,
      ),
    ),
  }
}

/** The rules that the file declares for the platform; undefined where it has no section for them. */
export function declaredPlatformRules(declarations: readonly Declared[]) {
  const sections = declarations.flatMap(({ platform }) => platform?.rules ?? [])
  return declarations.some(({ platform }) => platform?.rules !== undefined) ? sections : undefined
}

/** The identity providers that the file declares for the installation; undefined where it has no section for them. */
export function declaredPlatformProviders(declarations: readonly Declared[]) {
  const sections = declarations.flatMap(({ platform }) => platform?.identityProviders ?? [])
  return declarations.some(({ platform }) => platform?.identityProviders !== undefined) ? sections : undefined
}

export const planPlatformProviders = (
  way: PlanMode,
  declared: readonly DeclaredProvider[],
  present: readonly KnownProvider[],
): RulePlan => ({
  steps: planProviders(way, undefined, declared, present),
  undeclared: extraProviders(way, undefined, declared, present),
})

/** Aliases of the connections that the file adds, or makes another kind of: their tools are not known yet. */
function comingOf({ connections }: Declared, present: KnownContent | undefined): string[] {
  const kinds = new Map(present?.connections.map(({ alias, connector }) => [alias, connector]))
  return connections.flatMap((connection) =>
    kinds.get(connection.alias) === connectorOf(connection) ? [] : [connection.alias],
  )
}

/** Plans all that is inside an organization. */
export async function planInside(
  call: Call,
  way: PlanMode,
  declared: Declared,
  present: KnownContent | undefined,
): Promise<RulePlan> {
  const connections = await planConnections(call, way, declared, present)
  const { own, ofConnections } = planOrganizationRules(way, declared, present, comingOf(declared, present))
  return {
    steps: [
      ...planGroups(way, declared, present),
      ...own.steps,
      ...connections,
      ...ofConnections.steps,
      ...planToolsets(way, declared, present),
      ...planWebhooks(declared, present),
      ...planDomains(declared, present),
      ...planProviders(way, declared.slug, declared.identityProviders ?? [], present?.identityProviders ?? []),
    ],
    undeclared: [...extraOf(way, declared, present), ...ofConnections.undeclared, ...own.undeclared],
  }
}

function planGroups(
  way: PlanMode,
  { slug: organization, groups = [] }: Declared,
  present: KnownContent | undefined,
): Step[] {
  return groups.flatMap(({ slug, title, members }): Step[] => {
    const addresses = [...new Set(members.map((member) => member.toLowerCase()))].toSorted()
    const group = present?.groups.find((item) => item.slug === slug)
    const acts = [{ operation: putGroup, params: { organization, group: slug }, body: { title, awaited: addresses } }]
    const step = { organization, thing: 'group', name: slug, acts } as const
    if (group === undefined) return [{ ...step, action: 'create', fields: [] }]
    const fields = fieldsOf({ title: group.title, members: addressesIn(group) }, { title, members: addresses })
    way.refuse({ thing: 'group', name: slug, origin: group.origin, fields })
    if (fields.length === 0) return []
    return [{ ...step, action: 'change', fields }]
  })
}

function planToolsets(way: PlanMode, declared: Declared, present: KnownContent | undefined): Step[] {
  const { slug: organization, toolsets } = declared
  const toBeCreated = comingOf(declared, present)
  return toolsets.flatMap(({ slug, title, settings }): Step[] => {
    const toolset = present?.toolsets.find((item) => item.slug === slug)
    const query = forcing(settings.rules ?? [], toBeCreated)
    const params = { organization, toolset: slug }
    const acts = [{ operation: putToolset, params, ...query, body: { ...settings, title } }]
    const step = { organization, thing: 'toolset', name: slug, acts } as const
    if (toolset === undefined) return [{ ...step, action: 'create', fields: [] }]
    const fields = fieldsOf({ title: toolset.title, ...toolset.settings }, { title, ...settings })
    way.refuse({ thing: 'toolset', name: slug, origin: toolset.origin, fields })
    if (fields.length === 0) return []
    return [{ ...step, action: 'change', fields }]
  })
}

/** A webhook has no name but its address. */
function planWebhooks({ slug: organization, webhooks = [] }: Declared, present: KnownContent | undefined): Step[] {
  return webhooks.flatMap(
    ({ url, private: reach = namesPrivate(url), description = null, events, enabled }): Step[] => {
      const words = { private: reach, description, events, enabled }
      const webhook = present?.webhooks.find((item) => item.url === url)
      const step = { organization, thing: 'webhook', name: url } as const
      if (webhook === undefined) {
        const acts = [{ operation: addWebhook, params: { organization }, body: { url, ...words } }]
        return [{ ...step, action: 'create', fields: [], acts }]
      }
      const { private: before, ...rest } = webhook
      const fields = fieldsOf(
        { private: before, description: rest.description, events: rest.events, enabled: rest.enabled },
        words,
      )
      const acts = [{ operation: changeWebhook, params: { organization, webhook: webhook.id }, body: words }]
      return fields.length === 0 ? [] : [{ ...step, action: 'change', fields, acts }]
    },
  )
}

/** Returns the removals of resources that are present and not declared, as far as the plan may remove them. */
function extraOf(
  way: PlanMode,
  { slug: organization, ...declared }: Declared,
  present: KnownContent | undefined,
): Step[] {
  if (present === undefined) return []
  const remove = (thing: Step['thing'], name: string, act: Act): Step => ({
    ...{ action: 'remove', organization, thing, name, fields: [], acts: [act] },
  })
  const aliases = new Set(declared.connections.map(({ alias }) => alias))
  const toolsets = new Set(declared.toolsets.map(({ slug }) => slug))
  const groups = new Set(declared.groups?.map(({ slug }) => slug))
  const urls = declared.webhooks && new Set(declared.webhooks.map(({ url }) => url))
  return [
    ...present.connections
      .filter(({ alias, origin }) => way.removes(origin) && !aliases.has(alias))
      .map(({ alias: connection }) =>
        remove('connection', connection, { operation: removeConnection, params: { organization, connection } }),
      ),
    ...present.toolsets
      .filter(({ slug, origin }) => way.removes(origin) && !toolsets.has(slug))
      .map(({ slug: toolset }) =>
        remove('toolset', toolset, { operation: removeToolset, params: { organization, toolset } }),
      ),
    ...present.groups
      .filter(({ slug, origin }) => way.removes(origin) && !groups.has(slug))
      .map(({ slug: group }) => remove('group', group, { operation: removeGroup, params: { organization, group } })),
    ...present.webhooks
      .filter(({ url }) => urls !== undefined && way.removes(undefined) && !urls.has(url))
      .map(({ id: webhook, url }) =>
        remove('webhook', url, { operation: removeWebhook, params: { organization, webhook } }),
      ),
    ...extraProviders(way, organization, declared.identityProviders, present.identityProviders),
    ...extraDomains(way, { slug: organization, ...declared }, present),
  ]
}
