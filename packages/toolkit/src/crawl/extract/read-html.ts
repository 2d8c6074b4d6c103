/** The main content of an HTML page as Markdown, without navigation, advertisements and the like (defuddle on linkedom). */
import { Defuddle } from 'defuddle/node'
import { parseHTML } from 'linkedom'
import { PageProblem } from '../page-problem.ts'
import { cleanDocument, type PageDocument } from './clean-document.ts'
import { wallOf } from './bot-wall.ts'
import type { Extract } from './page-extract.ts'
import { LEAST_POSTS, threadAround } from './thread-of-posts.ts'
import { countWords } from './words.ts'

/** Characters of HTML: what is larger takes too long, and is no article. */
const MOST_HTML_CHARACTERS = 5 * 1024 * 1024
/** Fewer words are no text of an article. */
const LEAST_WORDS = 5
const THREAD = 'data-toolway-thread'

export async function readHtml(html: string, url: string): Promise<Extract> {
  if (html.length > MOST_HTML_CHARACTERS)
    throw new PageProblem(`The page has more than ${MOST_HTML_CHARACTERS} characters of HTML.`)
  const first = await mainOf(documentOf(html, url), url)
  const { content, title, description, published } = (await threadOf(html, url, first.content)) ?? first
  const words = countWords(content)
  const problem = wallOf(title, content, words)
  if (problem !== undefined) throw new PageProblem(problem)
  if (words < LEAST_WORDS) throw new PageProblem(emptyReason(html))
  return { title, description, date: published, text: content, words }
}

const mainOf = (document: LenientDocument, url: string, contentSelector?: string) =>
  Defuddle(document, url, {
    markdown: true,
    // Site-specific readers would ask other servers, around the guard.
    useAsync: false,
    fetch: () => Promise.reject(new Error('no requests from here')),
    ...(contentSelector === undefined ? {} : { contentSelector }),
  })

/** A page with fewer such classes is no thread, and is not read twice. */
const POST_CLASS = /\bclass=["'][^"']{0,200}?(?:post|message)/gi

/** All posts of a thread; undefined where the page is none. */
async function threadOf(html: string, url: string, found: string) {
  if ((html.match(POST_CLASS)?.length ?? 0) < LEAST_POSTS) return undefined
  const document = documentOf(html, url)
  const thread = threadAround(document, found)
  if (thread === undefined) return undefined
  thread.setAttribute(THREAD, '')
  return mainOf(document, url, `[${THREAD}]`)
}

const emptyReason = (html: string): string =>
  /<script\b/i.test(html)
    ? 'The page contains no article text; it may be filled by scripts in a browser.'
    : 'The page contains no article text.'

interface LenientDocument extends PageDocument {
  URL?: string
  styleSheets?: readonly object[]
  defaultView: { getComputedStyle?: unknown } | null
}

/** linkedom adds none of the tags that HTML lets a page leave out, and has no styles, which defuddle asks for. */
function documentOf(html: string, url: string): LenientDocument {
  const whole = /<html[\s>]/i.test(html) ? html : `<!doctype html><html>${html}</html>`
  const parsed = parseHTML(/<body[\s>]/i.test(whole) ? whole : withBody(whole)) as unknown as {
    document: LenientDocument
  }
  const { document } = parsed
  document.URL = url
  document.styleSheets = []
  if (document.defaultView !== null) document.defaultView.getComputedStyle ??= () => ({ display: '' })
  cleanDocument(document)
  return document
}

/** The head is what stands before the first element that belongs to no head. */
function withBody(html: string): string {
  const outside = /<(?!\/?(?:html|head|title|meta|link|base|style|script|noscript|template)\b)[a-z]/i
  const open = /<html\b[^>]*>/i.exec(html)
  const start = open === null ? 0 : open.index + open[0].length
  const inner = html.slice(start).replace(/<\/?(?:head|html)\b[^>]*>/gi, '')
  const silent = inner.replace(/<(script|style|title|noscript|template)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi, (part) =>
    ' '.repeat(part.length),
  )
  const at = outside.exec(silent)?.index ?? inner.length
  return `${html.slice(0, start)}<head>${inner.slice(0, at)}</head><body>${inner.slice(at)}</body></html>`
}
