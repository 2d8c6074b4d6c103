import { expect, test } from 'vitest'
import { decodeBase64Url } from './base64url.ts'

test.each([0, 1, 2, 3, 4, 5])('%i bytes are read back, and no other text is read as them', (length) => {
  const bytes = Buffer.alloc(length, 0xa7)
  const text = bytes.toString('base64url')
  expect(decodeBase64Url(text)).toEqual(bytes)
  for (const other of [`${text}=`, `${text}\n`, ` ${text}`, `${text}*`]) expect(decodeBase64Url(other)).toBeUndefined()
  for (const last of 'Aax_9') {
    expect(decodeBase64Url(text + last)).not.toEqual(bytes)
    if (length > 0 && !text.endsWith(last)) expect(decodeBase64Url(text.slice(0, -1) + last)).not.toEqual(bytes)
  }
})
