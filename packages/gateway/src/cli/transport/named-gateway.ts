/**
 * The gateway that `TOOLWAY_URL` names, and whether it is the one of this data directory.
 *
 * Commands that administrate go to the gateway that is named, or refuse: none of them acts on the data directory in silence while
 * another gateway is named.
 */
import { gatewayBaseOf } from '@toolway/contract'
import type { LoadedConfig } from '../../config.ts'
import { isOwnGateway, noAddress } from '../mcp-client.ts'
import { addressOf, isMade, isRunning } from '../store.ts'
import { CommandFault, EXIT } from '../terminal/output.ts'

export interface NamedGateway {
  /** Its base address. */
  readonly url: string
  /** Whether it is the gateway of this data directory. */
  readonly own: boolean
}

/** The base address of what was given. Throws CommandFault for what is no address. */
export function baseOf(text: string): string {
  const base = gatewayBaseOf(text)
  if (base === undefined) throw noAddress()
  return base
}

/** Undefined where TOOLWAY_URL is not set. Throws CommandFault. */
export async function namedGateway(loaded: LoadedConfig): Promise<NamedGateway | undefined> {
  const address = loaded.lookup('TOOLWAY_URL')
  if (address === undefined || address.trim() === '') return undefined
  const url = baseOf(address)
  return { url, own: await isOwn(url, loaded) }
}

/** One that runs at the own address proves that it is the own one: another may have taken the port. */
async function isOwn(url: string, loaded: LoadedConfig): Promise<boolean> {
  const address = await addressOf(loaded)
  if (!isOwnAddress(url, address, loaded) || !(await isMade(loaded))) return false
  if (!(await isRunning(address))) return true
  return isOwnGateway(address, loaded).catch(() => false)
}

/** Whether an address is that of this directory's gateway; the names of the loopback are one. */
export const isOwnAddress = (url: string, address: string, { config }: LoadedConfig): boolean =>
  isSame(url, address) || isSame(url, config.TOOLWAY_PUBLIC_URL)

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

function isSame(first: string, second: string | undefined): boolean {
  const plain = (text: string) => {
    const url = new URL(text)
    const host = LOOPBACK.test(url.hostname) ? 'loopback' : url.hostname
    return `${url.protocol}//${host}:${url.port}${url.pathname.replace(/\/$/, '')}`
  }
  return second !== undefined && URL.canParse(second) && plain(first) === plain(second)
}

/** For commands that work on the data directory alone. Throws CommandFault where TOOLWAY_URL names another gateway. */
export async function refuseElsewhere(loaded: LoadedConfig): Promise<void> {
  const named = await namedGateway(loaded)
  if (named === undefined || named.own) return
  throw new CommandFault(
    `TOOLWAY_URL names the gateway at ${named.url}, but this command works on the data directory ${loaded.config.TOOLWAY_DATA}: unset TOOLWAY_URL, or run the command on the machine of that gateway.`,
    EXIT.usage,
  )
}
