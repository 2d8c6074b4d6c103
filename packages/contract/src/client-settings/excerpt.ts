/**
 * Shows the position of a syntax error without showing secrets of the file.
 *
 * The line with the error is printed with a caret under the column. Files of this kind contain tokens, and in a broken line names
 * and values cannot be told apart reliably; so everything but punctuation and the keywords of the format is printed as dots. Line
 * and column are exact, because the user has the file open.
 */
import type { JsonTextFault } from './json-text.ts'

const WIDTH = 100
const WORDS = new Set(
  (
    'mcpServers servers context_servers mcp inputs command args env envFile url serverUrl headers type transport stdio http sse ' +
    'streamableHttp disabled enabled id description password promptString true false null source settings cwd Authorization'
  ).split(' '),
)

/** Two lines: the line of the fault with its values dotted out, and a caret under its column. */
export function excerptOf(text: string, { line, column }: Pick<JsonTextFault, 'line' | 'column'>): string {
  const whole = (text.split('\n')[line - 1] ?? '').replace('\r', '')
  const start = whole.length <= WIDTH ? 0 : Math.max(0, column - 1 - WIDTH / 2)
  // Masked before it is cut, so that half a word cannot pass for a word of the format.
  const shown = maskLine(whole).slice(start, start + WIDTH)
  const gutter = `${line} | `
  return `${gutter}${shown}\n${' '.repeat(gutter.length + column - 1 - start)}^`
}

const maskLine = (line: string) =>
  line
    .replaceAll(/\p{C}/gu, ' ')
    .replaceAll(/[^\s{}[\]:,"/]+/gu, (word) => (WORDS.has(word) ? word : '•'.repeat(word.length)))
