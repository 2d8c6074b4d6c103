/**
 * Whether two texts of documents name one issuer. They are compared as text (RFC 8414, section 3.3), with one exception: an
 * address without a path is the same with a slash and without (RFC 3986, section 6.2.3), and servers write it both ways.
 *
 * A slash behind a path is another issuer: tenants of one host are told apart by paths. `iss` of an authorization response is not read
 * so: it has to be the issuer of the metadata to the letter (RFC 9207, section 2.4).
 */
const SLASHED_ORIGIN = /^https?:\/\/[^/?#@\\]+\/$/i

const bare = (issuer: string): string => (SLASHED_ORIGIN.test(issuer) ? issuer.slice(0, -1) : issuer)

export const isSameIssuer = (issuer: unknown, other: string): issuer is string =>
  typeof issuer === 'string' && bare(issuer) === bare(other)
