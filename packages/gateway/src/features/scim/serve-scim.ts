/**
 * Answers one SCIM request of an identity provider whose token is known: users, groups, bulk, and what the service says of itself.
 * Throws faults; the door words them as RFC 7644, section 3.12, has it.
 */
import { Fault } from '@toolway/contract'
import { comparisonsIn, type Filter } from './filter.ts'
import { checkInput, checkText } from './input.ts'
import { listPage, projected, wholeOf, type ListQuery, type Page } from './list.ts'
import { patched, stepsOf } from './patch.ts'
import { addGroupFor, patchGroupFor, removeGroupFor, replaceGroupFor } from './provide-group.ts'
import { addPersonFor, changePersonFor, personOf, removePersonFor, schemasOf, type Provider } from './provide-person.ts'
import { refused } from './refuse.ts'
import { GROUP, isObject, MESSAGES, USER, type Json, type Schemas } from './schemas.ts'
import * as groupRows from './scim-groups.rows.ts'
import * as peopleRows from './scim-people.rows.ts'
import { BULK_OPERATIONS, resourceTypes, serviceConfig } from './service.ts'

export interface ScimRequest {
  readonly method: string
  /** Behind the organization: `Users`, `usr_…`. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
  readonly body: Json | undefined
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
}

export interface ScimAnswer {
  readonly status: number
  readonly body?: Json
  readonly headers?: Readonly<Record<string, string>>
}

export interface ScimServer {
  readonly provider: Provider
  readonly schemas: Schemas
  /** `https://…/scim/v2/acme` */
  readonly base: string
}

/** Members of a group in an answer; with more, ask for the members by pages of people. */
const MOST_SHOWN = 10_000
const LIST = `${MESSAGES}ListResponse`

const etagOf = (version: number): string => `W/"${version}"`
const matchesTag = (header: string, version: number): boolean =>
  header.split(',').some((tag) => ['*', etagOf(version), `"${version}"`].includes(tag.trim()))

const checker =
  (ifMatch: string | undefined, thing: string) =>
  ({ version }: { readonly version: number }): void => {
    if (ifMatch !== undefined && !matchesTag(ifMatch, version)) throw new Fault('request.stale', { thing })
  }

const bodyOf = ({ body }: ScimRequest): Json => {
  if (body === undefined) throw refused('invalidSyntax', 'the request has no body')
  return body
}

const list = ({ total, resources, startIndex, nextCursor }: Page, query: ListQuery): Json => ({
  schemas: [LIST],
  totalResults: total,
  itemsPerPage: resources.length,
  ...(query.cursor === undefined ? { startIndex } : nextCursor === undefined ? {} : { nextCursor }),
  Resources: resources,
})

interface Stamped {
  readonly created_at: Date
  readonly updated_at: Date
  readonly version: number
}

const metaOf = (
  { created_at, updated_at, version }: Stamped,
  resourceType: 'User' | 'Group',
  location: string,
): Json => ({
  resourceType,
  created: created_at.toISOString(),
  lastModified: updated_at.toISOString(),
  location,
  version: etagOf(version),
})

/** Throws what the provider is refused with. */
export async function serveScim(server: ScimServer, request: ScimRequest): Promise<ScimAnswer> {
  const [kind = '', id] = request.path
  for (const part of request.path) checkText(part)
  if (request.path.length > 2) throw unknown(request)
  // Operations in bulk are checked each on its own, and each has its answer.
  if (kind === 'Bulk' && id === undefined) return bulk(server, request)
  checkInput(request.query)
  checkInput(request.body)
  if (kind === 'Users') return id === '.search' ? search(server, request) : serveOne(people(server), request)
  if (kind === 'Groups') return id === '.search' ? search(server, request) : serveOne(groups(server), request)
  if (kind === '.search' && id === undefined) return searchAll(server, request)
  const described = describe(server, kind, id)
  if (described === undefined) throw unknown(request)
  if (request.method !== 'GET') throw unserved(request, 'GET')
  return described
}

const unserved = ({ method }: ScimRequest, allowed: string) => new Fault('request.method', { method, allowed })

const unknown = ({ path }: ScimRequest) => new Fault('address.unknown', { path: `/scim/v2/…/${path.join('/')}` })

