/**
 * Finds the secrets in an address (its query, and long random parts of its path) and its headers, and masks them in texts of the server.
 * Of Basic credentials, the password and the decoded pair are secrets, too (RFC 7617).
 *
 * In errors every value is masked. In results, which are data, only values are that surely are secrets: those of telling names or forms,
 * and long enough to stand in a result by no chance.
 */
import { hasSecretForm, isRandom, isTellingName } from '@toolway/contract/secret-marks'
import { createMask } from '../children/mask.ts'

/** Characters of the shortest secret that is taken out of results: shorter ones are words. */
export const SHORTEST_IN_RESULTS_CHARACTERS = 12

export function createReachMask(url: URL, headers: Readonly<Record<string, string>>): (text: string) => string {
  const queried = [...url.searchParams].map(([name, value]) => ({ name: encodeURIComponent(name), value }))
  // As it stands in the address: a server may repeat that, too.
  const sent = url.search
    .slice(1)
    .split('&')
    .map((pair) => ({ name: pair.split('=', 1)[0] ?? '', value: pair.slice(pair.indexOf('=') + 1) }))
  return maskOf([...givenBy(headers), ...queried, ...sent, ...pathSecrets(url)])
}

/** The same for what one ask brings along. */
export const createHeaderMask = (headers: Readonly<Record<string, string>>): ((text: string) => string) =>
  maskOf(givenBy(headers))

/** For results; undefined where there is no secret. A text without one costs a search for each, and stays the same string. */
export function createResultMask(
  headers: Readonly<Record<string, string>>,
  url?: URL,
): ((text: string) => string) | undefined {
  const queried = [...(url?.searchParams ?? [])].map(([name, value]) => ({ name: encodeURIComponent(name), value }))
  const isSecret = ({ name, value }: Secret) => isSecretName(name) || hasSecretForm(value.slice(value.indexOf(' ') + 1))
  const sent = Object.entries(headers).filter(([name, value]) => isSecret({ name, value }))
  const both = sent.flatMap(([name, value]) =>
    [value, value.slice(value.indexOf(' ') + 1), ...decodedBasic(value)].map((part) => ({ name, value: part })),
  )
  const secrets = [...both, ...queried.filter(isSecret), ...(url === undefined ? [] : pathSecrets(url))]
    .flatMap(({ name, value }) =>
      [value, encodeValue(value), JSON.stringify(value).slice(1, -1)].map((spelt) => ({ name, spelt })),
    )
    .filter(({ spelt }) => spelt.length >= SHORTEST_IN_RESULTS_CHARACTERS)
    .toSorted((a, b) => b.spelt.length - a.spelt.length)
  const all = [...new Map(secrets.map(({ name, spelt }) => [spelt, `[${name}]`]))]
  if (all.length === 0) return undefined
  // Most texts have none: a spelling that contains another one need not be looked for then.
  const shortest = all.filter(([spelt]) => !all.some(([other]) => other !== spelt && spelt.includes(other)))
  return (text) =>
    shortest.some(([spelt]) => text.includes(spelt))
      ? all.reduce((left, [spelt, shown]) => left.replaceAll(spelt, () => shown), text)
      : text
}

const isSecretName = (name: string): boolean => isTellingName(name) || /^cookie/i.test(name)

/** Both, where there are both. */
export function bothMasks(
  mask: ((text: string) => string) | undefined,
  other: ((text: string) => string) | undefined,
): ((text: string) => string) | undefined {
  if (mask === undefined || other === undefined) return mask ?? other
  return (text) => other(mask(text))
}

interface Secret {
  readonly name: string
  readonly value: string
}

/** Parts of a path that lists mask (`maskUrl`): whoever knows one may call the server. */
const pathSecrets = ({ pathname }: URL): Secret[] =>
  pathname
    .split('/')
    .filter(isRandom)
    .map((value) => ({ name: 'path', value }))

/** The pair and the password of `Basic` credentials; none of anything else. */
function decodedBasic(value: string): string[] {
  const encodedPair = /^basic +([\w+/=-]+)$/i.exec(value)?.[1]
  if (encodedPair === undefined) return []
  const pair = Buffer.from(encodedPair, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon === -1 ? [pair] : [pair, pair.slice(colon + 1)]
}

const givenBy = (headers: Readonly<Record<string, string>>): Secret[] =>
  Object.entries(headers).flatMap(([name, value]) => [
    { name, value },
    // `Bearer abc`: a server may repeat either.
    { name: `${name} credential`, value: value.slice(value.indexOf(' ') + 1) },
    ...decodedBasic(value).map((part) => ({ name: `${name} credential`, value: part })),
  ])

function maskOf(secrets: readonly Secret[]): (text: string) => string {
  const masks = secrets
    .flatMap(({ name, value }) => [value, encodeValue(value)].map((spelt) => ({ name, spelt })))
    .sort((a, b) => b.spelt.length - a.spelt.length)
    .map(({ name, spelt }) => createMask({ [name]: spelt }))
  return (text) => masks.reduce((masked, mask) => mask(masked), text)
}

const encodeValue = (value: string): string => encodeURIComponent(value.toWellFormed())
