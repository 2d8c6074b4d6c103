/** A link by which a server's page adds it to a client: `cursor://…/mcp/install?name=…&config=…` and `vscode:mcp/install?{…}`. Pure. */
import type { Draft } from '../draft.ts'
import type { ReadConfiguration } from './read-configuration.ts'

export function draftOfLink(text: string, read: ReadConfiguration): Draft | undefined {
  const vscode = /^vscode(?:-insiders)?:mcp\/install\?(.+)$/s.exec(text)?.[1]
  if (vscode !== undefined) return read(decoded(vscode))?.drafts[0]
  if (!/^(?:cursor:\/\/|https:\/\/cursor\.com\/)[^?]*(?:mcp\/install|install-mcp)\?/.test(text)) return undefined
  const searchParams = URL.parse(text)?.searchParams
  const config = searchParams?.get('config') ?? ''
  const found = read(fromBase64(config))?.drafts[0]
  return found === undefined ? undefined : { ...found, name: searchParams?.get('name') ?? '' }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function fromBase64(text: string): string {
  try {
    return new TextDecoder().decode(
      Uint8Array.from(atob(text.replaceAll(' ', '+')), (char) => char.codePointAt(0) ?? 0),
    )
  } catch {
    return ''
  }
}
