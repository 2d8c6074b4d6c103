/**
 * Is the program that answers on a port of this machine the gateway of this data directory? Whoever holds the root key can
 * answer a challenge, for the port on which it was asked; nobody learns the key by it, and an answer fits no other port.
 */
import type { Vault } from './vault.ts'

const PURPOSE = 'gateway identity'

/** 32 random bytes in hexadecimal digits: nothing else is ever signed for this purpose. */
export const isChallenge = (text: string | undefined): text is string =>
  text !== undefined && /^[0-9a-f]{64}$/.test(text)

export const proofOf = (vault: Pick<Vault, 'sign'>, challenge: string, port: number): string =>
  vault.sign(`${challenge} ${port}`, PURPOSE)

export const isProof = (vault: Pick<Vault, 'verify'>, challenge: string, port: number, proof: unknown): boolean =>
  typeof proof === 'string' && vault.verify(`${challenge} ${port}`, proof, PURPOSE)
