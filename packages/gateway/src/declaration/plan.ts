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
import { namesPrivate } from '../kinds/remote.ts'
import type { Declared } from '../config-file.ts'
import type { Act, Call } from './call.ts'
import { planConnections } from './plan-connections.ts'
import { planSections } from './plan-sections.ts'
import { forcing, planOrganizationRules, planPlatformRules } from './plan-rules.ts'
import { readOrganizations, readPlatformRules, readPresent, type Present } from './present.ts'
import { fieldsOf, refuseDeclared, type Step } from './steps.ts'
import { addressesIn } from './written.ts'

export interface Plan {
  readonly steps: readonly Step[]
  /** Removals of what is there and is not in the file: carried out where that is asked for. */
  readonly extra: readonly Step[]
  /** Declarations of the file that no operation can apply. */
  readonly notes: readonly string[]
}

export async function planOf(call: Call, declarations: readonly Declared[]): Promise<Plan> {
  const known = new Map((await readOrganizations(call)).map((organization) => [organization.slug, organization]))
  const plans: Plan[] = []
  const organizations: { readonly declared: Declared; readonly present: Present | undefined }[] = []
  for (const declared of declarations)
    organizations.push({
      declared,
      present: known.has(declared.slug) ? await readPresent(call, declared.slug) : undefined,
    })
  const platform = declarations.flatMap((declaration) => declaration.platform ?? [])
  if (platform.length > 0) {
    const wanted = platform.flatMap(({ rules }) => rules)
    const coming = organizations.flatMap(({ declared, present }) => comingOf(declared, present))
    plans.push({ notes: [], ...planPlatformRules(await readPlatformRules(call), wanted, coming) })
  }
  for (const { declared, present } of organizations) plans.push(await planOrganization(call, declared, present))
  return {
    steps: plans.flatMap(({ steps }) => steps),
    extra: plans.flatMap(({ extra }) => extra),
    notes: plans.flatMap(({ notes }) => notes),
  }
}

/** Aliases of the connections that the file adds. */
const comingOf = ({ connections }: Declared, present: Present | undefined): string[] =>
  connections
    .map(({ alias }) => alias)
    .filter((alias) => present?.connections.every((connection) => connection.alias !== alias) ?? true)

async function planOrganization(call: Call, declared: Declared, present: Present | undefined): Promise<Plan> {
  const connections = await planConnections(call, declared, present)
  const { own, ofConnections } = planOrganizationRules(declared, present, connections.replaced, [
    ...comingOf(declared, present),
    ...connections.replaced,
  ])
  return {
    steps: [
      ...planSections(declared, present),
      ...planGroups(declared, present),
      ...own.steps,
      ...connections.steps,
      ...ofConnections.steps,
      ...planToolsets(declared, present),
      ...planWebhooks(declared, present),
    ],
    extra: [...extraOf(declared, present), ...ofConnections.extra, ...own.extra],
    notes: declared.keys.map(
      ({ name }) =>
        `The key "${name}" of ${declared.slug} can be declared only at startup: no operation accepts its value.`,
    ),
  }
}

function planGroups({ slug: organization, groups }: Declared, present: Present | undefined): Step[] {
  return groups.flatMap(({ slug, title, members }): Step[] => {
    const wanted = [...new Set(members)].toSorted()
    const group = present?.groups.find((item) => item.slug === slug)
    const acts = [{ operation: putGroup, params: { organization, group: slug }, body: { title, awaited: wanted } }]
    const step = { organization, thing: 'group', name: slug, acts } as const
    if (group === undefined) return [{ ...step, action: 'create', fields: [] }]
    const fields = fieldsOf({ title: group.title, members: addressesIn(group) }, { title, members: wanted })
    if (fields.length === 0) return []
    refuseDeclared('group', slug, group.origin)
    return [{ ...step, action: 'change', fields }]
  })
}

function planToolsets(declared: Declared, present: Present | undefined): Step[] {
  const { slug: organization, toolsets } = declared
  const coming = comingOf(declared, present)
  return toolsets.flatMap(({ slug, title, settings }): Step[] => {
    const toolset = present?.toolsets.find((item) => item.slug === slug)
    const query = forcing(settings.rules ?? [], coming)
    const params = { organization, toolset: slug }
    const acts = [{ operation: putToolset, params, ...query, body: { ...settings, title } }]
    const step = { organization, thing: 'toolset', name: slug, acts } as const
    if (toolset === undefined) return [{ ...step, action: 'create', fields: [] }]
    const fields = fieldsOf({ title: toolset.title, ...toolset.settings }, { title, ...settings })
    if (fields.length === 0) return []
    refuseDeclared('toolset', slug, toolset.origin)
    return [{ ...step, action: 'change', fields }]
  })
}

/** A webhook has no name but its address. */
function planWebhooks({ slug: organization, webhooks = [] }: Declared, present: Present | undefined): Step[] {
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

/**
 * Returns the removals of resources that are present and not declared, except those that the running gateway's own file declares.
 */
function extraOf({ slug: organization, ...declared }: Declared, present: Present | undefined): Step[] {
  if (present === undefined) return []
  const remove = (thing: Step['thing'], name: string, act: Act): Step => ({
    ...{ action: 'remove', organization, thing, name, fields: [], acts: [act] },
  })
  const isOther = (names: readonly string[], name: string, origin: string) => origin !== 'file' && !names.includes(name)
  const aliases = declared.connections.map(({ alias }) => alias)
  const toolsets = declared.toolsets.map(({ slug }) => slug)
  const groups = declared.groups.map(({ slug }) => slug)
  const urls = declared.webhooks?.map(({ url }) => url)
  return [
    ...present.connections
      .filter(({ alias, origin }) => isOther(aliases, alias, origin))
      .map(({ alias: connection }) =>
        remove('connection', connection, { operation: removeConnection, params: { organization, connection } }),
      ),
    ...present.toolsets
      .filter(({ slug, origin }) => isOther(toolsets, slug, origin))
      .map(({ slug: toolset }) =>
        remove('toolset', toolset, { operation: removeToolset, params: { organization, toolset } }),
      ),
    ...present.groups
      .filter(({ slug, origin }) => isOther(groups, slug, origin))
      .map(({ slug: group }) => remove('group', group, { operation: removeGroup, params: { organization, group } })),
    ...present.webhooks
      .filter(({ url }) => urls !== undefined && !urls.includes(url))
      .map(({ id: webhook, url }) =>
        remove('webhook', url, { operation: removeWebhook, params: { organization, webhook } }),
      ),
  ]
}
