import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { createKeyService } from './create-key-service.ts'
import { KEY_SERVICE_FORM, KeyServiceFault } from './key-service.ts'

type Take = (request: IncomingMessage, body: string, response: ServerResponse) => void

async function startDouble(take: Take) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => take(request, Buffer.concat(chunks).toString('utf8'), response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const answer = (response: ServerResponse, status: number, body: object) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const noFetch = () => Promise.reject(new Error('nothing is fetched'))
const ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
const ROOT = Buffer.alloc(32, 7)

/** As AWS KMS answers: a ciphertext opens with the key and the context that it was made with. */
const awsKms: Take = ({ headers }, text, response) => {
  const refuse = (status: number, type: string) => answer(response, status, { __type: type, message: 'refused' })
  if (
    !/^AWS4-HMAC-SHA256 Credential=AKIDTEST\/\d{8}\/eu-central-1\/kms\/aws4_request/.test(String(headers.authorization))
  )
    return refuse(400, 'AccessDeniedException')
  const body = JSON.parse(text) as Record<string, unknown>
  if (body['KeyId'] !== ARN) return refuse(400, 'NotFoundException')
  const context = JSON.stringify(body['EncryptionContext'])
  if (headers['x-amz-target'] === 'TrentService.Encrypt') {
    const blob = Buffer.from(JSON.stringify([context, body['Plaintext']])).toString('base64')
    return answer(response, 200, { CiphertextBlob: blob, KeyId: ARN })
  }
  const [made, plain] = JSON.parse(Buffer.from(String(body['CiphertextBlob']), 'base64').toString()) as [string, string]
  if (made !== context) return refuse(400, 'InvalidCiphertextException')
  return answer(response, 200, { Plaintext: plain, KeyId: ARN })
}

describe('key services', () => {
  test('AWS KMS wraps and opens a key under an encryption context; a refusal is told in words', async () => {
    await using double = await startDouble(awsKms)
    const keys = { AWS_ACCESS_KEY_ID: 'AKIDTEST', AWS_SECRET_ACCESS_KEY: 'secret' }
    for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value)
    const settings = { TOOLWAY_KEY_SERVICE: `aws-kms:${ARN}`, TOOLWAY_KEY_SERVICE_ENDPOINT: double.address }
    const service = await createKeyService(settings, noFetch)
    const wrapped = await service.wrap(ROOT)
    expect(wrapped.toString()).toContain('toolway-root-key')
    expect(await service.unwrap(wrapped)).toEqual(ROOT)
    const other = await createKeyService({ ...settings, TOOLWAY_KEY_SERVICE: `aws-kms:${ARN}0` }, noFetch)
    await expect(other.wrap(ROOT)).rejects.toThrow(KeyServiceFault)
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'ANOTHER')
    const stranger = await createKeyService(settings, noFetch)
    await expect(stranger.unwrap(wrapped)).rejects.toThrow(/refuses the credentials of this gateway/)
    vi.unstubAllEnvs()
  })

  test('Google Cloud KMS wraps and opens a key under authenticated data', async () => {
    const key = 'projects/p/locations/europe/keyRings/ring/cryptoKeys/toolway'
    let associated: unknown
    await using double = await startDouble(({ url, headers }, text, response) => {
      if (url === '/token')
        return answer(response, 200, { access_token: 'ya29.test', expires_in: 3600, token_type: 'Bearer' })
      if (headers.authorization !== 'Bearer ya29.test') return answer(response, 401, { error: { code: 401 } })
      const body = JSON.parse(text) as Record<string, unknown>
      if (url === `/v1/${key}:encrypt`) {
        associated = body['additionalAuthenticatedData']
        return answer(response, 200, { name: `${key}/cryptoKeyVersions/1`, ciphertext: body['plaintext'] })
      }
      if (url !== `/v1/${key}:decrypt`) return answer(response, 404, { error: { code: 404 } })
      return body['additionalAuthenticatedData'] === associated
        ? answer(response, 200, { plaintext: body['ciphertext'] })
        : answer(response, 400, { error: { code: 400 } })
    })
    const folder = await mkdtemp(join(tmpdir(), 'toolway-gcp-'))
    await writeFile(join(folder, 'subject'), 'a token of the pod', { mode: 0o600 })
    const account = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${double.address}/token`,
      credential_source: { file: join(folder, 'subject') },
    }
    await writeFile(join(folder, 'account.json'), JSON.stringify(account), { mode: 0o600 })
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', join(folder, 'account.json'))
    const settings = { TOOLWAY_KEY_SERVICE: `gcp-kms:${key}`, TOOLWAY_KEY_SERVICE_ENDPOINT: double.address }
    const service = await createKeyService(settings, noFetch)
    expect(await service.unwrap(await service.wrap(ROOT))).toEqual(ROOT)
    expect(Buffer.from(String(associated), 'base64').toString()).toBe('toolway-root-key')
    const other = await createKeyService({ ...settings, TOOLWAY_KEY_SERVICE: `gcp-kms:${key}0` }, noFetch)
    await expect(other.wrap(ROOT)).rejects.toThrow(/does not know the key \(404\)/)
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })

  test('an address of a key service has one of four forms', () => {
    const good = [`aws-kms:${ARN}`, 'aws-kms:alias/toolway', 'transit:https://bao.internal:8200/transit/toolway']
    const more = [
      'gcp-kms:projects/p/locations/l/keyRings/r/cryptoKeys/k',
      'azure-keyvault:https://name.vault.azure.net/keys/toolway',
    ]
    for (const address of [...good, ...more]) expect(KEY_SERVICE_FORM.test(address), address).toBe(true)
    for (const address of ['aws-kms:', 'https://x', 'transit:https://host', 'transit:https://u:p@host/transit/k'])
      expect(KEY_SERVICE_FORM.test(address), address).toBe(false)
  })
})
