/**
 * Prepares a document for the search of its main content: parts that are marked as navigation are removed, and tables that only lay out a
 * page become plain boxes.
 */
/** The members of a linkedom element that are used. */
export interface PageElement {
  readonly localName: string
  readonly textContent: string
  readonly children: readonly PageElement[]
  readonly parentElement: PageElement | null
  readonly className: string
  setAttribute(name: string, value: string): void
  closest(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
  remove(): void
  replaceWith(...nodes: PageElement[]): void
  append(...nodes: unknown[]): void
  readonly childNodes: Iterable<unknown>
}

export interface PageDocument {
  querySelectorAll(selector: string): Iterable<PageElement>
  createElement(name: string): PageElement
}

const NAVIGATION = [
  'nav',
  '[role="navigation"]',
  '[role="search"]',
  '[role="contentinfo"]',
  '[role="dialog"]',
  '[aria-modal="true"]',
  '[class*="breadcrumb" i]',
  '[class~="crumb"]',
  '[class~="crumbs"]',
].join(',')

export function cleanDocument(document: PageDocument): void {
  for (const part of document.querySelectorAll(NAVIGATION)) part.remove()
  for (const table of [...document.querySelectorAll('table')].reverse())
    if (isLayout(table)) table.replaceWith(unwrapElement(table, document))
}

/** Tables of figures have headings or captions, and cells without paragraphs. */
function isLayout(table: PageElement): boolean {
  const ownElements = (selector: string) =>
    [...table.querySelectorAll(selector)].filter((found) => found.closest('table') === table)
  if (ownElements('th, caption, thead').length > 0) return false
  return ownElements('td').some(
    (cell) => [...cell.querySelectorAll('p, h1, h2, h3, h4, ul, ol, table, div')].length >= 3,
  )
}

const PLAIN = new Set(['table', 'tbody', 'tfoot', 'tr', 'td'])

function unwrapElement(element: PageElement, document: PageDocument): PageElement {
  const box = document.createElement('div')
  for (const child of [...element.childNodes] as (PageElement | { localName?: undefined })[]) {
    const inner = child.localName !== undefined && PLAIN.has(child.localName)
    box.append(inner ? unwrapElement(child, document) : child)
  }
  return box
}
