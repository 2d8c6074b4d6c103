/** The settings of the vault keys that are given instead of made. */
import { z } from 'zod'
import { defineKnownSetting, list, onOff, defineSetting, type Setting } from './setting.ts'

const KEY_PROBLEM = 'it must be 64 hexadecimal digits (`openssl rand -hex 32` generates them)'
const vaultKey = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, KEY_PROBLEM)
  .transform((text) => text.toLowerCase())
const SECRET_LENGTH_BYTES = 32

export const VAULT_SETTINGS = {
  TOOLWAY_KEYCHAIN: defineSetting(
    onOff('off'),
    'on: the vault key is moved from its file to the operating system’s keychain at the next start.',
  ),
  MCP_ENCRYPTION_KEY: defineSetting(
    vaultKey.optional(),
    'Vault key (64 hexadecimal digits), instead of a generated one.',
    true,
  ),
  MCP_ENCRYPTION_KEY_PREVIOUS: defineSetting(
    list.pipe(z.array(vaultKey)),
    'Previous vault keys that can still decrypt stored values, separated by commas.',
    true,
  ),
  JWT_SECRET: defineKnownSetting(
    ['SECRET_KEY'],
    defineSetting(
      z
        .string()
        .refine(
          (text) => Buffer.byteLength(text) >= SECRET_LENGTH_BYTES,
          `it has fewer than ${SECRET_LENGTH_BYTES} bytes, too few to derive a vault key from: use at least ${SECRET_LENGTH_BYTES} random bytes, or unset it for Toolway`,
        )
        .optional(),
      'Secret of at least 32 bytes from which the vault key is derived if MCP_ENCRYPTION_KEY is not set. SECRET_KEY is an alias.',
      true,
    ),
  ),
} as const satisfies Record<string, Setting>
