/**
 * The one temporary folder of a measured gateway: settings, data, log.
 *
 * Made before the process starts and removed after it ended, so a run leaves nothing behind.
 * Never holds the key: that goes through the environment only, and is cut out of the log should it be there.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const LOG_LINES_TOLD = 12

const CONDITIONS = [{}, { when: 'principal.role == "nobody"' }, { when: 'has(args.danger)' }, { parameter: 'limit' }]
const ACTIONS = [
  { action: 'clamp', parameters: { parameter: 'limit', max: 50 } },
  { action: 'block', parameters: {} },
  { action: 'block', parameters: {} },
  { action: 'reject', parameters: { parameter: 'limit', max: 500 } },
]

/** Fifty rules of the organization that speak of one connection's tools, of every kind that lets its calls pass. */
const RULES = Array.from({ length: 50 }, (_, at) => ({
  name: `rule-${at}`,
  reason: 'To be measured',
  match: { tools: ['ruled__*'], ...CONDITIONS[at % CONDITIONS.length] },
  ...ACTIONS[at % ACTIONS.length],
}))

/** One connection of the measured gateway: where its server is or what starts it, and of which revision. */
export type Upstream = { readonly revision: string } & (
  | { readonly url: string }
  | { readonly command: string; readonly args: readonly string[]; readonly allow_paths: readonly string[] }
)

export type GatewayFolder = ReturnType<typeof makeGatewayFolder>

/** @param upstreams by the alias of their connection; nothing is declared where it is undefined */
export function makeGatewayFolder(upstreams: Readonly<Record<string, Upstream>> | undefined) {
  const path = mkdtempSync(join(tmpdir(), 'toolway-bench-'))
  // Under root, PostgreSQL runs as another user, who must be able to pass through.
  chmodSync(path, 0o755)
  const config = join(path, 'toolway.yaml')
  // JSON is YAML too.
  if (upstreams !== undefined)
    writeFileSync(config, JSON.stringify({ connections: upstreams, rules: 'ruled' in upstreams ? RULES : [] }))
  const log = join(path, 'gateway.log')
  return {
    path,
    /** Undefined where nothing is declared. */
    config: upstreams === undefined ? undefined : config,
    log,
    data: join(path, 'data'),
    /** The end of the log, indented. */
    logEnd(secret: string): string {
      return logEnd(log, (text) => text.replaceAll(secret, 'uru_…'))
    },
    remove(): void {
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** The end of a log file, indented. @param clean takes out of the whole text what must not be shown */
export function logEnd(path: string, clean: (text: string) => string = (text) => text): string {
  const lines = clean(readFileSync(path, 'utf8')).trimEnd().split('\n').slice(-LOG_LINES_TOLD)
  return lines.map((line) => `  | ${line.slice(0, 300)}`).join('\n')
}
