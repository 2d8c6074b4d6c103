/** A server whose certificate only the installation's own authority vouches for. The key below is of this test alone. */
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { createPool } from './http/agent.ts'
import { applyNetwork } from './network.ts'

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg2xnebrPHlY1vld4E
R340fBMq4oT2h1mrzb8C6ErGlJKhRANCAARcF2q8PPjyePPoAmptEaR7EnuhuTqq
wgPj2l5xwzBgwBN9iRnmEHCo1EpL0cgXTrFJfQCVbbddKoqy1X1++LE9
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBtDCCAVugAwIBAgIUaiSQOta4bwKRkZlrKUaiNWhwv2IwCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWVG9vbHdheSB0ZXN0IGF1dGhvcml0eTAgFw0yNjExMjIxODE2
NTFaGA8yMTI2MTAyOTE4MTY1MVowITEfMB0GA1UEAwwWVG9vbHdheSB0ZXN0IGF1
dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFwXarw8+PJ48+gCam0R
pHsSe6G5OqrCA+PaXnHDMGDAE32JGeYQcKjUSkvRyBdOsUl9AJVtt10qirLVfX74
sT2jbzBtMB0GA1UdDgQWBBQK3ukyXoOFPDhtZ4bz/Si0q5PGTzAfBgNVHSMEGDAW
gBQK3ukyXoOFPDhtZ4bz/Si0q5PGTzAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQT
MBGCCWxvY2FsaG9zdIcEfwAAATAKBggqhkjOPQQDAgNHADBEAiB7tQs0oiS5seuP
pzEXW9GjtWicSvUfNvt0kEZ5KELgMwIgMXRvxv2kEhH1y/tbapbbmQ4OcvASCeJS
UQocFvckmek=
-----END CERTIFICATE-----`

const NOTHING = {
  TOOLWAY_CA: undefined,
  TOOLWAY_PROGRAM_PROXY: undefined,
  TOOLWAY_PROGRAM_NO_PROXY: '',
  TOOLWAY_NPM_REGISTRY: undefined,
  TOOLWAY_PYTHON_INDEX: undefined,
}

async function statusOf(origin: string): Promise<number | string> {
  const pool = createPool(origin, { alias: 'x', allowPrivate: true, headersTimeout: 5_000 })
  try {
    const { statusCode, body } = await pool.request({ path: '/', method: 'GET' })
    await body.dump()
    return statusCode
  } catch (thrown) {
    return String((thrown as NodeJS.ErrnoException).code)
  } finally {
    await pool.destroy()
  }
}

test('an authority of the installation is trusted by the gateway and given to programs', async () => {
  const data = await mkdtemp(join(tmpdir(), 'toolway-network-'))
  const before = getCACertificates('default')
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (_, answer) => void answer.end('hello')).listen(0)
  try {
    await once(server, 'listening')
    const origin = `https://localhost:${(server.address() as AddressInfo).port}`
    expect(await statusOf(origin)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    const given = applyNetwork({ ...NOTHING, TOOLWAY_DATA: data, TOOLWAY_CA: `${CERTIFICATE}\n` })
    expect(await statusOf(origin)).toBe(200)
    expect(await readFile(given['NODE_EXTRA_CA_CERTS'] ?? '', 'utf8')).toContain(CERTIFICATE)
    const all = await readFile(given['SSL_CERT_FILE'] ?? '', 'utf8')
    expect(all).toContain(CERTIFICATE)
    expect(all.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(100)
  } finally {
    setDefaultCACertificates(before)
    server.close()
    await rm(data, { recursive: true })
  }
})

test('a proxy and registries are given to programs, and nothing where nothing is set', () => {
  const set = {
    ...NOTHING,
    TOOLWAY_DATA: '/nowhere',
    TOOLWAY_PROGRAM_PROXY: 'http://proxy.example:3128',
    TOOLWAY_PROGRAM_NO_PROXY: 'localhost,.example.com',
    TOOLWAY_NPM_REGISTRY: 'https://npm.example/',
  }
  expect(applyNetwork(set)).toMatchObject({
    HTTPS_PROXY: 'http://proxy.example:3128',
    https_proxy: 'http://proxy.example:3128',
    NO_PROXY: 'localhost,.example.com',
    npm_config_registry: 'https://npm.example/',
  })
})
