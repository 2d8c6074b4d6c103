/**
 * The root key of a gateway that stores nothing: it signs cursors and seals what is in memory. Given, it is the same in every gateway
 * and after every start; else it is drawn, and what it signed ends with the process.
 */
import { randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import { ROOT_LENGTH, rootFromSecret } from '../vault/root.ts'

export function rootOf({ MCP_ENCRYPTION_KEY: key, JWT_SECRET: secret }: Config): Buffer {
  if (key !== undefined) return Buffer.from(key, 'hex')
  return secret === undefined ? randomBytes(ROOT_LENGTH) : rootFromSecret(secret)
}
