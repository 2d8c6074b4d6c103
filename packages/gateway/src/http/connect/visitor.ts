/**
 * The visitor of a page about accounts: the user who is signed in by cookies, or the operator of this machine where no sign-in is
 * required. Each change carries the CSRF token of that sign-in.
 */
import { Fault, type UserId } from '@toolway/contract'
import { OPERATOR, type Principal } from '../../identity/principal.ts'
import { actorTypeOf, type Actor } from '../../records/change.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Clients } from '../client-address.ts'
import { actorOf, comesFromElsewhere, leadOn, textsFor, type PageContext } from '../pages/page-request.ts'
import type { WebSession } from '../sign-in/web-session.ts'

export interface VisitorParts {
  readonly web: Pick<WebSession, 'principalOf' | 'csrfOf' | 'checkCsrf'>
  readonly vault: Pick<Vault, 'sign' | 'verify'>
  /** No key and no sign-in is required here (TOOLWAY_AUTH=off). */
  readonly isOpen: boolean
  emailOf(userId: UserId): Promise<string | undefined>
  readonly clients: Clients
  newCorrelationId(): string
  /** Path of the public address, without a slash at its end. */
  prefix(): string
}

export interface Visitor {
  readonly principal: Principal
  readonly email: string | undefined
  readonly csrf: string
  /** Throws `request.csrf`. */
  check(input: string | null): void
  readonly actor: Actor
}

export interface Visitors {
  find(c: PageContext): Promise<Visitor | undefined>
  /**
   * Answers a visitor who is not signed in: where the request came from another site, with a page that repeats it from our own,
   * else with a redirect to the sign-in.
   */
  ask(c: PageContext): Response | Promise<Response>
}

const CSRF = 'csrf of the operator'

export function createVisitors(parts: VisitorParts): Visitors {
  const { web, vault, isOpen, prefix } = parts
  const actor = (c: PageContext, principal: Principal): Actor => ({
    ...actorOf(c, parts),
    id: principal.id,
    type: actorTypeOf(principal),
  })

  const operator = (c: PageContext): Visitor => ({
    principal: OPERATOR,
    email: undefined,
    csrf: vault.sign(OPERATOR.id, CSRF),
    check(input) {
      if (input === null || !vault.verify(OPERATOR.id, input, CSRF)) throw new Fault('request.csrf')
    },
    actor: actor(c, OPERATOR),
  })

  /** The address as the person's browser knows it. */
  const visitedAddress = (c: PageContext) => {
    const { pathname, search } = new URL(c.req.url)
    return `${prefix()}${pathname}${search}`
  }

  return {
    async find(c) {
      const principal = await web.principalOf(c.req.header('cookie'))
      const { userId, signInId } = principal ?? {}
      if (principal === undefined || userId === undefined || signInId === undefined)
        return isOpen ? operator(c) : undefined
      return {
        principal,
        email: await parts.emailOf(userId),
        csrf: web.csrfOf(signInId),
        check: (input) => web.checkCsrf(signInId, input ?? undefined),
        actor: actor(c, principal),
      }
    },
    ask: (c) =>
      comesFromElsewhere(c)
        ? leadOn(textsFor(c), visitedAddress(c))
        : c.redirect(`${prefix()}/sign-in?next=${encodeURIComponent(visitedAddress(c))}`, 303),
  }
}
