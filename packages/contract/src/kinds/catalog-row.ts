/** The row of a kind in the catalog: what a person reads there, and what is asked of them. */
export const CATALOG_CATEGORIES = ['code', 'work', 'messages', 'documents', 'usage', 'data', 'media', 'other'] as const
export type CatalogCategory = (typeof CATALOG_CATEGORIES)[number]

export interface CatalogAsk {
  /** A variable of the program, a word in braces in its command line, or a header. */
  readonly name: string
  readonly in: 'environment' | 'args' | 'headers' | 'url' | 'command'
  readonly about: string
  readonly required: boolean
  readonly secret: boolean
  readonly placeholder: string | null
}

/** The members of such a row. */
export interface CatalogRow {
  readonly id: string
  readonly title: string
  readonly about: string
  /** Name of a drawing in the console's set; absent: as the ID. */
  readonly icon?: string
  readonly category: CatalogCategory
  readonly url: string | null
  readonly auth: readonly ('oauth' | 'api_key' | 'none')[]
  readonly asks?: readonly CatalogAsk[]
  readonly documentation?: string
  readonly seeds: readonly string[]
}

/** A header that is asked for, whose value is a secret. */
export const header = (name: string, about: string): CatalogAsk => ({
  ...{ name, about, in: 'headers', required: true, secret: true, placeholder: null },
})
