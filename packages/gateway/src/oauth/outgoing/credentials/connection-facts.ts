/**
 * The facts about a connection that decide about its credentials: its authentication, its address, and the addresses that may be
 * reached for it.
 *
 * A credential is bound to the real address; where that contains a secret, a keyed digest is used instead. The digest is computed
 * once for each version of a connection, because secrets have to be decrypted for it.
 */
import {
  authOf,
  mayHaveAccounts,
  programLine,
  runsHere,
  ConnectionAuth,
  ConnectionSecrets,
  type ConnectionId,
  type ConnectionSettings,
  type OrganizationId,
} from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import type { ConnectionRow } from '../../../connections/connections.ts'
import { takesCredentials } from '../../../connections/takes-credentials.ts'
import { accountPlaceOf } from '../../../kinds/account-hosts.ts'
import { NO_EXCEPTIONS, type Exceptions } from '../../../upstreams/http/exceptions.ts'
import { privateHostOf } from '../../../upstreams/http/permits.ts'
import { connectionSealContext } from '../../../vault/sealed-columns.ts'
import type { Vault } from '../../../vault/vault.ts'
import type { Egress } from '../ports.ts'

export interface ConnectionFacts {
  readonly id: ConnectionId
  readonly organizationId: OrganizationId
  readonly egress: Egress
  readonly auth: ConnectionAuth
  /** Where its OAuth credentials come from. */
  readonly provider: string
  /** The authorization server that its OAuth credentials must come from; undefined where the server names its own. */
  readonly issuer: string | undefined
  /** Why no OAuth credential may be used at its address, as the rest of a sentence that begins with the address. */
  readonly misplaced: string | undefined
  /** The server to which a credential must be bound. */
  readonly server: string
  /** The true address, and as it may be shown. */
  readonly addresses: readonly string[]
  /** When it was last changed, in milliseconds. */
  readonly version: number
}

const NO_AUTH: ConnectionAuth = ConnectionAuth.parse({ kind: 'none' })
/** An authorization server that the MCP server itself names. */
const DISCOVERED = 'mcp'
const MOST = 10_000

type Unsealer = Pick<Vault, 'open' | 'hash'>
/** The columns that identify and describe a connection. */
type Described = Pick<ConnectionRow, 'id' | 'organization_id' | 'alias' | 'settings' | 'sealed' | 'updated_at'>

const secretsOf = ({ open }: Unsealer, { id, sealed }: Pick<Described, 'id' | 'sealed'>): ConnectionSecrets =>
  ConnectionSecrets.parse(sealed === null ? {} : JSON.parse(open(sealed, connectionSealContext(id))))

export function factsOf(vault: Unsealer, row: Described, exceptions = NO_EXCEPTIONS): ConnectionFacts {
  const { settings, id, organization_id: organizationId, alias } = row
  const secrets = secretsOf(vault, row)
  const http = mayHaveAccounts(settings) ? settings : undefined
  const shown = addressShown(settings)
  const secret = http === undefined ? secrets.args?.join('\0') : secrets.url
  const auth = takesCredentials(settings, secrets) ? (authOf(settings) ?? NO_AUTH) : NO_AUTH
  const { authority, problem } = accountPlaceOf(settings, secrets)
  return {
    id,
    organizationId,
    egress: {
      alias,
      connectionId: id,
      privateOrigins: privateHostOf(http?.private === true, secrets.url ?? http?.url),
      exceptions,
    },
    auth,
    provider: auth.provider ?? DISCOVERED,
    issuer: authority?.issuer,
    misplaced: auth === NO_AUTH ? undefined : problem,
    server:
      secret === undefined ? shown : `${shown} ${vault.hash(`address ${secret}`).toString('base64url').slice(0, 22)}`,
    addresses: secrets.url === undefined ? [shown] : [shown, secrets.url],
    version: row.updated_at.getTime(),
  }
}

/** The address of a server, or the command line of a program. */
function addressShown(settings: ConnectionSettings): string {
  if (mayHaveAccounts(settings)) return settings.url
  return runsHere(settings) ? programLine(settings) : ''
}

/** `auto` is OAuth that is not known of yet. */
const wayOf = ({ auth: { kind } }: ConnectionFacts) => (kind === 'auto' ? 'oauth' : kind)

/** Whether what was had for the one may be used for the other. */
export const areAlike = (connectionFacts: ConnectionFacts, other: ConnectionFacts): boolean =>
  connectionFacts.server === other.server &&
  connectionFacts.provider === other.provider &&
  connectionFacts.issuer === other.issuer &&
  wayOf(connectionFacts) === wayOf(other)

export type KnownFacts = (row: ConnectionRow, exceptions: Exceptions) => ConnectionFacts

/** The same from memory, as long as the connection stays as it is. */
export function createKnownFacts(vault: Unsealer): KnownFacts {
  const known = new LRUCache<ConnectionId, ConnectionFacts>({ max: MOST })
  return (row, exceptions) => {
    const connectionFacts = known.get(row.id)
    if (
      connectionFacts !== undefined &&
      connectionFacts.version === row.updated_at.getTime() &&
      connectionFacts.egress.exceptions === exceptions
    )
      return connectionFacts
    const made = factsOf(vault, row, exceptions)
    known.set(row.id, made)
    return made
  }
}
