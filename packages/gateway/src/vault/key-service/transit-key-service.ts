/**
 * The transit engine of HashiCorp Vault and OpenBao: `encrypt` and `decrypt` at `/v1/MOUNT/…/KEY`
 * (https://developer.hashicorp.com/vault/api-docs/secret/transit). Keys of that engine may be rotated there at any time; a wrapped key
 * names the version that opens it.
 */
import { z } from 'zod'
import { createBaoClient } from '../bao-client.ts'
import { KeyServiceFault, keyServiceFault, type KeyService, type NamedKey } from './key-service.ts'

const Wrapped = z.object({ data: z.object({ ciphertext: z.string().regex(/^vault:v\d+:/) }) })
const Plain = z.object({ data: z.object({ plaintext: z.base64() }) })

export function createTransitKeyService({ name, key, fetch, ...settings }: NamedKey): KeyService {
  const { origin, pathname } = new URL(key)
  const parts = pathname.split('/').filter((part) => part !== '')
  const last = parts.pop() ?? ''
  const mount = parts.join('/')
  const client = createBaoClient({ origin, settings, fetch })
  const ask = async <Shape extends z.ZodType>(
    shape: Shape,
    action: 'encrypt' | 'decrypt',
    words: object,
  ): Promise<z.output<Shape>> => {
    try {
      const answer = shape.safeParse(await client.post(`${mount}/${action}/${last}`, words))
      if (!answer.success) throw new KeyServiceFault(name, 'returned a response that is not from the transit engine')
      return answer.data
    } catch (thrown) {
      throw keyServiceFault(name, thrown)
    }
  }
  return {
    name,
    async wrap(plain) {
      const { data } = await ask(Wrapped, 'encrypt', { plaintext: plain.toString('base64') })
      return Buffer.from(data.ciphertext)
    },
    async unwrap(wrapped) {
      const { data } = await ask(Plain, 'decrypt', { ciphertext: wrapped.toString('utf8') })
      return Buffer.from(data.plaintext, 'base64')
    },
  }
}
