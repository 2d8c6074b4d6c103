/**
 * The person whom a scenario about signing in needs: an operator's link for an account of the organization, opened in a browser that
 * follows where the gateway and the scenario's authorization server lead, and fills in what it is asked for.
 *
 * Whether an account is there in the end is read from where the browser ends; what went over the wire, the suite sees.
 */
import { z } from 'zod'
import { createBrowser } from '../../packages/gateway/src/testing/people.ts'
import { formIn } from '../e2e/peers/people/oauth-person.ts'
import { walkThrough } from '../e2e/peers/people/identity-provider.ts'

/** The client that an administrator has registered at the scenario's authorization server. */
export interface KnownClient {
  readonly client_id: string
  readonly client_secret: string
}

export interface Person {
  /** Opens that link, or one that the operator makes. `refused`: what the page says. */
  connect(
    link?: string,
  ): Promise<{ readonly connected: true } | { readonly connected: false; readonly refused: string }>
  /** Status of the connection, once the gateway has looked. */
  status(): Promise<string>
}

const MOST_STEPS = 8
const Link = z.object({ url: z.url() })
const State = z.object({ status: z.string() })
const shown = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

export function createPerson(address: string, alias: string, client: KnownClient | undefined): Person {
  const home = `${address}/api/v1/admin/tenants/default/connectors/${alias}`

  async function makeLink(): Promise<string> {
    const response = await fetch(`${home}/link`, { method: 'POST', headers: { 'content-type': 'application/json' } })
    if (!response.ok) throw new Error(`no link is made: HTTP ${response.status} ${await response.text()}`)
    return Link.parse(await response.json()).url
  }

  return {
    async connect(link) {
      const browser = createBrowser(address)
      const { pathname, search } = new URL(link ?? (await makeLink()))
      let response = await browser.ask(pathname + search)
      for (let step = 0; step < MOST_STEPS; step++) {
        const location = response.headers.get('location')
        if (location !== null) {
          const to = new URL(location, address)
          response = await browser.ask(to.pathname + to.search)
          if (to.searchParams.has('connected')) return { connected: true }
          if (to.searchParams.has('error')) return { connected: false, refused: shown(await response.text()) }
          continue
        }
        const html = await response.text()
        const onward = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
        const form = formIn(html)
        if (onward !== undefined) {
          const back = new URL(await walkThrough(onward, new URL(onward).searchParams.get('redirect_uri') ?? address))
          const headers = { 'sec-fetch-site': 'cross-site' }
          response = await browser.ask(back.pathname + back.search, { headers })
        } else if (form === undefined || response.status >= 400) return { connected: false, refused: shown(html) }
        else
          response = await browser.submit(form.action, {
            ...form.fields,
            ...('client_id' in form.fields ? client : {}),
          })
      }
      throw new Error('the browser was led on and on')
    },
    async status() {
      const response = await fetch(home)
      if (!response.ok) throw new Error(`no state of the connection: HTTP ${response.status}`)
      return State.parse(await response.json()).status
    },
  }
}
