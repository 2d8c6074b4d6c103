/**
 * Network settings of the installation for all outgoing traffic: its own certificate authorities, a proxy, package registries.
 * The gateway's own connections trust the authorities; programs get all of it as variables, which declared ones override.
 *
 * The gateway itself uses no proxy: the guard evaluates the address that a connection is made to, and behind a proxy it would not
 * know that address.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { trustAuthorities, trustedAuthorities } from './http/authorities.ts'

export interface NetworkSettings {
  readonly TOOLWAY_DATA: string
  readonly TOOLWAY_CA?: string | undefined
  readonly TOOLWAY_PROGRAM_PROXY?: string | undefined
  readonly TOOLWAY_PROGRAM_NO_PROXY: string
  readonly TOOLWAY_NPM_REGISTRY?: string | undefined
  readonly TOOLWAY_PYTHON_INDEX?: string | undefined
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Trusts the authorities in this process, and returns the variables that programs get. Throws where they cannot be read. */
export function applyNetwork(config: NetworkSettings): Record<string, string> {
  const given = config.TOOLWAY_CA?.match(CERTIFICATE) ?? []
  if (given.length > 0) trustAuthorities(given)
  return { ...authorities(config, given), ...proxies(config), ...registries(config) }
}

/** Node adds to the usual authorities, OpenSSL and Python replace them: they get all in one file. */
function authorities({ TOOLWAY_DATA: data }: NetworkSettings, input: readonly string[]): Record<string, string> {
  if (input.length === 0) return {}
  const folder = join(data, 'authorities')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Certificates are no secret, and children that run as users of their own read them.
  const [added, all] = [join(folder, 'added.pem'), join(folder, 'all.pem')]
  writeFileSync(added, input.join('\n'), { mode: 0o644 })
  writeFileSync(all, [...new Set([...trustedAuthorities(), ...input])].join('\n'), { mode: 0o644 })
  return { NODE_EXTRA_CA_CERTS: added, SSL_CERT_FILE: all, REQUESTS_CA_BUNDLE: all }
}

function proxies({
  TOOLWAY_PROGRAM_PROXY: proxy,
  TOOLWAY_PROGRAM_NO_PROXY: none,
}: NetworkSettings): Record<string, string> {
  if (proxy === undefined) return {}
  const names = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, ...(none === '' ? {} : { NO_PROXY: none }) }
  // Programs read the one or the other.
  return { ...names, ...Object.fromEntries(Object.entries(names).map(([name, value]) => [name.toLowerCase(), value])) }
}

const registries = ({
  TOOLWAY_NPM_REGISTRY: npm,
  TOOLWAY_PYTHON_INDEX: python,
}: NetworkSettings): Record<string, string> => ({
  ...(npm === undefined ? {} : { npm_config_registry: npm }),
  ...(python === undefined ? {} : { UV_DEFAULT_INDEX: python, PIP_INDEX_URL: python }),
})
