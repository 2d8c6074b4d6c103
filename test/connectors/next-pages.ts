/** Answers with a next page in the manner of each paging strategy, and with one on another host. */
import { isJson } from '../../packages/connectors/src/kit/shape.ts'
import type { Json, VendorAnswer } from '../../packages/connectors/src/index.ts'
import type { Paging } from '../../packages/connectors/src/kit/tool.ts'
import { answer } from './drive.ts'

export interface NextPage {
  readonly answer: VendorAnswer
  /** The paging values of the request for that page. */
  readonly values: Json
}

export function nextPage({ kind, at, takes, size }: Paging, base: string): NextPage {
  const [take = ''] = takes
  const query = `${encodeURIComponent(take)}=2`
  if (kind === 'link')
    return {
      answer: answer([], { headers: { link: `<${base}/x?${query}>; rel="next", <${base}/x?${query}9>; rel="last"` } }),
      values: { [take]: '2' },
    }
  if (kind === 'address') return { answer: answer(put(at, `${base}/x?${query}`)), values: { [take]: '2' } }
  if (kind === 'token') return { answer: answer(put(at, 'next-1')), values: { [take]: 'next-1' } }
  if (kind === 'relay')
    return {
      answer: answer(put(`${at}.pageInfo`, { hasNextPage: true, endCursor: 'next-1' })),
      values: { after: 'next-1' },
    }
  if (kind === 'last') {
    const items = Array.from({ length: size?.default ?? 1 }, () => ({ id: 'next-1', user: { id: 'next-1' } }))
    return { answer: answer(put(at, items)), values: { [take]: 'next-1' } }
  }
  if (kind === 'page') return { answer: answer(put(at, 3)), values: { [take]: 2 } }
  const items = Array.from({ length: size?.default ?? 1 }, () => ({}))
  return { answer: answer(put(at, items)), values: { [take]: items.length } }
}

/** The pages of a list that `pageOf` answers. */
export const PAGES = 3

/** Page `number` of three; its link to the next one, where the strategy has links, leads to `address`. */
export function pageOf({ kind, at, takes, size }: Paging, number: number, address: string): Partial<VendorAnswer> {
  const [take = ''] = takes
  const isLast = number >= PAGES
  const next = `${address}?${encodeURIComponent(take)}=${number + 1}`
  const full = Array.from({ length: size?.default ?? 1 }, () => ({
    id: `next-${number}`,
    user: { id: `next-${number}` },
  }))
  switch (kind) {
    case 'link':
      return { body: [], headers: isLast ? {} : { link: `<${next}>; rel="next", <${next}9>; rel="last"` } }
    case 'address':
      return { body: isLast ? {} : put(at, next) }
    case 'token':
      return { body: isLast ? {} : put(at, `next-${number}`) }
    case 'relay':
      return { body: put(`${at}.pageInfo`, { hasNextPage: !isLast, endCursor: `next-${number}` }) }
    case 'page':
      return { body: put(at, PAGES) }
    default:
      return { body: put(at, isLast ? full.slice(1, 2) : full) }
  }
}

/** Undefined for strategies that read no address. */
export function hostilePage({ kind, at, takes: [take = ''] }: Paging): VendorAnswer | undefined {
  const address = `https://evil.example/x?${encodeURIComponent(take)}=2`
  if (kind === 'link') return answer([], { headers: { link: `<${address}>; rel="next"` } })
  return kind === 'address' ? answer(put(at, address)) : undefined
}

/** An object with a value at a path; OData has dots in names. */
const put = (path: string, value: unknown): unknown =>
  path === ''
    ? value
    : path.startsWith('@')
      ? { [path]: value }
      : path
          .split('.')
          .reduceRight<unknown>(
            (inner, name) => (name.endsWith('[]') ? { [name.slice(0, -2)]: [inner] } : { [name]: inner }),
            value,
          )

/** Whether each paging value stands somewhere in a request. */
export const carries = (sent: unknown, values: Json): boolean =>
  Object.entries(values).every(([name, value]) => finds(sent, name, String(value)))

const finds = (sent: unknown, name: string, value: string): boolean =>
  Array.isArray(sent)
    ? sent.some((one) => finds(one, name, value))
    : isJson(sent) && (String(sent[name]) === value || Object.values(sent).some((one) => finds(one, name, value)))
