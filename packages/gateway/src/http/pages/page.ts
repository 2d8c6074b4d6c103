/**
 * Building blocks of the few pages that the gateway serves itself (sign-in, consent): layout, styles and the headers of an
 * answer.
 *
 * Plain HTML and CSS: no external resources, no framing by other pages, and no script but the few lines that passkeys and forms of other
 * sites need.
 */
import { createHash } from 'node:crypto'
import { raw } from 'hono/html'
import { html, type Markup } from './markup.ts'
import type { PageTexts } from './page-texts.ts'
import { STYLES } from './styles.ts'

export interface Page {
  readonly texts: PageTexts
  readonly title: Markup
  readonly body: Markup | Promise<Markup>
  readonly status?: number
  /** Where the browser goes by itself. */
  readonly goTo?: string
  /** A script of ours, which may do nothing but what is in the page. */
  readonly script?: string
  /** Origins besides our own that a form's answer may lead to, such as an OAuth client's. */
  readonly formsLeadTo?: readonly string[]
  /** The only address that the page's form is sent to. */
  readonly formTo?: string
}

const STYLE_HASH = createHash('sha256').update(STYLES).digest('base64')
/** Made in one piece: a space more between the tags would be another hash. */
const STYLE = raw(`<style>${STYLES}</style>`)
/** As the console has it. */
const MARK = raw(
  '<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#1f5fd0"/><path d="M8 11h16M16 11v13" stroke="#fff" stroke-width="3.5" stroke-linecap="round"/><circle cx="16" cy="24" r="3" fill="#fff"/></svg>',
)

/** Nothing loads, nothing runs, nothing frames; the one style block is known by its hash (CSP level 3). */
const policyOf = ({ formsLeadTo = [], formTo, script }: Pick<Page, 'formsLeadTo' | 'formTo' | 'script'>): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    ...(script === undefined ? [] : [`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`]),
    `form-action ${formTo ?? ["'self'", ...formsLeadTo].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Security headers of every page, those that a library makes included. */
export const PAGE_HEADERS = {
  'content-security-policy': policyOf({}),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // With `no-referrer` a browser would send `Origin: null` with our own forms (Fetch standard, 3.2).
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

export async function pageOf(page: Page): Promise<Response> {
  const { texts, title, body, status = 200, goTo, script } = page
  const refresh = goTo === undefined ? '' : html`<meta http-equiv="refresh" content="0; url=${goTo}" />`
  const text = await html`<!doctype html>
    <html lang="${texts.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        ${refresh}
        <title>${title} · Toolway</title>
        ${STYLE}
      </head>
      <body>
        <main>
          <p class="brand">${MARK} Toolway</p>
          <h1>${title}</h1>
          ${await body}
        </main>
        ${script === undefined ? '' : raw(`<script>${script}</script>`)}
      </body>
    </html>`
  return new Response(String(text), {
    status,
    headers: {
      ...PAGE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'content-language': texts.language,
      vary: 'Accept-Language',
      'content-security-policy': policyOf(page),
    },
  })
}
