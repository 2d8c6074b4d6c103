/** Confluence's storage format: XHTML in which plain text has to be escaped. */

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (char) => ESCAPES[char] ?? char)

/** Markup stays as it is. Of plain text an empty line ends a paragraph, a single one is kept as a line break. */
export function storageOf(text: string): string {
  const bare = text.replaceAll('\r\n', '\n').trim()
  if (/^<(?:[a-z][\w:-]*[\s/>]|!--)[\s\S]*>$/i.test(bare)) return bare
  return bare
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br />')}</p>`)
    .join('')
}
