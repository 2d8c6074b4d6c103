/** A server at an address with the headers that somebody wrote for it: an `Authorization: Bearer …` among them is its key. Pure. */
import { draft, isBlank, valueOf, type Draft, type Value } from '../draft.ts'

export function remoteOf({ url, headers }: { url: string; headers: readonly (readonly [string, string])[] }): Draft {
  const bearer = headers.find(([name, value]) => name.toLowerCase() === 'authorization' && /^Bearer\s/i.test(value))
  const key = bearer?.[1].replace(/^Bearer\s+/i, '').trim()
  const others: Value[] = headers
    .filter((header) => header !== bearer)
    .map(([name, value]) => valueOf(name, value, true))
  if (key === undefined) return draft({ url, headers: others })
  return draft({ url, headers: others, auth: 'api_key', key: isBlank(key) ? '' : key })
}

/** `npx mcp-remote URL` carries a server elsewhere to who knows only programs; here it is connected itself. */
export function carriedBy(words: readonly string[]): Draft | undefined {
  const at = words.findIndex((word) => /^mcp-remote(?:@|$)/.test(word))
  const url = words.slice(at + 1).find((word) => /^https?:\/\//.test(word))
  return at < 0 || url === undefined
    ? undefined
    : remoteOf({ url, headers: optionsIn(words, ['--header']).flatMap(headerIn) })
}

/** The values of an option, said as `--name value` or `--name=value`. */
export const optionsIn = (words: readonly string[], names: readonly string[]): string[] =>
  words.flatMap((word, at) => {
    if (names.includes(word)) return words[at + 1] ?? []
    const name = names.find((value) => word.startsWith(`${value}=`))
    return name === undefined ? [] : word.slice(name.length + 1)
  })

/** `Name: value` */
export function headerIn(text: string): [string, string][] {
  const at = text.indexOf(':')
  return at < 1 ? [] : [[text.slice(0, at).trim(), text.slice(at + 1).trim()]]
}
