/** `toolway open`: the console of the gateway that is meant, in a browser where a person sits in front of one. */
import { openBrowser } from './open-browser.ts'
import { openConfig } from './open-config.ts'
import { addressOf, isRunning } from './store.ts'
import { CommandFault, EXIT, type Output } from './terminal/output.ts'
import { namedGateway } from './transport/named-gateway.ts'

/** @param page below the organization, such as `records`; undefined: its home */
export async function openConsole(organization: string, page: string | undefined, output: Output): Promise<number> {
  const loaded = await openConfig()
  const base = (await namedGateway(loaded))?.url ?? loaded.config.TOOLWAY_PUBLIC_URL ?? (await addressOf(loaded))
  const path = (page ?? '').split('/').filter(Boolean).map(encodeURIComponent)
  const url = [base.replace(/\/$/, ''), 'o', encodeURIComponent(organization), ...path].join('/')
  if (!(await isRunning(base.replace(/\/$/, ''))))
    throw new CommandFault(`No gateway is responding at ${base}: run \`toolway start\`.`, EXIT.unreachable)
  const opened = openBrowser(url, loaded.lookup)
  output.result({ url, opened }, [url])
  return EXIT.ok
}
