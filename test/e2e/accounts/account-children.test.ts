/**
 * A program that is given the key of an account in its environment: each member's calls go to a process of that member's own, which
 * ends with the key.
 */
// @module-tag long
import { readdirSync, readFileSync } from 'node:fs'
import { join as path } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { join } from '../peers/people/people.ts'
import { until } from '../peers/until.ts'

const SCRIPT = path(import.meta.dirname, '../peers/servers/greedy.script.ts')
const MARK = `tickets-${process.pid}`
const ACCOUNTS = '/api/v1/admin/tenants/default/connectors/tickets/accounts'
const LINK = /http:\/\/127\.0\.0\.1:\d+\/connect\/[\w.-]+/
const World = z.object({ environment: z.record(z.string(), z.string()), cwd: z.string(), born: z.number() })

/** Command lines of this machine's processes that run the program. */
function running(): string[] {
  const words = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    } catch {
      return [] // it ended while we looked
    }
  }
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  // Its sandbox has the program among its own words; the program itself begins with them.
  return all
    .map(words)
    .filter(([first, , , mark]) => first === process.execPath && mark === MARK)
    .map((one) => one.join(' '))
}

test("S3-EXT-09: a child that gets a user's token is that user's alone, and ends with the token", async () => {
  const words = ['--disable-warning=ExperimentalWarning', SCRIPT, MARK]
  await using gateway = await startTestGateway({
    connections: [
      {
        alias: 'tickets',
        wire: {
          ...{ kind: 'process', command: process.execPath, args: words, environment: { DECLARED: 'for all' } },
          auth: { kind: 'key', owners: ['member'], variable: 'TICKETS_TOKEN' },
        },
      },
    ],
  })
  const enter = (name: string) =>
    join(`${name}@example.com`, { ...gateway, roles: [[gateway.organization.id, 'tenant_member']] })
  const [ada, bob, cy] = [await enter('ada'), await enter('bob'), await enter('cy')]
  type Person = typeof ada
  const give = async ({ client }: Person, key: string, replaces?: string) => {
    const given = await client(`POST ${ACCOUNTS}`, { key, ...(replaces === undefined ? {} : { replaces }) })
    expect(given.status).toBe(201)
    return z.object({ id: z.string() }).parse(given.body).id
  }
  const ask = async (key: string) =>
    (await callTool({ url: gateway.connectionUrl('tickets'), key, era: 'modern' }, 'world', {})).text
  const worldOf = async ({ token }: Person) => {
    const text = await ask(token)
    const { content } = z
      .object({ result: z.object({ content: z.array(z.object({ text: z.string() })) }) })
      .parse(JSON.parse(text)).result
    return World.parse(JSON.parse(content[0]?.text ?? ''))
  }

  // Without an account nothing runs, and the connection says so.
  expect((await gateway.settled('tickets')).status).toBe('needs_auth')
  expect(running()).toEqual([])

  // Short ones: a longer secret that a server repeats is masked.
  const adas = await give(ada, 'ada-1')
  await until('the tools are listed', async () => (await gateway.settled('tickets')).status === 'connected')
  await give(bob, 'bob-1')

  // Each member's calls go to a process of their own, with their own token and folder.
  const [first, other] = await Promise.all([worldOf(ada), worldOf(bob)])
  expect(first.environment['TICKETS_TOKEN']).toBe('ada-1')
  expect(other.environment['TICKETS_TOKEN']).toBe('bob-1')
  for (const { environment } of [first, other]) expect(environment['DECLARED']).toBe('for all')
  expect(JSON.stringify(first)).not.toContain('bob')
  expect(JSON.stringify(other)).not.toContain('ada')
  expect(other.born).not.toBe(first.born)
  expect(other.environment['HOME']).not.toBe(first.environment['HOME'])
  expect([(await worldOf(ada)).born, (await worldOf(bob)).born]).toEqual([first.born, other.born])
  expect(running()).toHaveLength(2)
  for (const line of running()) expect(line).not.toMatch(/ada-1|bob-1/)

  // A member without an account is served by neither of them.
  for (const key of [cy.token, gateway.key]) expect(await ask(key)).toMatch(LINK)
  expect(running()).toHaveLength(2)

  // Another token is another process; the one with the old token ends.
  await give(ada, 'ada-2', adas)
  const second = await worldOf(ada)
  expect(second.environment['TICKETS_TOKEN']).toBe('ada-2')
  expect(second.born).not.toBe(first.born)
  await until('the process with the old token has ended', () => running().length === 2)

  // A token that is taken back ends its process, and no other.
  const { items } = z
    .object({ items: z.array(z.object({ id: z.string() })) })
    .parse((await bob.client(`GET ${ACCOUNTS}`)).body)
  expect(items).toHaveLength(1)
  expect((await bob.client(`DELETE ${ACCOUNTS}/${items[0]?.id}`)).status).toBe(200)
  await until('the process of the removed account has ended', () => running().length === 1)
  expect(await ask(bob.token)).toMatch(LINK)
  expect((await worldOf(ada)).born).toBe(second.born)
  expect(running()).toHaveLength(1)
  expect(JSON.stringify(gateway.log)).not.toMatch(/ada-1|bob-1/)
})
