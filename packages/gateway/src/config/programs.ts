/** The settings of the network as programs that are started here see it: authorities, proxy, package registries. */
import { z } from 'zod'
import { defineSetting, type Setting } from './setting.ts'

export const PROGRAM_SETTINGS = {
  TOOLWAY_CA: defineSetting(
    z
      .string()
      .regex(/-----BEGIN CERTIFICATE-----/, 'it must contain PEM certificates; to specify a file, use TOOLWAY_CA_FILE')
      .optional(),
    'Additional trusted certificate authorities (PEM), for the gateway’s outgoing connections and for the programs that it starts. Usually set with TOOLWAY_CA_FILE.',
  ),
  TOOLWAY_PROGRAM_PROXY: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'HTTP proxy for the programs that the gateway starts (HTTPS_PROXY and HTTP_PROXY). The gateway itself connects directly.',
    true,
  ),
  TOOLWAY_PROGRAM_NO_PROXY: defineSetting(
    z.string().default(''),
    'Hosts that programs reach without the proxy, separated by commas (NO_PROXY).',
  ),
  TOOLWAY_NPM_REGISTRY: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'Package registry for npx and npm in programs that the gateway starts.',
    true,
  ),
  TOOLWAY_PYTHON_INDEX: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'Package index for uvx and pip in programs that the gateway starts.',
    true,
  ),
} as const satisfies Record<string, Setting>
