/** The parts that Google's connectors share: failures, and the files of Drive. */
import {
  byCode,
  choice,
  get,
  maybe,
  rest,
  shape,
  str,
  strs,
  text,
  token,
  type FailureReader,
  type Json,
} from '../kit/index.ts'

/** Google answers 403 for its limits too. */
export const googleFailures: readonly FailureReader[] = [
  byCode('error.errors[].reason', ({ status, body }) => status === 403 && Array.isArray(get(body, 'error.errors')), {
    RATE_LIMITED: ['rateLimitExceeded', 'userRateLimitExceeded', 'dailyLimitExceeded', 'quotaExceeded'],
    PERMISSION_DENIED: [
      'forbidden',
      'insufficientPermissions',
      'insufficientFilePermissions',
      'accessNotConfigured',
      'domainPolicy',
      'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    ],
  }),
]

const size = { name: 'page_size', as: 'pageSize', default: 20, max: 100 }

/** Drive, version 3: the list, metadata, permissions and export of files. */
export const drive = rest({
  base: 'https://www.googleapis.com/drive/v3',
  paging: token('nextPageToken', 'pageToken', size),
  failures: googleFailures,
})

export const scopeOf = (name: string) => `https://www.googleapis.com/auth/${name}`
export const METADATA = [scopeOf('drive.metadata.readonly')]

const FIELDS = 'id,name,createdTime,modifiedTime,owners(emailAddress),shared,webViewLink'

export const DriveFile = shape({
  id: str(),
  name: str(),
  owners: strs('owners[].emailAddress'),
  created: str('createdTime'),
  modified: str('modifiedTime'),
  url: str('webViewLink'),
})
export const Permission = shape({
  id: str(),
  role: str(),
  type: str(),
  email: str('emailAddress'),
  name: str('displayName'),
  domain: str(),
})

/** A text within a query of Drive. */
const quoted = (value: string): string => `'${value.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`

/** The arguments of a list of files of one type. Files of shared drives are listed too. */
const filesOf = (type: string, conditions: readonly (string | undefined)[], orderBy?: string): Json => ({
  q: [
    `mimeType = ${quoted(type)}`,
    'trashed = false',
    ...conditions.filter((condition) => condition !== undefined),
  ].join(' and '),
  orderBy,
  fields: `nextPageToken,files(${FIELDS})`,
  supportsAllDrives: true,
  includeItemsFromAllDrives: true,
})
const ownedBy = (email: string | undefined) => (email === undefined ? undefined : `${quoted(email)} in owners`)

const owner_email = maybe('Only files owned by this person, e.g. ada@example.com')
const ORDERS = ['modifiedTime', 'modifiedTime desc', 'name', 'name desc', 'createdTime', 'createdTime desc'] as const

/** The tools that list the files of one type. `many` names them in descriptions. */
export const fileTools = (type: string, many: string) => ({
  list: drive.read('GET /files', {
    says: `List the ${many} that the connected account can access, most recently changed first.`,
    input: { order_by: choice(ORDERS).default('modifiedTime desc'), owner_email },
    send: (input) => filesOf(type, [ownedBy(input.owner_email)], input.order_by),
    at: 'files',
    list: DriveFile,
    scopes: METADATA,
  }),
  search: drive.read('GET /files', {
    says: `Find ${many} by words in their name or text.`,
    input: { query: text('Words, e.g. quarterly report'), owner_email },
    send: (input) => filesOf(type, [`fullText contains ${quoted(input.query)}`, ownedBy(input.owner_email)]),
    at: 'files',
    list: DriveFile,
    scopes: METADATA,
  }),
  shared: drive.read('GET /files', {
    says: `List the ${many} that others shared with the connected account.`,
    send: () => filesOf(type, ['sharedWithMe = true']),
    at: 'files',
    list: DriveFile,
    scopes: METADATA,
  }),
  permissions: (name: string) =>
    drive.read('GET /files/{fileId}/permissions', {
      says: `List who has access to one of the ${many}, and with which role.`,
      input: { [name]: text('Identifier, from its address, e.g. 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms') },
      send: (input) => ({
        fileId: (input as Json)[name],
        fields: 'nextPageToken,permissions(id,role,type,emailAddress,displayName,domain)',
        supportsAllDrives: true,
      }),
      at: 'permissions',
      list: Permission,
      scopes: METADATA,
    }),
})
