/** Finds the thread of a forum of which only one post was taken for the main content. */
import type { PageDocument, PageElement } from './clean-document.ts'
import { wordsOf } from './words.ts'

const POSTS = '[class*="post" i], [class*="message" i]'
export const LEAST_POSTS = 3
/** Fewer words are no post. */
const LEAST_WORDS = 10
/** A thread has to hold so many times the words that were found. */
const LEAST_GAIN = 1.5
/** Words by which a text is recognized. */
const RUN = 8

/** The element around at least three siblings of one kind, of which one holds the text that was found; undefined: it is no thread. */
export function threadAround(document: PageDocument, found: string): PageElement | undefined {
  const longest = found.split('\n').reduce((most, line) => (line.length > most.length ? line : most), '')
  const mark = wordsOf(longest).slice(0, RUN).join(' ')
  const least = wordsOf(found).length * LEAST_GAIN
  const seen = new Set<PageElement>()
  for (const { parentElement: parent } of document.querySelectorAll(POSTS)) {
    if (parent === null || seen.has(parent)) continue
    seen.add(parent)
    const texts = postsOf(parent).map((post) => wordsOf(post.textContent))
    const posts = texts.filter(({ length }) => length >= LEAST_WORDS)
    if (posts.length < LEAST_POSTS || posts.reduce((sum, { length }) => sum + length, 0) < least) continue
    if (posts.some((words) => words.join(' ').includes(mark))) return parent
  }
  return undefined
}

/** The children of the kind that is most frequent. */
function postsOf(parent: PageElement): PageElement[] {
  const kinds = Map.groupBy(
    parent.children,
    ({ localName, className }) => `${localName} ${className.split(/\s/, 1)[0]}`,
  )
  return [...kinds.values()].reduce((most, posts) => (posts.length > most.length ? posts : most), [])
}
