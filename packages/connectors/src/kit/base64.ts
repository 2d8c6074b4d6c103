/** Base64 of texts without Node's Buffer, since the package runs anywhere. */

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Undefined for bytes that are no UTF-8 text. */
export function textOf(base64: string): string | undefined {
  try {
    const raw = atob(base64.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/'))
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(raw, (char) => char.charCodeAt(0)))
  } catch {
    return undefined
  }
}

export const base64Of = (text: string): string =>
  btoa(Array.from(bytesOf(text), (byte) => String.fromCharCode(byte)).join(''))

/** As JWTs and Gmail write it. */
export const base64UrlOf = (text: string): string =>
  base64Of(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
