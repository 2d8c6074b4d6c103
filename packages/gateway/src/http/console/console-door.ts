/**
 * The console for browsers: one page at every address that has a screen, and the files that it is made of.
 *
 * Nothing here is anybody's: what the page shows it asks the admin interface for, with the cookies of who is signed in.
 */
import { CONSOLE_PATHS } from '@toolway/contract'
import { Hono, type Context } from 'hono'
import { html } from '../pages/markup.ts'
import { pageOf } from '../pages/page.ts'
import { textsFor } from '../pages/page-request.ts'
import type { PageTexts } from '../pages/page-texts.ts'
import { sendSiteFile, type Site } from './site.ts'

/**
 * Scripts come from here and nowhere else, and no text becomes one. Styles may stand in the page, since the kit sets widths and
 * places as attributes (CSP level 3).
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  // Asked again each time, and answered by its tag: a new version is there at once.
  'cache-control': 'no-cache',
}
/** The name of such a file changes with its bytes (RFC 8246). */
const FILE_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

/** @param site undefined: the console was not built */
export function createConsoleDoor(site: Site | undefined): Hono {
  const app = new Hono()
  const index = site?.get('index.html')
  const page = (c: Context) => (index === undefined ? notBuilt(textsFor(c)) : sendSiteFile(c, index, PAGE_HEADERS))
  for (const path of CONSOLE_PATHS) {
    app.get(path, page)
    if (path !== '/') app.get(`${path}/`, page)
  }
  app.get('/assets/:name', async (c, next) => {
    const file = site?.get(`assets/${c.req.param('name')}`)
    return file === undefined ? next() : sendSiteFile(c, file, FILE_HEADERS)
  })
  return app
}

const notBuilt = (texts: PageTexts) =>
  pageOf({
    texts,
    title: texts.notBuilt.console(),
    status: 503,
    body: html`<p>${texts.notBuilt.consoleText()}</p>
      <p>${texts.notBuilt.consoleBuild()}</p>
      <p>${texts.notBuilt.commandLine()}</p>`,
  })
