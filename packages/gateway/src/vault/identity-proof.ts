/**
 * Is the program that answers on a port of this machine the gateway of this data directory? Whoever holds the root key can
 * answer a challenge, for the address and port on which it was asked; nobody learns the key by it, and an answer fits nowhere
 * else: who takes another address of the same port and passes the question on gets no answer that is any good there.
 */
import type { Vault } from './vault.ts'

const PURPOSE = 'gateway identity'

/** Where a connection ends, as its sockets say. */
export interface Place {
  readonly address: string
  readonly port: number
}

/** 32 random bytes in hexadecimal digits: nothing else is ever signed for this purpose. */
export const isChallenge = (text: string | undefined): text is string =>
  text !== undefined && /^[0-9a-f]{64}$/.test(text)

/** One that listens on both families calls the older one's addresses by mapped names (RFC 4291, section 2.5.5.2). */
const wordsOf = (challenge: string, { address, port }: Place): string =>
  `${challenge} ${address.replace(/^::ffff:/i, '')} ${port}`

export const proofOf = (vault: Pick<Vault, 'sign'>, challenge: string, place: Place): string =>
  vault.sign(wordsOf(challenge, place), PURPOSE)

export const isProof = (vault: Pick<Vault, 'verify'>, challenge: string, place: Place, proof: unknown): boolean =>
  typeof proof === 'string' && vault.verify(wordsOf(challenge, place), proof, PURPOSE)
