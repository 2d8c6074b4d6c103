/** Whether a vendor of the provider table is who a document sends people to. */
import { PROVIDERS } from '@toolway/contract'
import type { ReadApart } from '../../upstreams/openapi/document/read-apart.ts'

/** Its key. Of several who share a place to sign in (a family's products), the one that the document is called after. */
export function providerOf({ schemes, title }: Pick<ReadApart, 'schemes' | 'title'>): string | undefined {
  const hosts = schemes.flatMap(({ authorize }) => (authorize === undefined ? [] : [URL.parse(authorize)?.host]))
  const found = PROVIDERS.filter(({ authorizationEndpoint }) => hosts.includes(URL.parse(authorizationEndpoint)?.host))
  const named = found.find((one) => title.toLowerCase().includes(one.title.toLowerCase()))
  return (found.length === 1 ? found[0] : named)?.key
}
