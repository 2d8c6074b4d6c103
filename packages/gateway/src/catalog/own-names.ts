/**
 * The servers' own names at a joined endpoint, of those servers that have pages of apps: a page knows no other names of its tools and
 * its `ui://` addresses (MCP Apps; ADR 0122). Made on first use, for a name that the endpoint does not know.
 */
import { isObject, PAGE_MEMBERS, type JsonObject } from '@toolway/protocol'
import type { Endpoint, ListedTool } from './listing-items.ts'
import { targetOf, type Offered, type OwnNames, type OwnTool } from './tool-listing.ts'

export const PAGE_URI_PREFIX = 'ui://'

/** A template's text before its first variable. */
const beginningOf = (template: string): string => template.split('{', 1)[0] ?? ''

const isPage = (address: unknown): address is string =>
  typeof address === 'string' && address.startsWith(PAGE_URI_PREFIX)

/** The pages that a tool is shown in. */
function pagesOf({ _meta: meta }: JsonObject): readonly string[] {
  if (!isObject(meta)) return []
  const { ui } = meta
  return [isObject(ui) ? ui['resourceUri'] : undefined, ...PAGE_MEMBERS.map((member) => meta[member])].filter(isPage)
}

const hasPages = ({ tools, resources, templates }: Offered): boolean =>
  resources.some(({ uri }) => isPage(uri)) ||
  templates.some(({ uriTemplate }) => isPage(uriTemplate)) ||
  tools.some((tool) => pagesOf(tool).length > 0)

const lists = ({ tools, resources, templates }: Offered, address: string): boolean =>
  resources.some(({ uri }) => uri === address) ||
  tools.some((tool) => pagesOf(tool).includes(address)) ||
  templates.some(({ uriTemplate: template }) => {
    if (!isPage(template)) return false
    const beginning = beginningOf(template)
    return beginning.length > PAGE_URI_PREFIX.length && address.startsWith(beginning)
  })

const NO_TOOLS: readonly OwnTool[] = []

export function createOwnNames(
  { offered, joined, selects }: Endpoint,
  tools: ReadonlyMap<string, ListedTool>,
): OwnNames {
  let made: { readonly servers: readonly Offered[]; readonly byName: ReadonlyMap<string, OwnTool[]> } | undefined
  const make = () => {
    const servers = joined ? offered.filter(hasPages) : []
    const byName = new Map<string, OwnTool[]>()
    for (const [name, { from, definition, target }] of tools) {
      if (!servers.includes(from)) continue
      const same = byName.get(target.name)
      if (same === undefined) byName.set(target.name, [{ name, definition, target }])
      else same.push({ name, definition, target })
    }
    return { servers, byName }
  }
  return {
    tools: (name) => (made ??= make()).byName.get(name) ?? NO_TOOLS,
    addresses(uri) {
      const servers = (made ??= make()).servers.filter(
        ({ alias, capabilities }) => selects.whole(alias) && isObject(capabilities['resources']),
      )
      const listing = servers.filter((from) => lists(from, uri))
      const listed = listing.length > 0
      return { listed, targets: (listed ? listing : servers).map((from) => targetOf(from, { name: uri })) }
    },
  }
}
