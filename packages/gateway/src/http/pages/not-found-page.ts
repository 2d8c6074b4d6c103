/** An address at which nothing is served, for people; programs get problem+json. */
import { html, pageOf } from './page.ts'

interface UnknownRequest {
  readonly method: string
  readonly path: string
  header(name: string): string | undefined
}

/** Browsers name text/html when they open a page (Fetch standard, 4.1), programs seldom do. The API never answers with pages. */
export const wantsPage = (asked: UnknownRequest): boolean =>
  (asked.method === 'GET' || asked.method === 'HEAD') &&
  !asked.path.startsWith('/api/') &&
  /(^|[\s,])text\/html\s*(;|,|$)/i.test(asked.header('accept') ?? '')

export const notFoundPage = (): Promise<Response> =>
  pageOf({
    title: 'Page not found',
    status: 404,
    body: html`<p>There is no page at this address. It may have moved, or the address may be misspelled.</p>
      <p><a href="/">Go to the home page</a></p>`,
  })
