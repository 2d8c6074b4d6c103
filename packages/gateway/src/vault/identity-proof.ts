/**
 * Proves that the program that answers on a port of this machine is the gateway of this data directory. Only a holder of the root
 * key can answer a challenge, for the address and port on which it was made. An answer does not reveal the key and is valid
 * nowhere else: a program that takes another address of the same port and relays the challenge gets no usable answer.
 */
import type { Vault } from './vault.ts'

const PURPOSE = 'gateway identity'

/** Where a connection ends, as its sockets say. */
export interface ListenAddress {
  readonly address: string
  readonly port: number
}

/** 32 random bytes in hexadecimal digits: nothing else is ever signed for this purpose. */
export const isChallenge = (text: string | undefined): text is string =>
  text !== undefined && /^[0-9a-f]{64}$/.test(text)

/** One that listens on both families calls the older one's addresses by mapped names (RFC 4291, section 2.5.5.2). */
const wordsOf = (challenge: string, { address, port }: ListenAddress): string =>
  `${challenge} ${address.replace(/^::ffff:/i, '')} ${port}`

export const proofOf = (vault: Pick<Vault, 'sign'>, challenge: string, address: ListenAddress): string =>
  vault.sign(wordsOf(challenge, address), PURPOSE)

export const isProof = (
  vault: Pick<Vault, 'verify'>,
  challenge: string,
  address: ListenAddress,
  proof: unknown,
): boolean => typeof proof === 'string' && vault.verify(wordsOf(challenge, address), proof, PURPOSE)
