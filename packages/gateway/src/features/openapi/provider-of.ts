/** Whether a vendor of the provider table is who a document sends people to, and its accounts are for the address of its operations. */
import { placeAt, PlaceProblem, PROVIDERS } from '@toolway/contract'
import type { ReadApart } from '../../upstreams/openapi/document/read-apart.ts'

/** Its key; undefined where its accounts are for other addresses. Of several who share a place to sign in (a family's products), the one that the document is called after. */
export function providerOf(
  { schemes, title }: Pick<ReadApart, 'schemes' | 'title'>,
  base: string | undefined,
): string | undefined {
  const hosts = schemes.flatMap(({ authorize }) => (authorize === undefined ? [] : [URL.parse(authorize)?.host]))
  const found = PROVIDERS.filter(({ authorizationEndpoint }) => hosts.includes(URL.parse(authorizationEndpoint)?.host))
  const named = found.find((provider) => title.toLowerCase().includes(provider.title.toLowerCase()))
  const key = (found.length === 1 ? found[0] : named)?.key
  return key === undefined || base === undefined || !isFor(key, base) ? undefined : key
}

function isFor(key: string, base: string): boolean {
  try {
    placeAt(key, base)
    return true
  } catch (thrown) {
    if (!(thrown instanceof PlaceProblem)) throw thrown
    return false
  }
}
