/** Reads XML of others: bounded, without document types and entities, and with elements found by their namespaces. */
import { DOMParser, type Element } from '@xmldom/xmldom'

export type { Element } from '@xmldom/xmldom'

/** More than any response or metadata has that is no attack on the parser. */
const MOST = { tags: 10_000, equalsInTag: 200, depth: 40 }

/** Throws for a text that is no well-formed XML, or beyond the bounds. */
export function parseXml(text: string): Element {
  const tags = text.split('<')
  // Looking for an attribute costs the more, the more attributes there are.
  if (tags.length > MOST.tags || tags.some((tag) => tag.split('=').length > MOST.equalsInTag))
    throw new Error('the document has too many elements or attributes')
  if (/<!(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)/i.test(text)) throw new Error('the document has a document type')
  refuseDepth(tags)
  const fail = (level: string, message: string) => {
    throw new Error(`${level}: ${message}`)
  }
  const root = new DOMParser({ onError: fail }).parseFromString(text, 'text/xml').documentElement
  if (root === null) throw new Error('the document has no element')
  return root
}

/** Before the parser, whose own work may be recursive. */
function refuseDepth(tags: readonly string[]): void {
  let depth = 0
  for (const tag of tags) {
    if (tag.startsWith('/')) depth--
    else if (tag !== '' && !tag.startsWith('?') && !tag.startsWith('!') && !/\/>[^>]*$/.test(tag)) depth++
    if (depth > MOST.depth) throw new Error('the document is nested too deeply')
  }
}

/** The element and all below it, in the order of the document. */
export function everyElement(root: Element): Element[] {
  const found: Element[] = []
  const open: Element[] = [root]
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    found.push(element)
    open.push(...elementsIn(element).toReversed())
  }
  return found
}

const ELEMENT = 1
const elementsIn = (parent: Element): Element[] =>
  [...parent.childNodes].filter((node): node is Element => node.nodeType === ELEMENT)

/** The children of that name. */
export const childrenOf = (parent: Element, namespace: string, name: string): Element[] =>
  elementsIn(parent).filter((child) => child.namespaceURI === namespace && child.localName === name)

export const textIn = (element: Element | undefined): string => element?.textContent?.trim() ?? ''

/** Undefined where there is none. */
export const attributeOf = (element: Element | undefined, name: string): string | undefined =>
  element?.getAttribute(name) ?? undefined
