/**
 * The address where identity providers provide people, `/scim/v2/{organization}/…` (RFC 7644; ADR 0142). A token is good for its
 * organization alone: one of another organization, an unknown one and an organization that is not there are refused alike.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import type { Db, OrgSql } from '../../db/db.ts'
import {
  findScimTokenByHash,
  loadSchemas,
  MOST_BODY,
  noteScimTokenUsed,
  refusalOf,
  SCIM_TOKEN_FORM,
  serveScim,
  type ScimAnswer,
} from '../../features/scim/index.ts'
import type { Accounts } from '../../identity/accounts.ts'
import type { Limits } from '../../limits/limits.ts'
import type { Log } from '../../lib/log.ts'
import type { AdminCredentials } from '../../oauth/outgoing/admin-credentials.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import { refreshPeople } from '../../snapshot/refresh-people.ts'
import type { Vault } from '../../vault/vault.ts'
import { readBody, textOf } from '../body.ts'
import type { Clients } from '../client-address.ts'
import { headersOf } from '../http-faults.ts'
import { correlationOf } from '../request-head.ts'
import { cutUnread } from '../streams/unread-answers.ts'

export interface ScimDoorParts {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly vault: Pick<Vault, 'hash' | 'seal'>
  readonly snapshots: Pick<KeepSnapshots, 'find' | 'refresh'>
  readonly accounts: Pick<Accounts, 'load'>
  /** Of the other processes of this port, where there are some. */
  readonly untilApplied: ((organization: OrganizationId) => Promise<void>) | undefined
  /** Accounts at vendors, which end with the membership. */
  readonly credentials: Pick<AdminCredentials, 'endIn' | 'ended'>
  readonly limits: Pick<Limits, 'provision' | 'unknown'>
  readonly clients: Clients
  readonly log: Pick<Log, 'error'>
  publicUrl(): string
  newCorrelationId(): string
}

export interface ScimAddress {
  readonly organization: string
  readonly path: readonly string[]
}

export interface ScimDoor {
  addressOf(path: string): ScimAddress | undefined
  answer(request: IncomingMessage, response: ServerResponse, address: ScimAddress): Promise<void>
}

const PATH = /^\/scim\/v2\/([^/]+)(?:\/(.*?))?\/?$/
const TYPE = 'application/scim+json'
const BEARER = /^Bearer +(\S+)$/i

export function createScimDoor(parts: ScimDoorParts): ScimDoor {
  const { log, newCorrelationId } = parts
  return {
    addressOf(path) {
      const [, organization, rest = ''] = PATH.exec(path) ?? []
      if (organization === undefined) return undefined
      return { organization, path: rest === '' ? [] : rest.split('/').map(decoded) }
    },
    async answer(request, response, address) {
      const correlationId = correlationOf(request) ?? newCorrelationId()
      response.setHeader('x-correlation-id', correlationId)
      try {
        write(response, await take(parts, request, address, correlationId))
      } catch (thrown) {
        if (response.headersSent || response.destroyed) return void response.destroy()
        const fault = Fault.of(thrown)
        if (fault.code === 'internal')
          log.error({ request_id: correlationId, err: fault.cause }, 'a SCIM request failed')
        write(response, { ...refusalOf(fault), headers: challengeOf(fault) })
      }
    },
  }
}

const TAKE_BODIES: ReadonlySet<string> = new Set(['Users', 'Groups', 'Bulk', '.search'])
const hasBody = ({ method }: IncomingMessage): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH'

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const challengeOf = (fault: Fault): Record<string, string> => ({
  ...headersOf(fault),
  ...(fault.row.http === 401 ? { 'www-authenticate': 'Bearer realm="scim"' } : {}),
})

async function take(
  parts: ScimDoorParts,
  request: IncomingMessage,
  address: ScimAddress,
  correlationId: string,
): Promise<ScimAnswer> {
  const { organization, token } = await admit(parts, request, address)
  const { db, vault, credentials, publicUrl } = parts
  const query = Object.fromEntries(new URL(request.url ?? '', 'http://scim').searchParams)
  const body = TAKE_BODIES.has(address.path[0] ?? '') && hasBody(request) ? await readJson(request) : undefined
  const actor = {
    ...{ id: `scim:${token.name}`, type: 'system' as const, keyId: undefined, correlationId },
    address: parts.clients.of(request).address,
    userAgent: request.headers['user-agent'],
  }
  const endAccounts = async (sql: OrgSql, userId: UserId) => {
    const ended = await credentials.endIn(sql, { userId })
    return () => void credentials.ended(organization.id, ended)
  }
  const settle = (ids: readonly UserId[] | undefined) => settleHere(parts, organization.id, ids)
  return serveScim(
    {
      provider: { db, seals: vault, organization, actor, endAccounts, settle },
      schemas: await loadSchemas(),
      base: `${publicUrl()}/scim/v2/${organization.slug}`,
    },
    {
      ...{ method: request.method ?? 'GET', path: address.path, query, body },
      ifMatch: request.headers['if-match'],
      ifNoneMatch: request.headers['if-none-match'],
    },
  )
}

/** The answer to a change that takes something away goes out when it counts in each process of this port. */
async function settleHere(
  { accounts, snapshots, untilApplied }: ScimDoorParts,
  organization: OrganizationId,
  ids: readonly UserId[] | undefined,
): Promise<void> {
  if (ids === undefined) await snapshots.refresh(organization, { table: 'groups' })
  else await Promise.all([accounts.load(ids), refreshPeople(snapshots, organization, ids)])
  await untilApplied?.(organization)
}

/** Throws `token.unknown`, whatever is wrong, and `limit.administration`. */
async function admit(parts: ScimDoorParts, request: IncomingMessage, address: ScimAddress) {
  const { db, vault, snapshots, limits, clients } = parts
  const secret = BEARER.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const hash = vault.hash(secret)
  const organization = snapshots.find({ slug: address.organization })?.organization
  const token =
    organization === undefined || !SCIM_TOKEN_FORM.test(secret)
      ? undefined
      : await db.organization(organization.id, async (sql) => {
          const found = await findScimTokenByHash(sql, hash)
          if (found !== undefined) await noteScimTokenUsed(sql, found.id)
          return found
        })
  if (organization !== undefined && token !== undefined) {
    await limits.provision(token.id, clients.of(request).network)
    return { organization, token }
  }
  await limits.unknown()
  throw new Fault('token.unknown')
}

/** Throws `request.too-large`, `request.not-json` and `request.media-type`. */
async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/(?:scim\+)?json\b/i.test(type))
    throw new Fault('request.media-type', {}, { mend: `Send the request with Content-Type: ${TYPE}.` })
  const text = textOf(await readBody(request, MOST_BODY))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw new Fault('request.not-json', { problem: thrown instanceof Error ? thrown.message : '' })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Fault('request.not-json', { problem: 'it is not an object.' })
}

function write(response: ServerResponse, { status, body, headers = {} }: ScimAnswer): void {
  const text = body === undefined ? '' : JSON.stringify(body)
  response
    .writeHead(status, {
      ...(body === undefined ? {} : { 'content-type': TYPE, 'content-length': Buffer.byteLength(text) }),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(text)
  cutUnread(response)
}
