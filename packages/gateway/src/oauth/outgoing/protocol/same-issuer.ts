/**
 * Whether two texts name one issuer. They are compared as text (RFC 8414, section 3.3; RFC 9207, section 2.4), with one exception: an
 * address without a path is the same with a slash and without (RFC 3986, section 6.2.3), and servers write it both ways.
 *
 * A slash behind a path is another issuer: tenants of one host are told apart by paths.
 */
const SLASHED_ORIGIN = /^https?:\/\/[^/?#@\\]+\/$/i

const bare = (issuer: string): string => (SLASHED_ORIGIN.test(issuer) ? issuer.slice(0, -1) : issuer)

export const isSameIssuer = (one: unknown, other: string): one is string =>
  typeof one === 'string' && bare(one) === bare(other)
