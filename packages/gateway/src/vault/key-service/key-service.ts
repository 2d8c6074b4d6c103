/**
 * The port to a key service (KMS, HSM) that wraps root keys: envelope encryption. A root key is made here and kept only wrapped; the
 * service alone opens it, so a copy of the database and of the data directory opens nothing.
 *
 * Each service is one file with one library, loaded when its address is set. Its address is the operator's: it is reached directly
 * and may be private.
 */
import type { BaoSettings, ServiceFetch } from '../bao-client.ts'

export interface KeyService {
  /** For people: the address as it was set. It holds no secret. */
  readonly name: string
  /** Throws KeyServiceFault. */
  wrap(plain: Buffer): Promise<Buffer>
  /** Throws KeyServiceFault. */
  unwrap(wrapped: Buffer): Promise<Buffer>
}

/** What went wrong, in words that hold no key, token or answer of the service. */
export class KeyServiceFault extends Error {
  constructor(name: string, words: string, options?: ErrorOptions) {
    super(`the key service ${name} ${words}`, options)
    this.name = 'KeyServiceFault'
  }
}

/** Settings of the process that lead to a key service. */
export interface KeyServiceSettings extends BaoSettings {
  readonly TOOLWAY_KEY_SERVICE?: string | undefined
  readonly TOOLWAY_KEY_SERVICE_ENDPOINT?: string | undefined
  readonly AWS_REGION?: string | undefined
}

/** Sent with each request where the service takes associated data, so that a wrapped key serves no other purpose. */
export const WRAPPED_FOR = { purpose: 'toolway-root-key' } as const

/** Milliseconds for one request to a key service. */
export const KEY_SERVICE_PATIENCE_MS = 10_000

export const KEY_SERVICE_FORM =
  /^(?:aws-kms:(?:arn:aws[\w-]*:kms:[\w-]+:\d{12}:(?:key|alias)\/[\w/-]+|alias\/[\w/-]+|[\w-]+)|gcp-kms:projects\/[\w:.-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+|azure-keyvault:https:\/\/[\w.-]+(?::\d+)?\/keys\/[\w-]+(?:\/[\w-]+)?|transit:https?:\/\/[\w.:[\]-]+\/(?:[\w-]+\/)+[\w.-]+)$/

export interface NamedKey extends KeyServiceSettings {
  readonly name: string
  /** The address without its scheme. */
  readonly key: string
  /** The guarded one, for a service that is asked without a library. */
  readonly fetch: ServiceFetch
}

/** Words for a status that a key service answers. */
export function wordsOfStatus(status: number): string {
  if (status === 401 || status === 403)
    return `refuses the credentials of this gateway or its right to use the key (${status})`
  if (status === 404) return 'does not know the key (404)'
  if (status === 429) return 'responded that there are too many requests (429)'
  return status >= 500 ? `responded with an internal error (${status})` : `refuses the request (${status})`
}

/** A failure of a library or of the network, without what it was about. */
export function keyServiceFault(name: string, thrown: unknown): KeyServiceFault {
  if (thrown instanceof KeyServiceFault) return thrown
  const {
    status,
    statusCode,
    $metadata,
    name: word,
    code,
  } = thrown as {
    readonly status?: unknown
    readonly statusCode?: unknown
    readonly $metadata?: { readonly httpStatusCode?: number }
    readonly name?: unknown
    readonly code?: unknown
  }
  // The library of Azure words a sign-in that was refused as an error of its own, with the status of the sign-in.
  if (typeof word === 'string' && /Authentication|CredentialUnavailable/.test(word))
    return new KeyServiceFault(name, wordsOfStatus(401), { cause: thrown })
  const answered = [$metadata?.httpStatusCode, status, statusCode].find((value) => typeof value === 'number')
  if (typeof answered === 'number' && word !== 'AccessDeniedException')
    return new KeyServiceFault(name, wordsOfStatus(answered), { cause: thrown })
  if (word === 'AccessDeniedException') return new KeyServiceFault(name, wordsOfStatus(403), { cause: thrown })
  if (word === 'AbortError' || word === 'TimeoutError')
    return new KeyServiceFault(name, 'did not respond in time', { cause: thrown })
  const how = [code, word].find((value) => typeof value === 'string')
  return new KeyServiceFault(name, `cannot be reached (${how ?? 'no answer'})`, { cause: thrown })
}
