/**
 * The organization that is looked at stands in the path, `/o/acme/connections`; inside, it is the parameter `org` of every address,
 * which links and filters already take along. An address with the parameter, or with neither, leads to the same screens.
 */
import { CONSOLE_PREFIX } from '@toolway/contract'

/** The parameter of every address that says which organization is looked at. */
export const ORGANIZATION = 'org'

const SLUG = /^[\w-]+$/
const FORM = new RegExp(`^${CONSOLE_PREFIX}([\\w-]+)(/.*)?$`)

/** As the router reads an address. */
export function withoutPrefix(url: URL): URL {
  const [, organization, rest = '/'] = FORM.exec(url.pathname) ?? []
  if (organization === undefined) return url
  const own = new URL(url)
  own.pathname = rest
  own.searchParams.set(ORGANIZATION, organization)
  return own
}

/** As the browser shows it. */
export function withPrefix(url: URL): URL {
  const organization = url.searchParams.get(ORGANIZATION)
  if (organization === null || !SLUG.test(organization)) return url
  const own = new URL(url)
  own.searchParams.delete(ORGANIZATION)
  own.pathname = `${CONSOLE_PREFIX}${organization}${url.pathname === '/' ? '' : url.pathname}`
  return own
}
