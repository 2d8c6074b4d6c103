/**
 * Permissions to set parts of a connection, beyond the permission to create or change one.
 *
 * A command line is code on the gateway's machine, and a private address opens access behind its firewall: only the platform may
 * allow either (CVE-2026-30623, CVE-2026-42271). Sealed values stay with the server or the program that they were given for.
 */
import { Fault, type Role } from '@toolway/contract'
import type { OrganizationRow } from '../../organizations/organizations.ts'
import { createExceptions } from '../../upstreams/http/exceptions.ts'
import { problemOfAddress } from '../../upstreams/http/given-address.ts'
import type { ConnectionParts } from '../../kinds/kind.ts'
import { partsOf, shownOf } from '../../kinds/kinds.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import type { DescribedConnection } from './connection-words.ts'

/** URL schemes that can carry a connection. */
const CARRIED = ['http:', 'https:', 'ws:', 'wss:']

export interface Speaker {
  readonly role: Role
  readonly organization: Pick<OrganizationRow, 'settings' | 'egress'>
}

/** Throws `process.forbidden`. */
export function refuseProcess({ role, organization }: Speaker): void {
  if (role !== 'platform_admin' && organization.settings.allow_processes !== true) throw new Fault('process.forbidden')
}

/**
 * Returns the settings and secrets to store for a described connection. `wanted`: the requested setting for private addresses;
 * `before`: the setting until now. Throws `process.forbidden`, `private.forbidden` and `body.shape`.
 */
export function permittedParts(
  speaker: Speaker,
  { words, moved, keeps }: DescribedConnection,
  { wanted, before }: { wanted: boolean | undefined; before: boolean },
): ConnectionParts {
  const platform = speaker.role === 'platform_admin'
  const { wire } = words
  if ('command' in wire || ('source' in wire && wire.source !== undefined)) refuseProcess(speaker)
  if (moved && keeps && !platform)
    throw new Fault('body.shape', {
      place: 'command' in wire ? '/environment' : '/headers',
      problem: 'holds values that were given for another server: say each of them anew, or null',
    })
  const { settings, secrets } = partsFrom({ ...words, shown: shownOf(wire) })
  // Nothing is reached from here but a program, or the gateway itself.
  if (!('private' in settings) || !('url' in wire)) return { settings, secrets }
  const stays = !moved && before
  const permits = { allowPrivate: false, exceptions: createExceptions(speaker.organization.egress) }
  const barred = problemOfAddress(wire.url, permits, CARRIED) !== undefined
  if (!platform && !stays && (wanted === true || barred)) throw new Fault('private.forbidden')
  const named = platform && namesPrivate(wire.url)
  return { settings: { ...settings, private: wanted ?? (stays || named) }, secrets }
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
