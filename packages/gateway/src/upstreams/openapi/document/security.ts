/** Reads the security schemes of a document, and the connection settings that match them. */
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'
import type { ConnectionAuthChange, KeyPlace } from '@toolway/contract'
import type { References } from './references.ts'
import { textOf } from './texts.ts'

export interface Scheme {
  readonly name: string
  /** `key`, `basic`, `bearer`, `oauth`, or the document's own word for what is not known here. */
  readonly kind: string
  /** `header X-Key`, `query api_key`, `cookie session`; undefined where the kind says it. */
  readonly place: string | undefined
  readonly scopes: readonly string[]
  /** Where people sign in, for OAuth. */
  readonly authorize: string | undefined
}

const MOST = 50

export function schemesOf(root: JsonObject, references: References): Scheme[] {
  const components = isObject(root['components']) ? root['components'] : {}
  const schemes = isObject(components['securitySchemes']) ? components['securitySchemes'] : {}
  return Object.entries(schemes)
    .slice(0, MOST)
    .flatMap(([name, value]) => {
      const scheme = references.open(value)
      return scheme === undefined ? [] : [schemeOf(name, scheme)]
    })
}

function schemeOf(name: string, value: JsonObject): Scheme {
  const { type, scheme, in: location, name: key, flows } = value
  const plain = { name: name.slice(0, 100), place: undefined, scopes: [], authorize: undefined }
  if (type === 'apiKey')
    return { ...plain, kind: 'key', place: `${textOf(location, 20) ?? '?'} ${textOf(key, 100) ?? '?'}` }
  if (type === 'http') return { ...plain, kind: (textOf(scheme, 30) ?? 'http').toLowerCase() }
  if (type !== 'oauth2') return { ...plain, kind: textOf(type, 30) ?? 'unknown' }
  const all = isObject(flows) ? Object.values(flows).filter(isObject) : []
  const scopes = all.flatMap((flow) => (isObject(flow['scopes']) ? Object.keys(flow['scopes']) : []))
  const authorize = all.map((flow) => textOf(flow['authorizationUrl'], 500)).find((item) => item !== undefined)
  return { ...plain, kind: 'oauth', scopes: [...new Set(scopes)].slice(0, 200), authorize }
}

/** Keys by where they go, as parameters of operations may name them, too. */
export const keyNamesOf = (schemes: readonly Scheme[]): Set<string> =>
  new Set(schemes.flatMap(({ kind, place }) => (kind === 'key' && place !== undefined ? [place.toLowerCase()] : [])))

export interface LettingIn {
  readonly auth: ConnectionAuthChange
  readonly key: KeyPlace | undefined
}

/**
 * How a connection lets its server know for whom it acts, where nobody says otherwise: OAuth and tokens as a bearer's, a key where the
 * document wants it. A document that says nothing of it leaves it open, and one server in ten means it.
 */
export function lettingInOf(schemes: readonly Scheme[], provider: string | undefined): LettingIn {
  const oauth = schemes.find(({ kind }) => kind === 'oauth')
  if (oauth !== undefined && provider !== undefined) return { auth: { kind: 'oauth', provider }, key: undefined }
  const bearer = schemes.find(({ kind }) => kind === 'bearer' || kind === 'oauth' || kind === 'openidconnect')
  if (bearer !== undefined) return { auth: { kind: 'key' }, key: undefined }
  const key = schemes.find(({ kind }) => kind === 'key')
  const [location, name] = key?.place?.split(' ') ?? []
  if (location === 'header' && name !== undefined)
    return { auth: { kind: 'key', header: name, prefix: '' }, key: undefined }
  if ((location === 'query' || location === 'cookie') && name !== undefined)
    return { auth: { kind: 'key', prefix: '' }, key: { in: location, name } }
  if (schemes.some(({ kind }) => kind === 'basic')) return { auth: { kind: 'key', prefix: 'Basic ' }, key: undefined }
  return { auth: {}, key: undefined }
}
