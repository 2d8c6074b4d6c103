/** The catalog's entries for native connectors. A list of them loads none; one is loaded when it is looked at. */
import { CONNECTORS, scopesOf } from '@toolway/connectors'
import { Fault, LIMITS, type CatalogEntry } from '@toolway/contract'
import type { NativeConnector } from '@toolway/contract/admin'
import type { z } from 'zod'
import { leastScopes, providerOf } from '../../kinds/native/least-scopes.ts'

export const NATIVE_ENTRIES: readonly CatalogEntry[] = Object.entries(CONNECTORS).map(
  ([vendor, { title, about, category, address, docs, key, keyOnly, officialServer }]) => ({
    id: `native-${vendor}`,
    title,
    about,
    icon: vendor,
    category,
    connector: 'native',
    url: address,
    command: null,
    auth: keyOnly === true ? ['api_key'] : key === undefined ? ['oauth'] : ['oauth', 'api_key'],
    key: key === undefined ? null : { page: key.page, placeholder: key.looks },
    scopes: [],
    asks: [],
    native: { vendor, official_server: officialServer ?? null },
    programs: [],
    documentation: docs,
    seeds: [],
  }),
)

/** Throws `thing.unknown`. */
export async function nativeConnector(name: string): Promise<z.input<typeof NativeConnector>> {
  const known = Object.hasOwn(CONNECTORS, name) ? CONNECTORS[name] : undefined
  if (known === undefined) throw new Fault('thing.unknown', { thing: 'native connector' })
  const vendor = await known.load()
  const [read, write, execute] = LIMITS.map((limit) => [...leastScopes(vendor, limit)])
  return {
    vendor: name,
    title: known.title,
    provider: providerOf(name)?.key ?? null,
    scopes: { read: read ?? [], write: write ?? [], execute: execute ?? [] },
    tools: [...vendor.tools].map(([tool, value]) => ({
      name: tool,
      description: value.description,
      effect: value.effect,
      scopes: [...scopesOf(vendor, value)],
      unsupported: value.unsupported ?? null,
    })),
  }
}
