/**
 * Connect links: an address of ours that leads one person to connect one account.
 *
 * The whole wish is in it, sealed, so that any gateway can read it and nothing is stored. It is no key: whoever opens it must be
 * the very person that it was made for (MCP, security best practices).
 */
import { AccountName, ProviderName, type ConnectionId, type OrganizationId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import { decodeBase64Url } from '../../../lib/base64url.ts'
import type { Vault } from '../../../vault/vault.ts'
import type { ConnectLinks } from '../ports.ts'
import type { ConnectRequest } from './target.ts'

export interface Ending {
  /** Where the browser goes in the end, besides our own page: a program of this machine (RFC 8252, section 7.3). */
  readonly returnTo?: string | undefined
  /** The page of ours on which it ends; absent: that of the integrations. */
  readonly page?: string | undefined
  /** Under which name whoever began may ask how it went. */
  readonly session?: string | undefined
  /** The path that the authorization server leads back to, where it is not `/oauth/callback`. */
  readonly callback?: string | undefined
}

export interface Linked {
  readonly connectRequest: ConnectRequest
  readonly ending: Ending
}

export interface ConnectRequestLinks extends ConnectLinks {
  /** The same for what the ports know nothing of. */
  make(linked: Linked): { readonly url: string; readonly expiresAt: Date; readonly minutes: number }
  open(token: string): Linked | undefined
}

export interface ConnectLinkParts {
  readonly vault: Pick<Vault, 'seal' | 'open'>
  publicUrl(): string
  readonly now: () => number
}

export const LINK_MINUTES = 10
const SEALED_FOR = 'connect link'
/** Longer than any that is made. */
const MOST = 8192
/** Characters of scopes, which a server names as it likes: with more, nobody could open the link. */
const MOST_SCOPES = 4_000

const Kept = z.object({
  o: z.string().transform((id) => id as OrganizationId),
  c: z
    .string()
    .transform((id) => id as ConnectionId)
    .optional(),
  p: ProviderName.optional(),
  u: z
    .string()
    .transform((id) => id as UserId)
    .optional(),
  a: AccountName.optional(),
  x: z.string().optional(),
  s: z.array(z.string()),
  r: z.string().optional(),
  q: z.string().optional(),
  b: z.string().optional(),
  e: z.string().optional(),
  until: z.number(),
})

export function createConnectLinks({ vault, publicUrl, now }: ConnectLinkParts): ConnectRequestLinks {
  function make({ connectRequest, ending }: Linked) {
    const until = now() + LINK_MINUTES * 60_000
    const linkState: z.input<typeof Kept> = {
      o: connectRequest.organizationId,
      c: connectRequest.connectionId,
      p: connectRequest.provider,
      u: connectRequest.userId,
      a: connectRequest.account,
      x: connectRequest.replaces,
      s: lastFitting(connectRequest.scopes),
      r: ending.returnTo,
      q: ending.session,
      b: ending.callback,
      e: ending.page,
      until,
    }
    const token = vault.seal(JSON.stringify(linkState), SEALED_FOR).toString('base64url')
    return { url: `${publicUrl()}/connect/${token}`, expiresAt: new Date(until), minutes: LINK_MINUTES }
  }

  function open(token: string): Linked | undefined {
    const linkState = read(vault, token)
    if (linkState === undefined || linkState.until <= now()) return undefined
    const request = {
      organizationId: linkState.o,
      userId: linkState.u,
      account: linkState.a,
      replaces: linkState.x,
      scopes: linkState.s,
    }
    const ending = { returnTo: linkState.r, session: linkState.q, callback: linkState.b, page: linkState.e }
    if (linkState.c !== undefined) return { connectRequest: { ...request, connectionId: linkState.c }, ending }
    return linkState.p === undefined ? undefined : { connectRequest: { ...request, provider: linkState.p }, ending }
  }

  return {
    make,
    open,
    link(request) {
      const { url, minutes } = make({ connectRequest: request, ending: {} })
      return { url, minutes }
    },
    read(token) {
      const connectRequest = open(token)?.connectRequest
      return connectRequest?.connectionId === undefined ? undefined : connectRequest
    },
  }
}

/** The last ones, which are what is lacking now. */
function lastFitting(scopes: readonly string[]): string[] {
  let room = MOST_SCOPES
  return scopes
    .toReversed()
    .filter((scope) => (room -= scope.length + 3) >= 0)
    .toReversed()
}

function read(vault: Pick<Vault, 'open'>, token: string): z.output<typeof Kept> | undefined {
  const sealed = token.length > MOST ? undefined : decodeBase64Url(token)
  if (sealed === undefined) return undefined
  try {
    return Kept.parse(JSON.parse(vault.open(sealed, SEALED_FOR)))
  } catch {
    return undefined
  }
}
