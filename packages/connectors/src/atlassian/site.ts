/** The site of an Atlassian account: its cloud id is a part of each address of Jira and Confluence. */
import { get, maybe, refusal, rest, shape, str, strs, type Json, type Place } from '../kit/index.ts'

const { ask, read } = rest({ base: 'https://api.atlassian.com' })

const CLOUD_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

interface Site {
  readonly id: string
  readonly name: string
  readonly host: string
}

/** A cloud id is believed: Atlassian refuses one that the account does not reach. Everything else is looked up by one request. */
export const siteOf = (product: 'jira' | 'confluence'): Place => ({
  input: {
    site: maybe('Cloud ID or address, e.g. acme.atlassian.net; required only if the account can access several sites'),
  },
  *find({ site }) {
    const siteName = typeof site === 'string' ? site.trim() : ''
    if (CLOUD_ID.test(siteName)) return { cloudId: siteName }
    const { body } = yield* ask('GET /oauth/token/accessible-resources')
    return { cloudId: chosen(sitesOf(body, product), siteName, product) }
  },
})

/** The cheap call of a product that has no operation for the account itself: it needs no scope and no site. */
export const listSites = read('GET /oauth/token/accessible-resources', {
  says: 'List the sites that the connected account can access.',
  paging: false,
  list: shape({ id: str(), name: str(), url: str() }),
  scopes: [],
})

/** A site that several products were granted for is named once for each. */
function sitesOf(body: unknown, product: string): readonly Site[] {
  const granted = (Array.isArray(body) ? body : []).filter((value) => {
    const scopes = strs().read(get(value, 'scopes')) ?? []
    return scopes.length === 0 || scopes.some((scope) => scope.includes(product))
  })
  const sites = granted.map((item: Json) => ({
    id: String(get(item, 'id')),
    name: String(get(item, 'name')),
    host: hostOf(String(get(item, 'url'))),
  }))
  return [...new Map(sites.filter(({ id }) => CLOUD_ID.test(id)).map((site) => [site.id, site])).values()]
}

/** Throws ToolFailure where there is none, or more than one. */
function chosen(sites: readonly Site[], requested: string, product: string): string {
  const [only, ...others] = requested === '' ? sites : sites.filter((site) => isNamed(site, requested))
  if (only !== undefined && others.length === 0) return only.id
  if (sites.length === 0)
    throw refusal('PERMISSION_DENIED', `The account has no site with ${product}: connect it again and choose one.`)
  const known = sites.map(({ id, host }) => `${host} (${id})`).join(', ')
  if (requested === '')
    throw refusal('INVALID_ARGUMENT', `site: the account can access several sites, use one of ${known}.`)
  throw refusal('NOT_FOUND', `site: the account cannot access this site, only ${known}.`)
}

const isNamed = ({ name, host }: Site, requested: string): boolean =>
  hostOf(requested) === host ||
  requested.toLowerCase() === name.toLowerCase() ||
  `${requested.toLowerCase()}.atlassian.net` === host

const hostOf = (address: string): string => {
  const text = address.toLowerCase()
  return URL.parse(text.includes('://') ? text : `https://${text}`)?.host ?? ''
}
