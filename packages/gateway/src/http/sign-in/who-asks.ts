/** Who asks for an operation that is open to anyone: by the browser's sign-in, else by a key or token; undefined for strangers. */
import type { Identity } from '../../identity/identify.ts'
import type { Principal } from '../../identity/principal.ts'
import type { WebSession } from './web-session.ts'

export const createWhoAsks =
  (web: Pick<WebSession, 'principalOf'>, { identify }: Pick<Identity, 'identify'>) =>
  async (authorization: string | undefined, cookies: string | undefined): Promise<Principal | undefined> => {
    try {
      return (await web.principalOf(cookies)) ?? (await identify(authorization))
    } catch {
      return undefined
    }
  }
