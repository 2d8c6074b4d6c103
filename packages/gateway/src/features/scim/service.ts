/** What a SCIM service says of itself (RFC 7643, sections 5 to 7): its configuration, resource types and schemas. */
import { MOST_ITEMS } from './list.ts'
import { ENTERPRISE, GROUP, USER, type Json } from './schemas.ts'

export const BULK_OPERATIONS = 200
export const MOST_BODY = 4 * 1024 * 1024
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:'

export const serviceConfig = (base: string): Json => ({
  schemas: [`${CORE}ServiceProviderConfig`],
  documentationUri: new URL('/docs/guides/scim', base).href,
  patch: { supported: true },
  bulk: { supported: true, maxOperations: BULK_OPERATIONS, maxPayloadSize: MOST_BODY },
  filter: { supported: true, maxResults: MOST_ITEMS },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: 100,
    maxPageSize: MOST_ITEMS,
  },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'SCIM token',
      description: 'A token that an administrator of the organization created, as a bearer token.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

const type = (base: string, name: 'User' | 'Group', schema: string, extensions: readonly string[]): Json => ({
  schemas: [`${CORE}ResourceType`],
  id: name,
  name,
  endpoint: `/${name}s`,
  description: name === 'User' ? 'User Account' : 'Group',
  schema,
  ...(extensions.length === 0 ? {} : { schemaExtensions: extensions.map((id) => ({ schema: id, required: false })) }),
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
})

export const resourceTypes = (base: string): Json[] => [
  type(base, 'User', USER, [ENTERPRISE]),
  type(base, 'Group', GROUP, []),
]
