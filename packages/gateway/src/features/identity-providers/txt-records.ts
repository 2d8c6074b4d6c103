/** Looks up TXT records, which prove that somebody decides over a domain. */
import { Resolver } from 'node:dns/promises'

export type FindTxtRecords = (name: string) => Promise<readonly string[]>

const TIMEOUT_MS = 3_000
const ABSENT: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND'])

/** @param servers addresses of name servers; absent: those of the machine */
export function createFindTxtRecords(servers?: readonly string[]): FindTxtRecords {
  return async (name) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 })
    if (servers !== undefined) resolver.setServers([...servers])
    try {
      // A record of several texts is one text (RFC 1035, section 3.3.14).
      return (await resolver.resolveTxt(name)).map((texts) => texts.join(''))
    } catch (thrown) {
      if (ABSENT.has((thrown as { code?: unknown }).code)) return []
      throw thrown
    }
  }
}
