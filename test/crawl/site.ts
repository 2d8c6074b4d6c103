/**
 * A web site for the crawler to read, on every loopback address (127.0.0.1, 127.0.0.2, … are hosts of their own). It notes what is asked
 * for, and holds answers back where a test says so.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { pdfOf } from './pdf.ts'

export type Route = (request: IncomingMessage, response: ServerResponse) => void

/** An article with what surrounds articles. `word` makes its text its own. */
export const articlePage = (title: string, word: string, head = ''): string => `<!doctype html>
<html lang="en"><head><title>${title}</title>${head}</head><body>
<nav class="navbar"><ul><li><a href="/">Home</a></li><li><a href="/pricing">Pricing of NAVIGATION</a></li></ul></nav>
<div id="cookie-banner" class="cookie-consent" role="dialog"><p>We use COOKIES for a better experience.</p><button>Accept all</button></div>
<main><article><h1>${title}</h1>
${Array.from({ length: 6 }, (_, at) => `<p>Paragraph ${at + 1} of the ${word} tells about the ${word} in full sentences, with commas, details and a conclusion that a reader wants to keep.</p>`).join('\n')}
<div class="ad-container advertisement">ADVERTISEMENT: buy now</div>
<h2>Figures</h2><table><tr><th>Year</th><th>${word}</th></tr><tr><td>2024</td><td>17</td></tr></table>
</article></main>
<aside class="sidebar"><h3>Related</h3><a href="/x">RELATED story</a></aside>
<footer class="site-footer"><p>FOOTER: all rights reserved.</p></footer></body></html>`

const html =
  (body: string | Uint8Array, headers: Record<string, string> = {}): Route =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
  }
const redirect =
  (to: string): Route =>
  (_, response) =>
    void response.writeHead(302, { location: to }).end()

/** Bytes of windows-1251 for text of ASCII and А to я. */
const cyrillic = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x80 ? code : code - 0x410 + 0xc0
  })

const RUSSIAN = 'Новости науки сообщают о новых открытиях исследователей из разных стран мира'
const META =
  '<meta name="description" content="About &quot;weather&quot;"><meta property="article:published_time" content="2026-03-14T08:00:00Z">'

/** The twelve pages of the ledger's row S4-TK-13, by path. */
export const PAGES: Readonly<Record<string, Route>> = {
  '/news': html(articlePage('Weather: "sun" & rain', 'weather', META)),
  '/docs': html(gzipSync(articlePage('Gateway manual', 'gateway')), { 'content-encoding': 'gzip' }),
  '/russian': (_, response) => {
    const paragraphs = `<p>${`${RUSSIAN}. `.repeat(5)}</p>`.repeat(4)
    const page = `<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><title>Наука</title></head><body><article>${paragraphs}</article></body></html>`
    response.writeHead(200, { 'content-type': 'text/html' }).end(cyrillic(page))
  },
  '/slow': (_, response) => {
    const page = articlePage('Slow page', 'patience')
    response.writeHead(200, { 'content-type': 'text/html' }).write(page.slice(0, 400))
    setTimeout(() => response.end(page.slice(400)), 500)
  },
  '/paper.pdf': (_, response) => {
    const pdf = pdfOf(['Measurements of the crawler', 'The second page has results.'], { title: 'A paper' })
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf)
  },
  '/notes.md': (_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/markdown' })
      .end('# Notes\n\nPlain notes stay as they are, with `code`.\n')
  },
  '/moved': redirect('/docs'),
  '/broken': (_, response) => void response.writeHead(500).end('no'),
  '/wall': html(
    '<html><head><title>Just a moment...</title></head><body><h1>example.com</h1><p>Verifying you are human. This may take a few seconds.</p></body></html>',
  ),
  '/inside': redirect('http://169.254.169.254/latest/meta-data/'),
  '/bomb': html(gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a')), { 'content-encoding': 'gzip' }),
  '/picture': (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('PNG'),
}

export interface Site extends AsyncDisposable {
  readonly port: number
  /** Paths in the order in which they were asked for, robots.txt apart. */
  readonly requests: string[]
  readonly robotsRequests: string[]
  /** Requests without an answer, by host; `''`: of all hosts. */
  open(host?: string): number
  /** The most that were without an answer at once, of one host and of all. */
  readonly most: { host: number; all: number }
  /** Answers what is held back, and holds nothing back any more. */
  release(): void
}

export interface SiteOptions {
  readonly routes?: Readonly<Record<string, Route>>
  readonly robots?: Route
  /** Whether answers to pages are held back until `release`. */
  readonly holds?: boolean
}

export async function startSite({ routes = PAGES, robots, holds = false }: SiteOptions = {}): Promise<Site> {
  const requests: string[] = []
  const robotsRequests: string[] = []
  const open = new Map<string, number>()
  const most = { host: 0, all: 0 }
  const allOpen = () => [...open.values()].reduce((sum, count) => sum + count, 0)
  let held: (() => void)[] | undefined = holds ? [] : undefined
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const host = request.headers.host?.split(':')[0] ?? ''
    if (pathname === '/robots.txt') {
      robotsRequests.push(host)
      return robots === undefined ? void response.writeHead(404).end() : robots(request, response)
    }
    requests.push(pathname)
    open.set(host, (open.get(host) ?? 0) + 1)
    most.host = Math.max(most.host, open.get(host) ?? 0)
    most.all = Math.max(most.all, allOpen())
    response.once('close', () => open.set(host, (open.get(host) ?? 1) - 1))
    const route = routes[pathname] ?? (pathname.startsWith('/article') ? article : missing)
    if (held === undefined) route(request, response)
    else held.push(() => route(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    ...{ requests, robotsRequests, most },
    open: (host) => (host === undefined ? allOpen() : (open.get(host) ?? 0)),
    release() {
      const waiting = held ?? []
      held = undefined
      for (const answer of waiting) answer()
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

const article: Route = (request, response) => html(articlePage(`Article ${request.url}`, 'article'))(request, response)
const missing: Route = (_, response) => void response.writeHead(404).end()
