/**
 * A person with a browser, in front of the gateway's sign-in and consent pages: from the address that a client opens to the one
 * that the browser is sent back to.
 *
 * It follows redirects and pages that lead on by themselves, keeps cookies, and fills in the forms that it is shown. It reads
 * pages as text, as nothing else of a browser is needed where there are no scripts.
 */
import { createBrowser, PASSWORD } from '../../../../packages/gateway/src/testing/people.ts'

export interface Answers {
  readonly email: string
  readonly answer?: 'allow' | 'refuse'
  readonly access?: 'read' | 'write' | 'execute'
  /** Its id; the one that is chosen already if there is none. */
  readonly organization?: string
}

export interface Seen {
  readonly status: number
  readonly path: string
  readonly html: string
  readonly headers: Headers
}

export interface Journey {
  /** Where the browser left the gateway for; undefined when it stayed. */
  readonly back: URL | undefined
  /** Every page that was shown. */
  readonly pages: readonly Seen[]
}

export interface Person {
  readonly browser: ReturnType<typeof createBrowser>
  open(address: string | URL): Promise<Journey>
}

const MOST_STEPS = 20

export function createPerson(address: string, answers: Answers): Person {
  const browser = createBrowser(address)

  async function open(start: string | URL): Promise<Journey> {
    const pages: Seen[] = []
    let next: () => Promise<Response> = () => browser.ask(pathOf(new URL(start)))
    for (let step = 0; step < MOST_STEPS; step++) {
      const response = await next()
      const location = response.headers.get('location')
      if (location !== null) {
        const to = new URL(location, address)
        if (to.origin !== new URL(address).origin) return { back: to, pages }
        next = () => browser.ask(pathOf(to))
        continue
      }
      const html = await response.text()
      const path = new URL(response.url).pathname
      pages.push({ status: response.status, path, html, headers: response.headers })
      const onward = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1]
      const form = formIn(html)
      if (onward !== undefined) next = () => browser.ask(unescaped(onward))
      else if (form === undefined || response.status >= 400) return { back: undefined, pages }
      else next = () => browser.submit(form.action, filled(form.fields))
    }
    throw new Error(`the browser was led on more than ${MOST_STEPS} times`)
  }

  function filled(fields: Record<string, string>): Record<string, string> {
    if ('password' in fields) return { ...fields, email: answers.email, password: PASSWORD }
    const { answer = 'allow', access, organization } = answers
    return {
      ...fields,
      answer,
      ...(access === undefined ? {} : { access }),
      ...(organization === undefined ? {} : { organization }),
    }
  }
  return { browser, open }
}

const pathOf = ({ pathname, search }: URL) => pathname + search

/** The first form of a page: where it goes, and what it holds before anybody fills it in. */
export function formIn(html: string): { action: string; fields: Record<string, string> } | undefined {
  const [, action, inner = ''] = /<form method="post" action="([^"]+)">([\s\S]*?)<\/form>/.exec(html) ?? []
  if (action === undefined) return undefined
  const fields: Record<string, string> = {}
  for (const [tag] of inner.matchAll(/<input\b[^>]*>/g)) {
    const read = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
    const name = read('name')
    if (name === undefined || (read('type') === 'radio' && !/\schecked/.test(tag))) continue
    fields[name] = unescaped(read('value') ?? '')
  }
  return { action: unescaped(action), fields }
}

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
