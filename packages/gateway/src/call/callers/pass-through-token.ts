/**
 * The token that a caller brings for one call (ledger S3-OAU-07): of the form that a header can carry as a Bearer token, and never
 * what lets anybody in here. Whether a connection takes one is decided where its credential is opened.
 *
 * It is kept nowhere: it travels with its request, and no sentence of a refusal repeats it.
 */
import { Fault } from '@toolway/contract'
import { LOOKS_LIKE_KEY } from '../../identity/keys/key-forms.ts'

/** Judges what was brought, next to what the caller itself is known by. Throws `credential.brought-shape`. */
export type ReadPassThroughToken = (token: unknown, authorization: string | undefined) => string | undefined

/** RFC 6750, section 2.1; tokens of vendors have had up to 4 KB. */
const FORM = /^[A-Za-z0-9._~+/-]+=*$/
const LONGEST = 8_192

/** `isOwn`: whether a text is a token, or another secret, that opens this gateway. */
export const createReadPassThroughToken =
  (isOwn: (text: string) => boolean): ReadPassThroughToken =>
  (token, authorization) => {
    if (token === undefined) return undefined
    if (typeof token !== 'string' || !FORM.test(token)) throw wrong('is not a Bearer token (RFC 6750, section 2.1)')
    if (token.length > LONGEST) throw wrong(`is longer than ${LONGEST} characters`)
    // A key of this gateway that is sent on would let the vendor act as the caller here.
    const own = authorization?.replace(/^bearer +/i, '') === token
    if (own || LOOKS_LIKE_KEY.test(token) || isOwn(token)) throw wrong('is a key or token of this gateway')
    return token
  }

const wrong = (problem: string): Fault => new Fault('credential.brought-shape', { problem })
