/**
 * The sign-in of this browser. Its tokens are in cookies that no script can read; what is here is how they are renewed, once for
 * all requests and all tabs that find them expired, and where a person goes when that fails.
 */
import { runInOneTab } from './one-tab.ts'
import { forgetDrafts } from './forget-drafts.ts'
import { Problem } from './problem.ts'
import { texts } from '../texts/texts.ts'

const CSRF_COOKIE = 'toolway_csrf'
const RENEWED = 'toolway.renewed'

/** Returns the token that every changing request must carry (OWASP, signed double submit). */
export function csrfToken(): string | undefined {
  for (const pair of document.cookie.split(';')) {
    const [name = '', value] = pair.trim().split('=', 2)
    if (name === CSRF_COOKIE) return value
  }
  return undefined
}

let renewing: Promise<boolean> | undefined

/**
 * Whether the request may be sent again. A refresh token is good once, and a second use ends the sign-in: so tabs wait for one
 * another, and whoever finds that another one has renewed since leaves it at that. `sentAt`: when the request was sent that was
 * refused, since its refusal may come after somebody else's renewal.
 */
export function renew(sentAt: number): Promise<boolean> {
  renewing ??= renewOnce(sentAt).finally(() => (renewing = undefined))
  return renewing
}

/** Longer than an answer to a change of a sign-in takes. */
const REPLACING_MS = 10_000

/**
 * A change that ends this sign-in and answers with another, such as of the password: who is refused meanwhile waits for it, and asks
 * again with the new one, instead of being led away.
 */
export function whileReplacing<T>(work: Promise<T>): Promise<T> {
  const over = new Promise((resolve) => setTimeout(resolve, REPLACING_MS))
  const settled = Promise.race([Promise.allSettled([work]), over])
  renewing = settled.then(() => true).finally(() => (renewing = undefined))
  return work
}

async function renewOnce(sentAt: number): Promise<boolean> {
  const renewed = await runInOneTab('toolway-renew', async () => {
    if (Number(localStorage.getItem(RENEWED) ?? 0) >= sentAt) return true
    const csrf = csrfToken()
    ended = csrf !== undefined
    const headers: Record<string, string> = csrf === undefined ? {} : { 'x-csrf-token': csrf }
    const response = await fetch('/api/v1/auth/refresh', { method: 'POST', headers }).catch(() => undefined)
    if (response === undefined)
      throw new Problem({ message: texts.failed.noAnswer, mend: texts.failed.askAgain, asked: 'renewing the sign-in' })
    if (response.ok) localStorage.setItem(RENEWED, String(Date.now()))
    return response.ok
  })
  return renewed === true
}

/** Set when the user signs out: requests that are refused from then on cause no second redirect. */
let leaving = false
/** This browser had a sign-in, which is over by now: the sign-in page says so. */
let ended = false

/** Leads to the sign-in page, and from there back to where this is. */
export function leaveForSignIn(): void {
  if (leaving) return
  const { pathname, search } = window.location
  window.location.assign(`/sign-in?next=${encodeURIComponent(pathname + search)}${ended ? '&ended=1' : ''}`)
}

/** Ends the sign-in in this browser, and leads to the sign-in page. */
export async function signOut(): Promise<void> {
  leaving = true
  forgetDrafts()
  const csrf = csrfToken()
  await fetch('/api/v1/auth/logout', { method: 'POST', headers: csrf === undefined ? {} : { 'x-csrf-token': csrf } })
  window.location.assign('/sign-in')
}