function describe({ base, schemas }: ScimServer, kind: string, id: string | undefined): ScimAnswer | undefined {
  if (kind === 'ServiceProviderConfig' && id === undefined) return { status: 200, body: serviceConfig(base) }
  const all = kind === 'ResourceTypes' ? resourceTypes(base) : kind === 'Schemas' ? schemas.describe(base) : undefined
  if (all === undefined) return undefined
  if (id === undefined)
    return { status: 200, body: list({ total: all.length, resources: all, startIndex: 1, nextCursor: undefined }, {}) }
  const found = all.find((item) => item['id'] === id)
  if (found === undefined) throw new Fault('thing.unknown', { thing: 'resource' })
  return { status: 200, body: found }
}

/** `POST …/.search` is the same list with its query in the body. */
function search(server: ScimServer, request: ScimRequest): Promise<ScimAnswer> {
  if (request.method !== 'POST') throw unserved(request, 'POST')
  const query = Object.fromEntries(
    Object.entries(bodyOf(request)).flatMap(([name, value]) => {
      if (Array.isArray(value)) return [[name, value.join(',')]]
      return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : []
    }),
  )
  return serveScim(server, { ...request, method: 'GET', path: request.path.slice(0, 1), query, body: undefined })
}

/** Of both kinds: people first, and groups behind them. */
async function searchAll(server: ScimServer, request: ScimRequest): Promise<ScimAnswer> {
  const { startIndex, count, ...rest } = bodyOf(request)
  const [first, most] = [Math.max(wholeOf(startIndex, 1), 1), Math.max(wholeOf(count, 100), 0)]
  const asked = (kind: string, from: number, number: number) =>
    search(server, { ...request, path: [kind, '.search'], body: { ...rest, startIndex: from, count: number } })
  const users = await asked('Users', first, most)
  const total = Number(users.body?.['totalResults'])
  const found = resourcesOf(users)
  const groups = await asked('Groups', Math.max(first - total, 1), most - found.length)
  const resources = [...found, ...resourcesOf(groups)]
  const page = {
    total: total + Number(groups.body?.['totalResults']),
    resources,
    startIndex: first,
    nextCursor: undefined,
  }
  return { status: 200, body: list(page, {}) }
}

const resourcesOf = ({ body }: ScimAnswer): Json[] => (body?.['Resources'] ?? []) as Json[]

interface Face {
  list(query: Readonly<Record<string, string>>): Promise<Page>
  get(id: string, query: Readonly<Record<string, string>>): Promise<Json>
  /** After a change, which stands: what is too large for an answer is left out. */
  getChanged(id: string, query: Readonly<Record<string, string>>): Promise<Json>
  /** The id of what was added. */
  add(body: Json): Promise<string>
  replace(id: string, body: Json, ifMatch: string | undefined): Promise<void>
  patch(id: string, body: Json, ifMatch: string | undefined): Promise<void>
  /** Whether a PATCH is answered with the whole only where attributes are asked for. */
  readonly isLarge: boolean
  remove(id: string, ifMatch: string | undefined): Promise<void>
}

async function serveOne(face: Face, request: ScimRequest): Promise<ScimAnswer> {
  const { method, query, ifMatch } = request
  const [, id] = request.path
  const shown = (resource: Json) => projected(resource, query['attributes'], query['excludedAttributes'])
  if (id === undefined) {
    if (method === 'POST') return answerOf(201, shown, await face.getChanged(await face.add(bodyOf(request)), query))
    if (method !== 'GET') throw unserved(request, 'GET, POST')
    const page = await face.list(query)
    return { status: 200, body: list({ ...page, resources: page.resources.map(shown) }, query) }
  }
  if (method === 'DELETE') {
    await face.remove(id, ifMatch)
    return { status: 204 }
  }
  if (method === 'PUT') await face.replace(id, bodyOf(request), ifMatch)
  else if (method === 'PATCH') await face.patch(id, bodyOf(request), ifMatch)
  else if (method !== 'GET') throw unserved(request, 'GET, PUT, PATCH, DELETE')
  if (method === 'PATCH' && face.isLarge && (query['attributes'] ?? '') === '') {
    const { headers } = answerOf(204, shown, await face.get(id, { excludedAttributes: 'members' }))
    return { status: 204, headers: headers ?? {} }
  }
  const resource = await (method === 'GET' ? face.get(id, query) : face.getChanged(id, query))
  const tag = isObject(resource['meta']) ? String(resource['meta']['version']) : ''
  if (method === 'GET' && request.ifNoneMatch?.split(',').some((item) => item.trim() === tag))
    return { status: 304, headers: { etag: tag } }
  return answerOf(200, shown, resource)
}

