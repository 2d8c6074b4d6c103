/** The console of a real gateway, opened by somebody who is signed in. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Role } from '../../../packages/contract/src/index.ts'
import {
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { ensureConsole } from '../../../tools/console.mjs'
import { openPage, type WatchedPage } from './browser.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

export interface ConsoleGateway extends AsyncDisposable {
  readonly gateway: TestGateway
  /** A page of that person, on which nothing is open yet; without one, of nobody. */
  open(person?: Person, locale?: string): Promise<WatchedPage>
}

export interface Person {
  readonly email: string
  /** In the default organization; `platform_admin` is one of the installation too. */
  readonly role: Role
}

export const ADA: Person = { email: 'ada@example.com', role: 'platform_admin' }

/** Every gateway of this checkout serves what this builds. */
export async function ensureBuilt(): Promise<void> {
  const fault = await ensureConsole(ROOT, process.execPath)
  if (fault !== undefined) throw new Error(fault.sentence)
}

export async function startConsole(options: TestGatewayOptions = {}): Promise<ConsoleGateway> {
  await ensureBuilt()
  const gateway = await startTestGateway(options)
  const known = new Set<string>()

  async function enter({ page }: WatchedPage, { email, role }: Person) {
    if (!known.has(email)) {
      known.add(email)
      const platformAdmin = role === 'platform_admin'
      const own = platformAdmin ? 'tenant_admin' : role
      await addPerson(gateway.db, { email, platformAdmin, roles: [[gateway.organization.id, own]] })
    }
    const answer = await page.request.post('/api/v1/auth/login', { data: { email, password: PASSWORD, cookies: true } })
    if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}: ${await answer.text()}`)
  }

  return {
    gateway,
    async open(person, locale) {
      const opened = await openPage(gateway.address, locale === undefined ? {} : { locale })
      if (person !== undefined) await enter(opened, person)
      return opened
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

/** The files of the built console, for tests of what is in them. */
export const readBuilt = (name: string): string => readFileSync(join(ROOT, 'packages/console/dist/site', name), 'utf8')
