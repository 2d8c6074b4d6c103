/**
 * How is a JSON text written again: indented, on one line, with its names in order?
 *
 * Works on the tree of `json-text`, so numbers and strings stay letter by letter as they were. Names are ordered by
 * code unit, so the result does not depend on anyone's language. A repeated name stays where it is found; it is for
 * the caller to say so.
 */
import type { JsonMember, JsonNode } from '../../lib/json-text.ts'

export interface JsonStyle {
  /** Spaces per level; 0 writes everything on one line without spaces. */
  indent: number
  sortKeys: boolean
}

/** Writes `node` in `style`. */
export function writeJson(node: JsonNode, style: JsonStyle, level = 0): string {
  if (node.kind === 'array') {
    return enclose(
      '[',
      node.items.map((item) => writeJson(item, style, level + 1)),
      ']',
      style,
      level,
    )
  }
  if (node.kind !== 'object') return node.raw
  const colon = style.indent > 0 ? ': ' : ':'
  const members = style.sortKeys ? node.members.toSorted(byKey) : node.members
  const written = members.map(({ raw, value }) => raw + colon + writeJson(value, style, level + 1))
  return enclose('{', written, '}', style, level)
}

function enclose(open: string, parts: string[], close: string, { indent }: JsonStyle, level: number): string {
  if (parts.length === 0) return open + close
  if (indent === 0) return open + parts.join(',') + close
  const inner = ' '.repeat(indent * (level + 1))
  const outer = ' '.repeat(indent * level)
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${outer}${close}`
}

const byKey = (a: JsonMember, b: JsonMember) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