function answerOf(status: number, shown: (resource: Json) => Json, resource: Json): ScimAnswer {
  const meta = isObject(resource['meta']) ? resource['meta'] : {}
  const headers = { etag: String(meta['version']), location: String(meta['location']) }
  return { status, body: shown(resource), headers }
}

const wants = (query: Readonly<Record<string, string>>, name: string): boolean => {
  const { attributes, excludedAttributes: excluded } = query
  if (attributes !== undefined && attributes !== '') return attributes.toLowerCase().includes(name)
  return (
    excluded === undefined ||
    !excluded
      .toLowerCase()
      .split(',')
      .some((item) => item.trim().endsWith(name))
  )
}

function people({ provider, schemas, base }: ScimServer): Face {
  const { db, organization } = provider
  const { id: owner } = organization

  async function shown(rows: readonly peopleRows.PersonRow[], withGroups: boolean): Promise<Json[]> {
    const ids = rows.map(({ id }) => id)
    const found =
      withGroups && ids.length > 0 ? await db.organization(owner, (sql) => groupRows.listGroupsOf(sql, ids)) : []
    const of = Map.groupBy(found, ({ user_id: user }) => user)
    return rows.map((row) => {
      const person = personOf(row)
      const mine = (of.get(row.id) ?? []).map(({ id, display_name: display }) => ({
        value: id,
        $ref: `${base}/Groups/${id}`,
        display,
        type: 'direct',
      }))
      const meta = metaOf(row, 'User', `${base}/Users/${row.id}`)
      return { schemas: schemasOf(person, USER), ...person, ...(mine.length === 0 ? {} : { groups: mine }), meta }
    })
  }

  const get = async (id: string, query: Readonly<Record<string, string>>): Promise<Json> => {
    const [row] = await db.organization(owner, (sql) => peopleRows.findPeople(sql, owner, { by: 'id', is: id }))
    const [person] = row === undefined ? [] : await shown([row], wants(query, 'groups'))
    if (person === undefined) throw new Fault('thing.unknown', { thing: 'person' })
    return person
  }
  return {
    isLarge: false,
    get,
    getChanged: get,
    list: (query) =>
      listPage<peopleRows.KeyedPerson>(
        {
          indexed: {
            ...{ id: 'id', username: 'username', externalid: 'externalid', displayname: 'displayname' },
            ...EMAILS,
          },
          narrow: (by, is) =>
            db.organization(owner, (sql) => peopleRows.findPeople(sql, owner, { by, is } as peopleRows.Narrowing)),
          count: (wanted) => db.organization(owner, (sql) => peopleRows.countPeople(sql, owner, wanted)),
          list: (wanted) => db.organization(owner, (sql) => peopleRows.listPeople(sql, owner, wanted)),
          toCompared: (rows) => shown(rows, true),
          toResources: (rows) => shown(rows, wants(query, 'groups')),
        },
        query,
      ),
    add: async (body) => (await addPersonFor(provider, schemas.person(body, true))).id,
    async replace(id, body, ifMatch) {
      const check = checker(ifMatch, 'person')
      await changePersonFor(provider, id, (before) => {
        check(before)
        return schemas.person(body, before.active)
      })
    },
    async patch(id, body, ifMatch) {
      const [check, steps] = [checker(ifMatch, 'person'), stepsOf(body)]
      await changePersonFor(provider, id, (before) => {
        check(before)
        return schemas.person(patched(schemas, personOf(before), steps), before.active)
      })
    },
    remove: (id, ifMatch) => removePersonFor(provider, id, checker(ifMatch, 'person')),
  }
}

const EMAILS = { emails: 'email', 'emails.value': 'email' }

