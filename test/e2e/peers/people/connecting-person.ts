/**
 * A person who opens a connect link in a browser of their own and does what each page asks: signs in here, gives a key or goes to the
 * authorization server, comes back. It keeps the cookies of each site apart and has no scripts.
 */
import { createBrowser, PASSWORD } from '../../../../packages/gateway/src/testing/people.ts'
import { formIn } from './oauth-person.ts'

export interface ConnectRequest {
  readonly email: string
  readonly password?: string
  /** The value entered where a page asks for a key. */
  readonly key?: string
  /** The client entered where an authorization server has no client of the gateway. */
  readonly client?: { readonly id: string; readonly secret: string }
  /** Where an address of the web really is. */
  readonly route?: (address: string) => string
}

export interface ShownPage {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly html: string
}

export interface ConnectingPerson {
  /** Every page and every redirect that was seen, the last one last. */
  readonly seen: readonly ShownPage[]
  /** Opens it and goes as far as it leads; the last page. */
  open(address: string): Promise<ShownPage>
}

const MOST_STEPS = 30
/** The fields of the gateway's own forms that are submitted on the way; forms for other purposes are ignored. */
const ASKED = ['password', 'step', 'answer']

export function createConnectingPerson(
  gateway: string,
  { email, password = PASSWORD, key, client, route = (address) => address }: ConnectRequest,
): ConnectingPerson {
  const seen: ShownPage[] = []
  const browsers = new Map<string, ReturnType<typeof createBrowser>>()
  const browserAt = ({ origin }: URL) => {
    const found = browsers.get(origin) ?? createBrowser(origin)
    browsers.set(origin, found)
    return found
  }

  const filled = (fields: Record<string, string>): Record<string, string> => ({
    ...fields,
    ...('password' in fields ? { email, password } : {}),
    ...('key' in fields && key !== undefined ? { key } : {}),
    ...('client_id' in fields && client !== undefined ? { client_id: client.id, client_secret: client.secret } : {}),
  })

  return {
    seen,
    async open(address) {
      let url = new URL(address, gateway)
      let next = () => browserAt(url).ask(url.pathname + url.search)
      for (let step = 0; step < MOST_STEPS; step++) {
        const response = await next()
        const page = { url, status: response.status, headers: response.headers, html: await response.text() }
        seen.push(page)
        const form = formIn(page.html)
        const onward =
          response.headers.get('location') ?? /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page.html)?.[1]
        const asks = form !== undefined && ASKED.some((name) => name in form.fields)
        // Asked the same twice, something was refused.
        const again = seen.at(-2)?.url.href === page.url.href && step > 0 && page.status >= 400
        if (onward !== undefined) {
          url = new URL(route(new URL(onward.replaceAll('&amp;', '&'), url).href))
          next = () => browserAt(url).ask(url.pathname + url.search)
        } else if (asks && !again) {
          url = new URL(form.action, url)
          next = () => browserAt(url).submit(url.pathname + url.search, filled(form.fields))
        } else return page
      }
      throw new Error(`the browser was led on more than ${MOST_STEPS} times`)
    },
  }
}
