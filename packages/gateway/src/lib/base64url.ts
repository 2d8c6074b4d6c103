/**
 * Reads base64url (RFC 4648, section 5) as it is written here, without padding. Node leaves out what belongs to no whole byte, so that a
 * token with another character at its end would be the same token.
 */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
