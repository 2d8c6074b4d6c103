/** Finds the secrets in an address and its headers, and masks them in texts of the server. */
import { createMask } from '../children/mask.ts'

export function createReachMask(url: URL, headers: Readonly<Record<string, string>>): (text: string) => string {
  const asked = [...url.searchParams].map(([name, value]) => ({ name: encodeURIComponent(name), value }))
  // As it stands in the address: a server may repeat that, too.
  const sent = url.search
    .slice(1)
    .split('&')
    .map((pair) => ({ name: pair.split('=', 1)[0] ?? '', value: pair.slice(pair.indexOf('=') + 1) }))
  return maskOf([...givenBy(headers), ...asked, ...sent])
}

/** The same for what one ask brings along. */
export const createHeaderMask = (headers: Readonly<Record<string, string>>): ((text: string) => string) =>
  maskOf(givenBy(headers))

interface Secret {
  readonly name: string
  readonly value: string
}

const givenBy = (headers: Readonly<Record<string, string>>): Secret[] =>
  Object.entries(headers).flatMap(([name, value]) => [
    { name, value },
    // `Bearer abc`: a server may repeat either.
    { name: `${name} credential`, value: value.slice(value.indexOf(' ') + 1) },
  ])

function maskOf(secrets: readonly Secret[]): (text: string) => string {
  const masks = secrets
    .flatMap(({ name, value }) => [value, encoded(value)].map((spelt) => ({ name, spelt })))
    .sort((a, b) => b.spelt.length - a.spelt.length)
    .map(({ name, spelt }) => createMask({ [name]: spelt }))
  return (text) => masks.reduce((masked, mask) => mask(masked), text)
}

const encoded = (value: string): string => encodeURIComponent(value.toWellFormed())
