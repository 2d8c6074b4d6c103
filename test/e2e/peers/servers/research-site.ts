/** A site of articles about one subject, each with the navigation, advertisements and footer that pages have around their text. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ResearchSite extends AsyncDisposable {
  /** The addresses of its articles. */
  readonly pages: readonly string[]
  /** Paths that were requested. */
  readonly asked: readonly string[]
}

/** A sentence that only the article of that number has. */
export const factOf = (number: number): string =>
  `Harbour ${number} stored ${number * 17} tonnes of tidal energy salt in ${1980 + number}.`

export async function startResearchSite(count = 40): Promise<ResearchSite> {
  const asked: string[] = []
  const server = createServer(({ url = '/' }, response) => {
    asked.push(url)
    const [, digits] = /^\/article\/(\d+)$/.exec(url) ?? []
    if (digits === undefined || Number(digits) > count) return void response.writeHead(404).end('Not found')
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(article(Number(digits), count))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    pages: Array.from({ length: count }, (_, at) => `${origin}/article/${at + 1}`),
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function article(number: number, count: number): string {
  const links = Array.from({ length: count }, (_, at) => `<li><a href="/article/${at + 1}">Report ${at + 1}</a></li>`)
  const paragraphs = Array.from(
    { length: 5 },
    (_, at) =>
      `<p>${factOf(number)} The storage of heat in salt is a subject of chapter ${at + 1}: engineers measured how long the harbour kept its warmth, which losses the pipes had, and what the households of the quarter paid for it through the winter.</p>`,
  )
  return `<!doctype html><html lang="en"><head><title>Tidal storage report ${number}</title></head><body>
<nav><ul>${links.join('')}</ul></nav><div class="advertisement">Buy a boat now!</div>
<main><article><h1>Tidal storage report ${number}</h1>${paragraphs.join('')}</article></main>
<footer>Cookie settings and newsletter</footer></body></html>`
}
