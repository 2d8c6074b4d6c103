/** Atlassian Document Format, in which Jira has descriptions and comments: written from plain text, read as Markdown. */
import { get, isJson, type Json } from '../kit/index.ts'

/** An empty line ends a paragraph, a single one is kept as a line break. */
export function adfOf(text: string): Json {
  const paragraphs = text
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll(/^\n+|\s+$/g, ''))
    .filter((paragraph) => paragraph !== '')
  return { type: 'doc', version: 1, content: paragraphs.map(paragraphOf) }
}

const paragraphOf = (paragraph: string): Json => ({
  type: 'paragraph',
  content: paragraph
    .split('\n')
    .flatMap((line, index) => [
      ...(index === 0 ? [] : [{ type: 'hardBreak' }]),
      ...(line === '' ? [] : [{ type: 'text', text: line }]),
    ]),
})

/** Deeper documents are cut: their author may be anybody. */
const DEEPEST = 30

/** Undefined for what is no document. Older fields are plain text. */
export function markdownOf(document: unknown): string | undefined {
  if (typeof document === 'string') return document
  if (!isJson(document)) return undefined
  return written(document, 0)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

type Write = (node: Json, inner: () => string, depth: number) => string

const attribute = (node: Json, ...names: readonly string[]): string => {
  const found = names.map((name) => get(node, `attrs.${name}`)).find((value) => value !== undefined && value !== '')
  return typeof found === 'string' || typeof found === 'number' ? String(found) : ''
}

const block: Write = (_, inner) => `${inner()}\n\n`
const card: Write = (node) => attribute(node, 'url')
const list =
  (mark: (index: number) => string): Write =>
  (node, _, depth) =>
    `${childrenOf(node)
      .map(
        (item, index) =>
          mark(index) +
          written(item, depth + 1)
            .trim()
            .replaceAll(/\n+/g, '\n  '),
      )
      .join('\n')}\n\n`
const row: Write = (node, _, depth) =>
  `| ${childrenOf(node)
    .map((cell) =>
      written(cell, depth + 1)
        .trim()
        .replaceAll(/\s*\n\s*/g, ' '),
    )
    .join(' | ')} |\n`

const WRITERS: Readonly<Record<string, Write>> = {
  text: (node) => marked(node, String(node['text'] ?? '')),
  hardBreak: () => '\n',
  paragraph: block,
  heading: (node, inner) => `${'#'.repeat(Number(attribute(node, 'level')) || 1)} ${inner()}\n\n`,
  bulletList: list(() => '- '),
  orderedList: list((index) => `${index + 1}. `),
  taskList: list(() => '- '),
  taskItem: (node, inner) => `[${attribute(node, 'state') === 'DONE' ? 'x' : ' '}] ${inner()}`,
  blockquote: (_, inner) => `> ${inner().trim().replaceAll('\n', '\n> ')}\n\n`,
  codeBlock: (node, inner) => `\`\`\`${attribute(node, 'language')}\n${inner()}\n\`\`\`\n\n`,
  rule: () => '---\n\n',
  tableRow: row,
  table: block,
  mention: (node) => attribute(node, 'text', 'id'),
  emoji: (node) => attribute(node, 'text', 'shortName'),
  status: (node) => `[${attribute(node, 'text')}]`,
  date: (node) => dateOf(Number(attribute(node, 'timestamp'))),
  media: (node) => `[file ${attribute(node, 'alt', 'id')}]`,
  inlineCard: card,
  blockCard: (node) => `${attribute(node, 'url')}\n\n`,
}

function written(node: Json, depth: number): string {
  if (depth > DEEPEST) return ''
  const inner = () =>
    childrenOf(node)
      .map((child) => written(child, depth + 1))
      .join('')
  const type = String(node['type'])
  return Object.hasOwn(WRITERS, type) ? (WRITERS[type]?.(node, inner, depth) ?? '') : inner()
}

const childrenOf = (node: Json): readonly Json[] =>
  Array.isArray(node['content']) ? node['content'].filter(isJson) : []

function marked(node: Json, text: string): string {
  const marks = Array.isArray(node['marks']) ? node['marks'].filter(isJson) : []
  return marks.reduce((inner, mark) => {
    if (mark['type'] === 'strong') return `**${inner}**`
    if (mark['type'] === 'em') return `*${inner}*`
    if (mark['type'] === 'code') return `\`${inner}\``
    if (mark['type'] === 'strike') return `~~${inner}~~`
    return mark['type'] === 'link' ? `[${inner}](${attribute(mark, 'href')})` : inner
  }, text)
}

const dateOf = (milliseconds: number): string => {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10)
}
