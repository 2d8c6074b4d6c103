import dns from 'node:dns'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  AZURE_CERTIFICATE,
  startAzureServer,
  type AzureServer,
} from '../../../../../test/e2e/peers/servers/azure-server.ts'
import { trustAuthorities, trustedAuthorities } from '../../upstreams/http/authorities.ts'
import { createKeyService } from './create-key-service.ts'
import { KeyServiceFault } from './key-service.ts'

const ROOT = Buffer.alloc(32, 7)
const noFetch = () => Promise.reject(new Error('nothing is fetched'))

let azure: AzureServer
const serviceAt = (key = 'toolway') =>
  createKeyService(
    { TOOLWAY_KEY_SERVICE: `azure-keyvault:${azure.vault}/keys/${key}`, TOOLWAY_KEY_SERVICE_ENDPOINT: azure.authority },
    noFetch,
  )

beforeEach(async () => {
  azure = await startAzureServer()
  if (!trustedAuthorities().includes(AZURE_CERTIFICATE)) trustAuthorities([AZURE_CERTIFICATE])
  for (const [name, value] of Object.entries(azure.variables)) vi.stubEnv(name, value)
  // The library checks that the vault is a name below vault.azure.net.
  vi.spyOn(dns, 'lookup').mockImplementation(((
    _host: string,
    options: { all?: boolean },
    done: (...all: unknown[]) => void,
  ) =>
    options.all === true
      ? done(null, [{ address: '127.0.0.1', family: 4 }])
      : done(null, '127.0.0.1', 4)) as typeof dns.lookup)
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await azure[Symbol.asyncDispose]()
})

test('Azure Key Vault wraps and opens a key after a sign-in, and an older version opens what it wrapped', async () => {
  const service = await serviceAt()
  const wrapped = await service.wrap(ROOT)
  expect(wrapped.includes(ROOT)).toBe(false)
  azure.addVersion()
  expect(await service.unwrap(wrapped)).toEqual(ROOT)
  const newer = await service.wrap(ROOT)
  expect(JSON.parse(newer.toString())).not.toMatchObject({
    key: (JSON.parse(wrapped.toString()) as { key: string }).key,
  })
  expect(await (await serviceAt()).unwrap(newer)).toEqual(ROOT)
  expect(azure.asked.some((one) => /^POST \/keys\/toolway\/\w+\/unwrapkey$/.test(one))).toBe(true)
  azure.removeOldVersions()
  await expect(service.unwrap(wrapped)).rejects.toThrow(/does not know the key \(404\)/)
})

test('Azure Key Vault: each refusal is a fault in words, without a key, token or answer', async () => {
  const service = await serviceAt()
  const wrapped = await service.wrap(ROOT)
  await expect((await serviceAt('another')).wrap(ROOT)).rejects.toThrow(/does not know the key \(404\)/)
  await expect((await serviceAt('another')).unwrap(wrapped)).rejects.toThrow(/did not wrap this key/)
  const elsewhere = JSON.stringify({
    ...(JSON.parse(wrapped.toString()) as object),
    key: 'https://other.vault.azure.net/keys/toolway/1',
  })
  await expect(service.unwrap(Buffer.from(elsewhere))).rejects.toThrow(/did not wrap this key/)
  const changed = JSON.parse(wrapped.toString()) as { key: string }
  const spoiled = JSON.stringify({ ...changed, wrapped: Buffer.alloc(256, 1).toString('base64') })
  await expect(service.unwrap(Buffer.from(spoiled))).rejects.toThrow(/refuses the request \(400\)/)
  azure.allow('get', 'wrapKey')
  await expect(service.unwrap(wrapped)).rejects.toThrow(/refuses the credentials of this gateway .*\(403\)/)
  vi.stubEnv('AZURE_CLIENT_SECRET', 'another-secret')
  const stranger = await (await serviceAt()).unwrap(wrapped).catch((thrown: unknown) => thrown)
  expect(stranger).toBeInstanceOf(KeyServiceFault)
  expect(String(stranger)).toMatch(/refuses the credentials of this gateway .*\(401\)/)
  expect(String(stranger)).not.toMatch(/another-secret|AADSTS/)
})

test('Azure Key Vault: throttling and trouble are tried again after Retry-After, and then told', async () => {
  const service = await serviceAt()
  const wrapped = await service.wrap(ROOT)
  azure.trouble({ status: 429, after: '1' }, { status: 503 })
  expect(await service.unwrap(wrapped)).toEqual(ROOT)
  const always = { after: '0' }
  azure.trouble(...Array.from({ length: 3 }, () => ({ status: 429, ...always })))
  await expect(service.wrap(ROOT)).rejects.toThrow(/too many requests \(429\)/)
  azure.trouble(...Array.from({ length: 3 }, () => ({ status: 500 })))
  await expect(service.wrap(ROOT)).rejects.toThrow(/responded with an internal error \(500\)/)
})
