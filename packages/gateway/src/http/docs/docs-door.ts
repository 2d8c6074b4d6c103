/**
 * The documentation of the version that runs, at /docs: the site that `npm run docs` builds, and `npm start` beside the gateway. It is
 * the same for everybody, signed in or not. Until it is there, a page says how far it is and opens it by itself.
 */
import { createHash } from 'node:crypto'
import { Hono, type Context } from 'hono'
import { sendSiteFile, type SiteFile } from '../console/site.ts'
import { html } from '../pages/markup.ts'
import { pageOf } from '../pages/page.ts'
import { textsFor } from '../pages/page-request.ts'
import type { PageTexts } from '../pages/page-texts.ts'
import type { Docs, DocsState } from './docs-site.ts'

const PREFIX = '/docs'
const FILE_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

/** Scripts come from here; the few that stand in a page are named by their hash (CSP level 3, section 6.7.3.3). */
const policyOf = (hashes: readonly string[]) =>
  [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** How often a waiting page asks again. */
const ASK_AGAIN_SECONDS = 3

export function createDocsDoor(docs: Docs): Hono {
  const app = new Hono()
  const policies = new Map<SiteFile, string>()

  async function page(c: Context, file: SiteFile) {
    let policy = policies.get(file)
    if (policy === undefined) {
      policy = policyOf(hashesIn(Buffer.from(await file.in('identity')).toString('utf8')))
      policies.set(file, policy)
    }
    return sendSiteFile(c, file, {
      'content-security-policy': policy,
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      // Asked again each time, and answered by its tag: those of a new version are there at once.
      'cache-control': 'no-cache',
    })
  }

  const answer = async (c: Context, next: () => Promise<void>) => {
    const site = await docs.find()
    if (site === undefined) return notBuilt(textsFor(c), await docs.state())
    const name = c.req.path.slice(PREFIX.length).replace(/^\/|\/$/g, '')
    const found = site.get(name === '' ? 'index.html' : `${name}.html`)
    if (found !== undefined) return page(c, found)
    const file = site.get(name)
    if (file === undefined || name.endsWith('.html')) return next()
    return sendSiteFile(c, file, name.startsWith('assets/') ? FILE_HEADERS : {})
  }
  app.get(PREFIX, answer)
  app.get(`${PREFIX}/*`, answer)
  return app
}

/** Of the scripts that stand in the page itself. */
const hashesIn = (text: string): string[] =>
  [...text.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )

async function notBuilt(texts: PageTexts, state: DocsState): Promise<Response> {
  const { docs: words } = texts
  const page = { texts, status: 503 }
  const folder = html`<p>${words.folder()}</p>`
  if (state.kind === 'none')
    return pageOf({
      ...page,
      title: words.none(),
      body: html`<p>${words.how()}</p>
        ${folder}`,
    })
  if (state.kind === 'failed')
    return pageOf({
      ...page,
      title: words.failed(),
      body: html`<p>${words.why()}</p>
        ${folder}`,
    })
  const response = await pageOf({
    ...page,
    title: words.building(),
    body: html`<p role="status">${words.seconds({ seconds: state.seconds })}</p>
      <p>${words.opens()}</p>
      ${folder}`,
  })
  // As a header: it holds without a script, and a program that asks too early knows when to come back.
  response.headers.set('refresh', String(ASK_AGAIN_SECONDS))
  response.headers.set('retry-after', String(ASK_AGAIN_SECONDS))
  return response
}
