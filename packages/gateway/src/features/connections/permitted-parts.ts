/**
 * Permissions to set parts of a connection, beyond the permission to create or change one.
 *
 * A command line is code on the gateway's machine, and a private address opens access behind its firewall: only the platform may
 * allow either (CVE-2026-30623, CVE-2026-42271). Sealed values stay with the server or the program that they were given for.
 */
import { resolve } from 'node:path'
import { Fault, type Role } from '@toolway/contract'
import type { OrganizationRow } from '../../organizations/organizations.ts'
import {
  isInRoots,
  NO_ROOTS_WORDS,
  outsideWords,
  plainPath,
  realPlace,
  rootsOf,
} from '../../upstreams/children/sandbox/allowed-roots.ts'
import { createExceptions } from '../../upstreams/http/exceptions.ts'
import { problemOfAddress } from '../../upstreams/http/given-address.ts'
import { addressesOf, bindHeaders, isBound, isPrivate, type Address } from '../../kinds/addresses.ts'
import type { ConnectionParts, OpenedConnection } from '../../kinds/kind.ts'
import { partsOf, shownOf } from '../../kinds/kinds.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import type { DescribedConnection } from './describe-connection.ts'

/** URL schemes that can carry a connection. */
const CARRIED = ['http:', 'https:', 'ws:', 'wss:']

export interface Speaker {
  readonly role: Role
  readonly organization: Pick<OrganizationRow, 'slug' | 'settings' | 'egress'>
  /** Folders below which paths may be allowed, as the installation sets them; none: the platform alone allows paths. */
  readonly roots: readonly string[]
}

/** Throws `process.forbidden`. */
export function refuseProcess({ role, organization }: Omit<Speaker, 'roots'>): void {
  if (role !== 'platform_admin' && organization.settings.allow_processes !== true) throw new Fault('process.forbidden')
}

/**
 * A path opens a part of the machine. Those that a connection has already stay; the start judges them, too. Throws `process.path`.
 */
function refusePaths(
  { role, organization, roots }: Speaker,
  requested: readonly string[],
  stored: readonly string[],
): void {
  const known = new Set(stored.map(plainPath))
  const added = requested.filter(
    (text) => !stored.includes(text) && !(text.endsWith(':ro') && known.has(plainPath(text))),
  )
  const [first] = added
  if (first === undefined || (roots.length === 0 && role === 'platform_admin')) return
  if (roots.length === 0) throw new Fault('process.path', { path: first, problem: NO_ROOTS_WORDS })
  const own = rootsOf(roots, organization.slug)
  const real = own.map(realPlace)
  const outside = added.find((text) => !isInRoots(realPlace(resolve(plainPath(text))), real))
  if (outside !== undefined) throw new Fault('process.path', { path: outside, problem: outsideWords(own) })
}

/** The connection as it is stored, and the requested setting for private addresses. */
interface Permitting {
  readonly wanted: boolean | undefined
  readonly held?: OpenedConnection | undefined
}

/**
 * Returns the settings and secrets to store for a described connection. Throws `process.forbidden`, `process.path`,
 * `private.forbidden` and `body.shape`.
 */
export function permittedParts(
  speaker: Speaker,
  { words, moved, keeps }: DescribedConnection,
  { wanted, held }: Permitting,
): ConnectionParts {
  const { wire } = words
  if ('command' in wire || ('source' in wire && wire.source !== undefined)) refuseProcess(speaker)
  if ('access' in wire) refusePaths(speaker, wire.access?.allow_paths ?? [], pathsOf(held))
  const parts = partsFrom({ ...words, shown: shownOf(wire) })
  const elsewhere = addressesOf(parts).find(
    (address) => address.secrets && held !== undefined && !isBound(held, address),
  )
  if ((moved || elsewhere !== undefined) && keeps && speaker.role !== 'platform_admin')
    throw new Fault('body.shape', {
      place: 'command' in wire ? '/environment' : '/headers',
      problem: 'contains values that were set for another server: set each of them again, or to null',
    })
  return withPrivate(speaker, parts, { wanted, held })
}

const pathsOf = (connection: OpenedConnection | undefined): readonly string[] =>
  (connection !== undefined && 'allow_paths' in connection.settings ? connection.settings.allow_paths : undefined) ?? []

/** Each address is judged on its own: that one may be private says nothing about another. */
function withPrivate({ role, organization }: Speaker, parts: ConnectionParts, { wanted, held }: Permitting) {
  const platform = role === 'platform_admin'
  const permits = { allowPrivate: false, exceptions: createExceptions(organization.egress) }
  const before = held === undefined ? [] : addressesOf(held)
  // An address that takes no headers is judged when it is given; that it stays gives it no leave that it did not have.
  const isSame = ({ name, url, secrets }: Address) =>
    !secrets && before.some((other) => other.name === name && other.url === url)
  const stays = (address: Address) => held !== undefined && isPrivate(held, address)
  for (const address of addressesOf(parts)) {
    const problem = problemOfAddress(address.url, permits, CARRIED)
    const asks = problem !== undefined || (address.name === 'url' && wanted === true)
    if (asks && !platform && !stays(address) && !isSame(address)) throw new Fault('private.forbidden')
  }
  return bindHeaders(parts, (address) =>
    platform ? (wanted ?? (stays(address) || namesPrivate(address.url))) : wanted !== false && stays(address),
  )
}

/** Its faults are worded for a file; here the place is one of the body. */
function partsFrom(words: Parameters<typeof partsOf>[0]): ConnectionParts {
  try {
    return partsOf(words)
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.code !== 'params.shape') throw thrown
    throw new Fault('body.shape', {
      place: String(thrown.facts['place']),
      problem: String(thrown.facts['problem']),
    })
  }
}
