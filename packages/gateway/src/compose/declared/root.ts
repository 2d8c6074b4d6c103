/**
 * The root key of a gateway that stores nothing: it signs cursors and names buckets, and seals what is in memory. Given, it is the
 * same in every gateway and after every start; else it is drawn, and what it signed ends with the process.
 */
import { randomBytes } from 'node:crypto'
import type { Config } from '../../config.ts'
import { ROOT_LENGTH, rootFromSecret } from '../../vault/root.ts'

export function rootOf({ MCP_ENCRYPTION_KEY: key, JWT_SECRET: secret }: Config): {
  readonly root: Buffer
  readonly lasting: boolean
} {
  if (key !== undefined) return { root: Buffer.from(key, 'hex'), lasting: true }
  if (secret !== undefined) return { root: rootFromSecret(secret), lasting: true }
  return { root: randomBytes(ROOT_LENGTH), lasting: false }
}
