/** Whether a text says of itself that it is a token of ours; the issuer is an address, which may be another by now. */
import { decodeProtectedHeader } from 'jose'
import { TOKEN_FORM } from './access-tokens.ts'
import { issuerOf } from './federated/issuer-tokens.ts'

export const createIsOwn =
  (publicUrl: () => string, ownKeyIds: () => readonly string[]) =>
  (bearer: string): boolean =>
    TOKEN_FORM.test(bearer) && (issuerOf(bearer) === publicUrl() || ownKeyIds().includes(keyIdOf(bearer) ?? ''))

function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid
  } catch {
    return undefined
  }
}
