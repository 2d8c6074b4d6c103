/** An address at which nothing is served, for people; programs get problem+json. */
import { html } from './markup.ts'
import { pageOf } from './page.ts'
import { linkTo, type PageTexts } from './page-texts.ts'

interface UnknownRequest {
  readonly method: string
  readonly path: string
  header(name: string): string | undefined
}

/** Browsers name text/html when they open a page (Fetch standard, 4.1), programs seldom do. The API never answers with pages. */
export const wantsPage = (request: UnknownRequest): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  !request.path.startsWith('/api/') &&
  /(^|[\s,])text\/html\s*(;|,|$)/i.test(request.header('accept') ?? '')

export const notFoundPage = (texts: PageTexts): Promise<Response> =>
  pageOf({
    texts,
    title: texts.notFound.title(),
    status: 404,
    body: html`<p>${texts.notFound.text()}</p>
      <p>${texts.notFound.home({ a: linkTo('/') })}</p>`,
  })
