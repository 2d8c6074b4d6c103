/**
 * Secrets in the key/value engine, version 2, of HashiCorp Vault and OpenBao
 * (https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2#read-secret-version).
 */
import { z } from 'zod'
import { BaoFault, createBaoClient, type BaoSettings, type ServiceFetch } from '../bao-client.ts'
import { memberOf, placeOf, SecretGone, type SecretSource } from './secret-source.ts'

const Read = z.object({ data: z.object({ data: z.record(z.string(), z.unknown()) }) })

/** @param template `https://host:8200/MOUNT/PREFIX/{organization}` */
export function createVaultSource(template: string, settings: BaoSettings, fetch: ServiceFetch): SecretSource {
  const { origin, pathname } = new URL(template)
  const [, mount = '', ...prefix] = decodeURIComponent(pathname).replace(/\/$/, '').split('/')
  const client = createBaoClient({ origin, settings, fetch })
  return {
    async read(organization, { path, field = 'value', source }) {
      const below = [...prefix.map((name) => placeOf(name, organization)), path].join('/')
      const answer = await client.get(`${mount}/data/${below}`).catch((thrown: unknown) => {
        if (thrown instanceof BaoFault && thrown.status === 404) throw new SecretGone(`${source} has no secret ${path}`)
        throw thrown
      })
      return memberOf(Read.parse(answer).data.data, field, source)
    },
  }
}
