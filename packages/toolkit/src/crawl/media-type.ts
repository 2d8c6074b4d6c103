/** The media types of pages that can be read, and how each is read. */
import { PageProblem } from './page-problem.ts'

export type PageForm = 'html' | 'text' | 'json' | 'pdf'

const FORMS: Readonly<Record<string, PageForm>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/plain': 'text',
  'text/markdown': 'text',
  'text/x-markdown': 'text',
  'text/csv': 'text',
  'application/json': 'json',
  'application/ld+json': 'json',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
}
/** Says nothing about what it is. */
const UNSAID = new Set(['', 'application/octet-stream', 'binary/octet-stream'])

export const mediaTypeOf = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()

/** Throws a `PageProblem` for a type that is not read, before its body is. */
export function checkMediaType(contentType: string): void {
  const type = mediaTypeOf(contentType)
  if (UNSAID.has(type) || Object.hasOwn(FORMS, type)) return
  throw new PageProblem(
    `Pages of the type ${type.slice(0, 80)} are not supported: only HTML, text, Markdown, JSON and PDF.`,
  )
}

export function formOf(contentType: string, body: Uint8Array): PageForm {
  const type = mediaTypeOf(contentType)
  const start = Buffer.from(body.subarray(0, 1024)).toString('latin1').trimStart()
  if (start.startsWith('%PDF-')) return 'pdf'
  const form = Object.hasOwn(FORMS, type) ? FORMS[type] : undefined
  if (form !== undefined) return form
  if (/^<(?:!doctype html|html|head|body|!--)/i.test(start)) return 'html'
  throw new PageProblem('The server does not state the type of the page, and it is neither HTML nor PDF.')
}
