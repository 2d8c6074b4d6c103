/** What of an address and its headers is a secret, and how texts of the server are shown without it. */
import { createMask } from '../children/mask.ts'

export function createReachMask(url: URL, headers: Readonly<Record<string, string>>): (text: string) => string {
  const given = Object.entries(headers).flatMap(([name, value]) => [
    [name, value],
    // `Bearer abc`: a server may repeat either.
    [`${name} credential`, value.slice(value.indexOf(' ') + 1)],
  ])
  const asked = [...url.searchParams].map(([name, value]) => [encodeURIComponent(name), value])
  return createMask(Object.fromEntries([...asked, ...given]) as Record<string, string>)
}
