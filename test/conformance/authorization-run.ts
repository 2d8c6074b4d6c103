/**
 * Runs the official suite for authorization servers against the gateway's own. The suite is a process of its own, the gateway
 * requires keys, and the user with the browser, for whom the suite prints an address, is simulated.
 *
 * The client given to the suite registers itself first, as the suite expects.
 */
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from '../../packages/gateway/src/base/open-store.ts'
import { addPerson } from '../../packages/gateway/src/testing/people.ts'
import { createPerson } from '../e2e/peers/people/oauth-person.ts'
import { until } from '../e2e/peers/until.ts'
import { foreignEnvironment, type GatewayUnderTest } from './gateway-under-test.ts'
import { absent, readOutcome, type ScenarioOutcome } from './outcomes.ts'
import { authorizationArguments, ROOT, type Suite } from './suites.ts'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'

const EMAIL = 'suite@example.com'
const RUN_LIMIT_MS = 3 * 60_000

export interface AuthorizationRunOptions {
  gateway: Pick<GatewayUnderTest, 'issuer' | 'directory'>
  /** A directory of this run alone; it is emptied first. */
  out: string
  onScenario?: (scenario: string) => void
}

/** Somebody who may allow a client everything; the gateway hears of her from the database. */
export async function addPersonTo({
  issuer,
  directory,
}: Pick<GatewayUnderTest, 'issuer' | 'directory'>): Promise<void> {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const store = await openStore({ directory, databaseUrl: undefined, keys: {}, owner: false, log })
  try {
    await addPerson(store.db, { email: EMAIL, platformAdmin: true })
  } finally {
    await store.close()
  }
  await until('she can sign in', async () => {
    const { browser } = createPerson(issuer, { email: EMAIL })
    await browser.submit('/sign-in', { email: EMAIL, password: 'correct horse battery' })
    return (await browser.ask('/api/v1/auth/grants')).status === 200
  })
}

export async function runAuthorizationSuite(
  suite: Suite,
  options: AuthorizationRunOptions,
): Promise<ScenarioOutcome[]> {
  const { gateway, out } = options
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  const port = await freePort()
  const clientId = await register(gateway.issuer, `http://127.0.0.1:${port}/callback`)
  const words = authorizationArguments(suite, { issuer: gateway.issuer, clientId, port, out })
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    env: foreignEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const log = createWriteStream(join(out, 'suite.log'))
  child.stderr.pipe(log, { end: false })
  for await (const line of child.stdout.setEncoding('utf8')) {
    log.write(line)
    const address = /\S+\/authorize\?\S+/.exec(String(line))?.[0]
    // As it goes on only when the answer has come, nobody waits for this here.
    if (address !== undefined)
      void answer(gateway.issuer, address).catch((thrown: unknown) => log.write(String(thrown)))
  }
  process.off('exit', kill)
  await new Promise<void>((resolve) => log.end(resolve))
  return collect(suite, options)
}

async function answer(issuer: string, address: string): Promise<void> {
  const { back, pages } = await createPerson(issuer, { email: EMAIL }).open(address)
  if (back === undefined) throw new Error(`the person stayed at ${pages.at(-1)?.path ?? address}`)
  await (await fetch(back)).text()
}

async function collect(suite: Suite, { out, onScenario }: AuthorizationRunOptions): Promise<ScenarioOutcome[]> {
  const folders = await readdir(out, { withFileTypes: true })
  return Promise.all(
    suite.requires.map(async (scenario) => {
      onScenario?.(scenario)
      const folder = folders.find((entry) => entry.isDirectory() && entry.name.includes(scenario))
      const found = folder && (await readOutcome(join(out, folder.name, 'checks.json'), scenario, true))
      return found ?? absent(scenario)
    }),
  )
}

async function register(issuer: string, redirect: string): Promise<string> {
  const response = await fetch(`${issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Suite', redirect_uris: [redirect], token_endpoint_auth_method: 'none' }),
  })
  const { client_id: id } = (await response.json()) as { client_id?: string }
  if (id === undefined) throw new Error(`the client could not register: ${response.status}`)
  return id
}
