/** The metadata endpoints of a contract backend, for two organizations: `GET /api/v1/data/metadata/catalog` and `…/facets`. */
export interface Metadata {
  /** Fields of each namespace. */
  readonly namespaces: Readonly<Record<string, readonly string[]>>
  readonly facets: readonly string[]
}

const SHARED = {
  sam: ['agency', 'naics_code', 'set_aside', 'posted_date'],
  source: ['storage_folder', 'content_type'],
}

export const METADATA: Readonly<Record<string, Metadata>> = {
  acme: {
    namespaces: { ...SHARED, custom: ['region', 'clearance_level'] },
    facets: ['agency', 'naics_code', 'content_type'],
  },
  globex: { namespaces: { ...SHARED, custom: ['department'] }, facets: ['agency', 'sector'] },
}

export const EMPTY: Metadata = { namespaces: {}, facets: [] }

const facetOf = (name: string) => ({
  facet_name: name,
  display_name: name.replaceAll('_', ' '),
  data_type: 'string',
  description: null,
  operators: ['eq', 'in'],
  mappings: [{ content_type: 'asset', json_path: `sam.${name}` }],
})

export const catalogOf = ({ namespaces, facets }: Metadata) => ({
  namespaces: Object.entries(namespaces).map(([namespace, fields]) => ({
    namespace,
    display_name: namespace,
    description: null,
    doc_count: 3,
    fields: fields.map((field) => ({
      namespace,
      field_name: field,
      data_type: 'string',
      indexed: true,
      facetable: true,
      applicable_content_types: ['asset'],
      description: null,
      examples: null,
    })),
  })),
  facets: facets.map(facetOf),
  total_indexed_docs: 3,
})

/** The list that the backend gives, or the object that its first gateway expected. */
export const facetsOf = ({ facets }: Metadata, shape: 'list' | 'object'): unknown =>
  shape === 'list' ? facets.map(facetOf) : { facets: facets.map((name) => ({ name })) }