function groups({ provider, base }: ScimServer): Face {
  const { db, organization } = provider

  const membersOf = (rows: readonly groupRows.ScimGroupRow[]) =>
    db.organization(organization.id, (sql) => groupRows.listProvidedMembers(sql, slugsOf(rows), MOST_SHOWN + 1))
  /** With their members, where there are not too many of them to be shown. */
  async function shown(rows: readonly groupRows.ScimGroupRow[], withMembers: boolean): Promise<Json[]> {
    const found = withMembers ? await membersOf(rows) : []
    return groupsOf(base, rows, withMembers && found.length <= MOST_SHOWN ? found : undefined)
  }

  /** Only the members that a filter names are looked up; the filter may have to see all. */
  async function compared(rows: readonly groupRows.ScimGroupRow[], filter: Filter): Promise<Json[]> {
    const comparisons = comparisonsIn(filter).filter(({ path }) => path.startsWith('members'))
    if (comparisons.length === 0) return groupsOf(base, rows, undefined)
    const isNamed = comparisons.every(
      ({ path, by, value }) => MEMBER_PATHS.has(path) && by === 'eq' && typeof value === 'string',
    )
    if (!isNamed) {
      const found = await membersOf(rows)
      if (found.length > MOST_SHOWN) throw tooManyMembers()
      return groupsOf(base, rows, found)
    }
    const ids = comparisons.map(({ value }) => String(value))
    const found = await db.organization(organization.id, (sql) => groupRows.listProvidedAmong(sql, slugsOf(rows), ids))
    return groupsOf(base, rows, found)
  }

  const find = async (id: string): Promise<groupRows.ScimGroupRow> => {
    const [row] = await db.organization(organization.id, (sql) => groupRows.findGroups(sql, { by: 'id', is: id }))
    if (row === undefined) throw new Fault('thing.unknown', { thing: 'group' })
    return row
  }
  const getChanged = async (id: string, query: Readonly<Record<string, string>>): Promise<Json> =>
    (await shown([await find(id)], wants(query, 'members')))[0] ?? {}

  return {
    isLarge: true,
    getChanged,
    list: (query) =>
      listPage<groupRows.KeyedGroup>(
        {
          indexed: {
            ...{ id: 'id', displayname: 'displayname', externalid: 'externalid' },
            members: 'member',
            'members.value': 'member',
          },
          narrow: (by, is) =>
            db.organization(organization.id, (sql) => groupRows.findGroups(sql, { by, is } as GroupNarrowing)),
          count: (wanted) => db.organization(organization.id, (sql) => groupRows.countGroups(sql, wanted)),
          list: (wanted) => db.organization(organization.id, (sql) => groupRows.listGroups(sql, wanted)),
          toCompared: compared,
          toResources: (rows) => shown(rows, wants(query, 'members')),
        },
        query,
      ),
    async get(id, query) {
      const group = await getChanged(id, query)
      if (wants(query, 'members') && !('members' in group)) throw tooManyMembers()
      return group
    },
    add: async (body) => (await addGroupFor(provider, body)).id,
    replace: async (id, body, ifMatch) => void (await replaceGroupFor(provider, id, body, checker(ifMatch, 'group'))),
    patch: async (id, body, ifMatch) =>
      void (await patchGroupFor(provider, id, stepsOf(body), checker(ifMatch, 'group'))),
    remove: async (id, ifMatch) => void (await removeGroupFor(provider, id, checker(ifMatch, 'group'))),
  }
}

const MEMBER_PATHS: ReadonlySet<string> = new Set(['members', 'members.value'])

const slugsOf = (rows: readonly groupRows.ScimGroupRow[]) => rows.map(({ slug }) => slug)

const tooManyMembers = () =>
  refused('tooMany', `the groups have more than ${MOST_SHOWN} members: ask with excludedAttributes=members`)

