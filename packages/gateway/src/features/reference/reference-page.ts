/**
 * The admin interface as a page to read: one file of text, without a script and without anything from elsewhere.
 *
 * It shows what the operations say of themselves, grouped by noun. Every text in it is escaped.
 */
import type { Operation, Shape } from '@toolway/contract/admin'
import { z } from 'zod'
import { needOf, tagOf } from './open-api.ts'

export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --line: #d9dee5; --ground: #fff; --raised: #f5f7fa; --accent: #0b5cad }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7ebf0; --soft: #9aa7b6; --line: #313a46; --ground: #12161c; --raised: #1a2029; --accent: #7cb8f5 }
}
* { box-sizing: border-box }
body { margin: 0; color: var(--ink); background: var(--ground); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.6rem; margin: 0 0 .5rem }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; text-transform: capitalize }
p { margin: .4rem 0 }
a { color: var(--accent) }
nav { display: flex; flex-wrap: wrap; gap: .25rem .9rem; margin: 1rem 0 }
details { border: 1px solid var(--line); border-radius: 8px; margin: .4rem 0; background: var(--raised) }
summary { cursor: pointer; padding: .6rem .75rem; overflow-wrap: anywhere }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 8px }
summary b { display: inline-block; min-width: 4.2rem; color: var(--accent); font: 600 .85rem ui-monospace, monospace }
summary code { font-size: .9rem }
summary span { display: block; color: var(--soft); font-size: .92rem }
details > div { padding: 0 .75rem .75rem }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .4rem 0; table-layout: fixed }
caption { text-align: left; font-weight: 600; padding: .3rem 0 }
td { border-top: 1px solid var(--line); padding: .3rem .5rem .3rem 0; vertical-align: top; overflow-wrap: anywhere }
td:first-child { width: 38% }
.soft { color: var(--soft) }
`

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? '')
/** A sentence, in which what stands between backticks is code. */
const withCode = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

export function referencePage(operations: readonly Operation[]): string {
  const groups = Map.groupBy(operations, tagOf)
  const names = [...groups.keys()]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Toolway administration</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Toolway administration</h1>
<p>Send a key or an access token as <code>Authorization: Bearer …</code>. Errors are <code>application/problem+json</code>, with a code, a message and the next step. A <code>POST</code> accepts an <code>Idempotency-Key</code>; resources that are returned with an <code>ETag</code> accept it as <code>If-Match</code>.</p>
<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<nav aria-label="Resources">${names.map((name) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`).join('')}</nav>
${names.map((name) => section(name, groups.get(name) ?? [])).join('\n')}
</main>
</body>
</html>
`
}

const section = (name: string, operations: readonly Operation[]): string =>
  `<section aria-labelledby="${escapeHtml(name)}"><h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2>\n${operations.map(entry).join('\n')}\n</section>`

function entry({ id, method, path, summary, needs, query, body, answer, status, media }: Operation): string {
  const tables = [
    tableOf('Query', query, 'input'),
    tableOf('Body', body, 'input'),
    tableOf(`Response (${status}${media === undefined ? '' : `, ${media}`})`, answer, 'output'),
  ]
  return `<details id="${escapeHtml(id)}"><summary><b>${method}</b> <code>${escapeHtml(path).replaceAll('/', '/<wbr>')}</code><span>${withCode(summary)}</span></summary>
<div><p class="soft">${withCode(needOf(needs))} <code>${escapeHtml(id)}</code></p>${tables.join('')}</div></details>`
}

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly default?: unknown
  readonly additionalProperties?: Schema | boolean
}

function tableOf(caption: string, shape: Shape, io: 'input' | 'output'): string {
  if (shape instanceof z.ZodUndefined) return ''
  const schema = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as Schema
  const forms = (schema.anyOf ?? schema.oneOf ?? [schema]).filter(
    (form) => Object.keys(form.properties ?? {}).length > 0,
  )
  return forms.map((form) => `<table><caption>${escapeHtml(caption)}</caption>${rowsOf(form, io)}</table>`).join('')
}

const rowsOf = ({ properties = {}, required = [] }: Schema, io: 'input' | 'output'): string =>
  Object.entries(properties)
    .map(([name, schema]) => {
      const must = io === 'input' && required.includes(name) ? ' <span class="soft">(required)</span>' : ''
      return `<tr><td><code>${escapeHtml(name)}</code>${must}</td><td>${escapeHtml(typeOf(schema))}</td></tr>`
    })
    .join('')

/** A shape in a few words. */
function typeOf(schema: Schema): string {
  const { type, items, anyOf, oneOf, properties, additionalProperties, format } = schema
  const unsaid = schema.default === undefined ? '' : `, else ${JSON.stringify(schema.default)}`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => String(value)).join(' | ') + unsaid
  const forms = anyOf ?? oneOf
  if (forms !== undefined) return forms.map(typeOf).join(' | ') + unsaid
  if (items !== undefined) return `list of ${typeOf(items)}${unsaid}`
  if (properties !== undefined) return `{ ${Object.keys(properties).join(', ')} }${unsaid}`
  if (typeof additionalProperties === 'object') return `names with ${typeOf(additionalProperties)}${unsaid}`
  return (format ?? type ?? 'anything') + unsaid
}
