/**
 * A key and a self-signed certificate for 127.0.0.1, made when a test begins (X.509 version 3, RFC 5280; ECDSA with P-256, or RSA). For
 * servers of tests that have to be reached over TLS, and for what they sign.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export interface SelfSigned {
  /** PEM. */
  readonly key: string
  readonly cert: string
}

const tlv = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const { length } = body
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...head]), body])
}
const sequence = (...parts: readonly Buffer[]) => tlv(0x30, ...parts)
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'))
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
const RSA_SHA256 = sequence(oid('2a864886f70d01010b'), tlv(0x05))
const COMMON_NAME = '550403'
const SUBJECT_ALT_NAME = '551d11'
const BASIC_CONSTRAINTS = '551d13'
const TRUE = tlv(0x01, Buffer.from([0xff]))
const HOUR = 60 * 60 * 1000

const utcTime = (at: number) =>
  tlv(0x17, Buffer.from(`${new Date(at).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))

interface Kind {
  /** With a key for RSA of so many bits. */
  readonly rsa?: number
  readonly endsAt?: number
}

/** @param names host names that it is good for besides 127.0.0.1 */
export function selfSigned(
  names: readonly string[] = [],
  { rsa, endsAt = Date.now() + 24 * HOUR }: Kind = {},
): SelfSigned {
  const { publicKey, privateKey } =
    rsa === undefined
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: rsa })
  const algorithm = rsa === undefined ? ECDSA_SHA256 : RSA_SHA256
  const name = sequence(tlv(0x31, sequence(oid(COMMON_NAME), tlv(0x0c, Buffer.from('test')))))
  const hosts = names.map((host) => tlv(0x82, Buffer.from(host)))
  const addresses = sequence(tlv(0x87, Buffer.from([127, 0, 0, 1])), ...hosts)
  const extensions = sequence(
    sequence(oid(BASIC_CONSTRAINTS), TRUE, tlv(0x04, sequence(TRUE))),
    sequence(oid(SUBJECT_ALT_NAME), tlv(0x04, addresses)),
  )
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(utcTime(Date.now() - HOUR), utcTime(endsAt)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, extensions),
  )
  const signature = tlv(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const der = sequence(body, algorithm, signature)
  const lines = der.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
