/** The settings of the network as programs that are started here see it: authorities, proxy, package registries. */
import { z } from 'zod'
import { setting, type Setting } from './setting.ts'

export const PROGRAM_SETTINGS = {
  TOOLWAY_CA: setting(
    z
      .string()
      .regex(/-----BEGIN CERTIFICATE-----/, 'it must be certificates as PEM: TOOLWAY_CA_FILE names their file')
      .optional(),
    'Certificate authorities that are trusted besides the usual ones, as PEM; for what the gateway reaches and for the programs that it starts. Usually TOOLWAY_CA_FILE.',
  ),
  TOOLWAY_PROGRAM_PROXY: setting(
    z.url({ protocol: /^https?$/, error: 'it must begin with http:// or https://' }).optional(),
    'HTTP proxy of the programs that the gateway starts (HTTPS_PROXY and HTTP_PROXY). The gateway itself connects directly.',
    true,
  ),
  TOOLWAY_PROGRAM_NO_PROXY: setting(
    z.string().default(''),
    'Names that programs reach without the proxy, separated by commas (NO_PROXY).',
  ),
  TOOLWAY_NPM_REGISTRY: setting(
    z.url({ protocol: /^https?$/, error: 'it must begin with http:// or https://' }).optional(),
    'Package registry of npx and npm in programs that the gateway starts.',
    true,
  ),
  TOOLWAY_PYTHON_INDEX: setting(
    z.url({ protocol: /^https?$/, error: 'it must begin with http:// or https://' }).optional(),
    'Package index of uvx and pip in programs that the gateway starts.',
    true,
  ),
} as const satisfies Record<string, Setting>
