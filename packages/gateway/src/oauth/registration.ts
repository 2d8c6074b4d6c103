/**
 * Clients that register themselves (RFC 7591), which anybody may, and therefore only so many: per address and hour, and of those
 * that nobody has used. A client says what it likes of itself, and gets nothing by it: a person decides.
 */
import type { Db } from '../db/db.ts'
import { addClient, countRegistrations, mintClientSecret } from '../identity/oauth/oauth-clients.ts'
import { recordChange, type Actor } from '../records/change.ts'
import { secretHashOf } from './library.ts'
import { ClientProblem, shapeClient, type ShapedClient } from './client-shape.ts'

export interface RegistrationParts {
  readonly db: Pick<Db, 'system'>
  hash(text: string): Buffer
  /** Throws `ClientProblem`. */
  check(shaped: ShapedClient): Promise<void>
  /** An hour, from one address; of all that nobody has used. */
  readonly most?: { readonly hourly: number; readonly unused: number }
}

export interface Registered {
  readonly status: 201 | 400 | 429
  readonly body: Readonly<Record<string, unknown>>
  /** Seconds. */
  readonly retryAfter?: number
}

/** Clients of one company's office share an address; each registers once. */
const MOST = { hourly: 60, unused: 5_000 }
const HOUR = 3600

export function createRegistration({ db, hash, check, most = MOST }: RegistrationParts) {
  async function register(input: unknown, actor: Actor, from: string): Promise<Registered> {
    const shaped = shapeClient(input)
    await check(shaped)
    const { metadata, name = 'A client without a name' } = shaped
    const secret = metadata.token_endpoint_auth_method === 'none' ? undefined : mintClientSecret()
    const row = await db.system(async (sql) => {
      const { recent, unused } = await countRegistrations(sql, from)
      if (recent >= most.hourly || unused >= most.unused) return undefined
      const added = await addClient(sql, {
        kind: 'dynamic',
        name,
        metadata,
        secretHash: secret === undefined ? undefined : secretHashOf(hash, secret),
        registeredFrom: from,
        createdBy: undefined,
      })
      await recordChange(sql, actor, undefined, {
        action: 'client.register',
        resource: 'client',
        id: added.id,
        detail: { name, redirect_uris: metadata.redirect_uris },
      })
      return added
    })
    if (row === undefined) return FULL
    return {
      status: 201,
      body: {
        client_id: row.id,
        client_id_issued_at: Math.floor(row.created_at.getTime() / 1000),
        client_name: row.name,
        ...metadata,
        response_types: ['code'],
        ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
      },
    }
  }

  /** `from` is what registrations are counted by. */
  return async (input: unknown, actor: Actor, from: string): Promise<Registered> => {
    try {
      return await register(input, actor, from)
    } catch (thrown) {
      if (!(thrown instanceof ClientProblem)) throw thrown
      return { status: 400, body: { error: thrown.error, error_description: thrown.message } }
    }
  }
}

const FULL: Registered = {
  status: 429,
  retryAfter: HOUR,
  body: {
    error: 'temporarily_unavailable',
    error_description:
      'too many clients have registered recently: try again later, or have an administrator add the client',
  },
}
