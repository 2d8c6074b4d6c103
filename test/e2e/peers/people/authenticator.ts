/** An authenticator in software (WebAuthn Level 3): passkeys of P-256, with what a test wants to be wrong about them. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

export interface Site {
  readonly origin: string
  readonly host: string
}

export interface AuthenticatorPasskey {
  readonly id: Buffer
  readonly userHandle: string
  readonly privateKey: KeyObject
  count: number
}

const digest = (data: Buffer | string) => createHash('sha256').update(data).digest()
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
/** Present, verified, and for a new one with its key. */
const [USED, MADE] = [0b101, 0b100_0101]

const clientOf = (type: string, challenge: string, origin: string) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

function headOf(host: string, flags: number, count: number): Buffer {
  const tail = Buffer.alloc(5)
  tail.writeUInt8(flags, 0)
  tail.writeUInt32BE(count, 1)
  return Buffer.concat([digest(host), tail])
}

/** What `navigator.credentials.create` answers. */
export function createPasskey(
  { challenge, user }: { challenge: string; user: { id: string } },
  { origin, host }: Site,
  { flags = MADE, count = 1 } = {},
) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  // COSE (RFC 9053): EC2, ES256, P-256.
  const cose = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(id.length)
  const head = headOf(host, flags, count)
  const authData = Buffer.concat([head, Buffer.alloc(16), length, id, isoCBOR.encode(cose)])
  const attestation = new Map<string, string | Map<string, string> | Uint8Array>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', new Uint8Array(authData)],
  ])
  const passkey: AuthenticatorPasskey = { id, userHandle: user.id, privateKey, count }
  const answer = {
    id: text(id),
    rawId: text(id),
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: text(clientOf('webauthn.create', challenge, origin)),
      attestationObject: text(isoCBOR.encode(attestation)),
      transports: ['internal'],
    },
  }
  return { passkey, answer }
}

/** What `navigator.credentials.get` answers. The sign count rises unless one is named. */
export function usePasskey(
  passkey: AuthenticatorPasskey,
  { challenge }: { challenge: string },
  { origin, host }: Site,
  { flags = USED, count = ++passkey.count } = {},
) {
  const client = clientOf('webauthn.get', challenge, origin)
  const authenticatorData = headOf(host, flags, count)
  const signature = sign('sha256', Buffer.concat([authenticatorData, digest(client)]), passkey.privateKey)
  return {
    id: text(passkey.id),
    rawId: text(passkey.id),
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: text(client),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
      userHandle: passkey.userHandle,
    },
  }
}