/** `members`: undefined, where none are shown. */
function groupsOf(
  base: string,
  rows: readonly groupRows.ScimGroupRow[],
  members: readonly { readonly slug: string; readonly user_id: string }[] | undefined,
): Json[] {
  const of = Map.groupBy(members ?? [], ({ slug }) => slug)
  return rows.map((row) => ({
    schemas: [GROUP],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    displayName: row.display_name,
    ...(members === undefined
      ? {}
      : {
          members: (of.get(row.slug) ?? []).map(({ user_id: value }) => ({
            ...{ value, $ref: `${base}/Users/${value}`, type: 'User' },
          })),
        }),
    meta: metaOf(row, 'Group', `${base}/Groups/${row.id}`),
  }))
}

type GroupNarrowing = Parameters<typeof groupRows.findGroups>[1]

/** One operation after the other (RFC 7644, section 3.7); an id of this request stands for what an earlier operation made. */
async function bulk(server: ScimServer, request: ScimRequest): Promise<ScimAnswer> {
  if (request.method !== 'POST') throw unserved(request, 'POST')
  const { Operations: operations, failOnErrors } = bodyOf(request)
  if (!Array.isArray(operations)) throw refused('invalidSyntax', 'there are no operations')
  if (operations.length > BULK_OPERATIONS) throw new Fault('request.too-large', { limit: BULK_OPERATIONS })
  const made = new Map<string, string>()
  const answers: Json[] = []
  let failed = 0
  for (const operation of operations as unknown[]) {
    if (typeof failOnErrors === 'number' && failOnErrors > 0 && failed >= failOnErrors) break
    const answer = await runOperation(server, isObject(operation) ? operation : {}, made)
    if (Number(answer['status']) >= 400) failed++
    answers.push(answer)
  }
  return { status: 200, body: { schemas: [`${MESSAGES}BulkResponse`], Operations: answers } }
}

async function runOperation(server: ScimServer, operation: Json, made: Map<string, string>): Promise<Json> {
  const { method: verb, path, bulkId, data, version } = operation
  const method = String(verb).toUpperCase()
  const said = { method, ...(typeof bulkId === 'string' ? { bulkId } : {}) }
  try {
    checkInput(operation)
    const parts = String(withIds(path, made)).split('/').filter(Boolean)
    if (
      !['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ||
      !['Users', 'Groups'].includes(parts[0] ?? '') ||
      parts[1] === '.search'
    )
      throw refused('invalidSyntax', 'an operation is not POST, PUT, PATCH or DELETE of Users or Groups')
    if (method === 'POST' && said.bulkId === undefined) throw refused('invalidSyntax', 'a POST in bulk has no bulkId')
    const body = isObject(data) ? (withIds(data, made) as Json) : undefined
    const ifMatch = typeof version === 'string' ? version : undefined
    const answer = await serveScim(server, { method, path: parts, query: {}, body, ifMatch, ifNoneMatch: undefined })
    const id = answer.body?.['id']
    if (said.bulkId !== undefined && typeof id === 'string') made.set(said.bulkId, id)
    const location = answer.headers?.['location'] ?? `${server.base}/${parts.join('/')}`
    return {
      ...said,
      location,
      ...(answer.headers?.['etag'] === undefined ? {} : { version: answer.headers['etag'] }),
      status: String(answer.status),
    }
  } catch (thrown) {
    const { status, body } = refusalOf(Fault.of(thrown))
    return { ...said, status: String(status), response: body }
  }
}

/** `bulkId:…` anywhere in a value. */
function withIds(value: unknown, made: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return value.replace(/bulkId:([\w.-]+)/g, (whole, name: string) => made.get(name) ?? whole)
  if (Array.isArray(value)) return value.map((item: unknown) => withIds(item, made))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withIds(item, made)]))
}

const TYPES: Readonly<Record<string, string>> = {
  'thing.taken': 'uniqueness',
  'person.unproven': 'uniqueness',
  'last.admin': 'mutability',
  'request.not-json': 'invalidSyntax',
}

/** RFC 7644, section 3.12. */
export function refusalOf(fault: Fault): ScimAnswer & { readonly body: Json } {
  const scimType = fault.code === 'scim.refused' ? String(fault.facts['kind']) : TYPES[fault.code]
  const status = fault.row.http
  const detail = `${fault.message} ${fault.mend}`.trim()
  return {
    status,
    body: {
      schemas: [`${MESSAGES}Error`],
      status: String(status),
      ...(scimType === undefined ? {} : { scimType }),
      detail,
    },
  }
}
