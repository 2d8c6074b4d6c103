/** `toolway connection login`, `logout` and `accounts`: accounts of connections, from a terminal. No token and no key is shown. */
import { setTimeout as sleep } from 'node:timers/promises'
import { mayHaveAccounts, AccountName, Fault, type UserId } from '@toolway/contract'
import { showMe } from '@toolway/contract/admin'
import {
  findConnection,
  listConnections,
  restartConnection,
  type ConnectionRow,
} from '../../connections/connections.ts'
import { listAccountStates, stateOf, type AccountStateRow } from '../../credentials/account-states.ts'
import { listAccounts } from '../../credentials/credentials.ts'
import { findUser } from '../../identity/users.ts'
import { createConnectLinks, LINK_MINUTES } from '../../oauth/outgoing/flows/connect-links.ts'
import { createKeepKey } from '../../oauth/outgoing/credentials/keep-key.ts'
import { probeAuth } from '../../oauth/outgoing/flows/auth-probe.ts'
import { ownActor } from '../own-actor.ts'
import { overHttp, signedIn } from '../transport/over-http.ts'
import { addressOf, isRunning, withStore, type Opened } from '../store.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import { readPassword } from '../terminal/terminal.ts'
import { openBrowser } from './open-browser.ts'
import { keepingOf, targetOf } from './store-keeping.ts'

interface Whose {
  readonly organization: string
  readonly alias: string
  readonly shared?: boolean
  readonly account?: string
}
export interface LoginWords extends Whose {
  readonly key?: boolean
}
export type LogoutWords = Whose

const LOOK_EVERY = 500

export const login = (words: LoginWords, output: Output): Promise<number> =>
  withStore(words.organization, async (opened) => {
    if (words.account !== undefined && !AccountName.safeParse(words.account).success)
      throw new CommandFault(`"${words.account}" is no account name: small letters, digits, _ and -.`, EXIT.usage)
    const connection = await found(opened, words.alias)
    const userId = await ownerOf(opened, words)
    return words.key === true
      ? giveKey(opened, connection, { userId, account: words.account }, output)
      : connect(opened, connection, { userId, account: words.account }, output)
  })

interface Owner {
  readonly userId: UserId | undefined
  readonly account: string | undefined
}

async function connect(opened: Opened, connection: ConnectionRow, owner: Owner, output: Output): Promise<number> {
  const { vault, organization, loaded } = opened
  const address = await addressOf(loaded)
  if (!(await isRunning(address)))
    throw new CommandFault(
      `No gateway answers at ${address}: start it, and connect the account then.`,
      EXIT.unreachable,
    )
  // Refused here, where it is read, rather than in the browser.
  told(() => targetOf(opened, connection, owner.userId))
  const publicUrl = (loaded.config.TOOLWAY_PUBLIC_URL ?? address).replace(/\/$/, '')
  const links = createConnectLinks({ vault, publicUrl: () => publicUrl, now: Date.now })
  const connectRequest = { organizationId: organization.id, connectionId: connection.id, ...owner, scopes: [] }
  const before = new Set((await statesOf(opened, connection, owner.userId)).map(markOf))
  const { url } = links.link(connectRequest)
  output.progress(`Open this within ${LINK_MINUTES} minutes:\n\n  ${url}\n`)
  if (openBrowser(url, loaded.lookup)) output.progress('A browser was opened. Waiting for you …')
  for (const until = Date.now() + LINK_MINUTES * 60_000; Date.now() < until; await sleep(LOOK_EVERY)) {
    const made = (await statesOf(opened, connection, owner.userId)).find((row) => !before.has(markOf(row)))
    if (made === undefined) continue
    output.result(shown(made), [`${connection.alias} is connected: ${sentenceOf(made)}.`])
    return EXIT.ok
  }
  throw new CommandFault('The link is over and no account was connected: run the command once more.')
}

async function giveKey(opened: Opened, connection: ConnectionRow, owner: Owner, output: Output): Promise<number> {
  const { db, organization } = opened
  const target = told(() => targetOf(opened, connection, owner.userId))
  const key = await readPassword(`Key for ${connection.alias}`, !process.stdin.isTTY)
  const keep = createKeepKey({ db, keeping: keepingOf(opened, connection), probeAuth })
  try {
    await keep({ target, account: owner.account, key, actor: ownActor() })
  } catch (thrown) {
    throw wordOf(thrown)
  }
  // The gateway that runs hears of it as of any change, and asks the server anew.
  await db.organization(organization.id, (sql) => restartConnection(sql, connection.alias))
  const rows = await statesOf(opened, connection, owner.userId)
  const made = rows.find(({ account }) => account === (owner.account ?? rows[0]?.account))
  output.result(made === undefined ? {} : shown(made), [`The key of ${connection.alias} works and is kept.`])
  return EXIT.ok
}

export const logout = (words: LogoutWords, output: Output): Promise<number> =>
  withStore(words.organization, async (opened) => {
    const connection = await found(opened, words.alias)
    const userId = await ownerOf(opened, words)
    const rows = await statesOf(opened, connection, userId)
    const meant = rows.filter(({ account }) => words.account === undefined || account === words.account)
    if (meant.length === 0)
      throw new CommandFault(`${words.alias} has no such account: \`toolway connection accounts\` lists them.`)
    const problems: string[] = []
    for (const { id } of meant) {
      const of = { organizationId: opened.organization.id, connectionId: connection.id, userId: userId ?? null, id }
      problems.push(...(await keepingOf(opened, connection).end({ ...of, actor: ownActor() })).problems)
    }
    for (const problem of problems) output.progress(problem)
    output.result({ ended: meant.map(({ account }) => account), problems }, [
      `Ended at ${words.alias}: ${meant.map(({ account }) => account).join(', ')}.`,
    ])
    return EXIT.ok
  })

export const accounts = (organization: string, alias: string | undefined, output: Output): Promise<number> =>
  withStore(organization, async (opened) => {
    const rows = await listEverybodys(opened, alias)
    output.result(
      rows.map(({ row, connection, owner }) => ({ connection, owner, ...shown(row) })),
      rows.length === 0
        ? ['No account is connected yet: `toolway connection login ALIAS`.']
        : table(
            ['CONNECTION', 'ACCOUNT', 'OWNER', 'STATE', 'NAME THERE'],
            rows.map(({ row, connection, owner }) => [
              connection,
              row.is_default ? `${row.account} *` : row.account,
              owner,
              row.problem === null ? stateOf(row, Date.now()) : `needs a person: ${row.problem}`,
              row.provider_username ?? '-',
            ]),
          ),
    )
    return EXIT.ok
  })

/** Throws CommandFault. */
async function found({ db, organization }: Opened, alias: string): Promise<ConnectionRow> {
  const connection = await db.organization(organization.id, (sql) => findConnection(sql, alias))
  if (connection !== undefined) return connection
  throw new CommandFault(`There is no connection "${alias}"; \`toolway connection list\` shows them.`)
}

/**
 * Whose account it is: the organization's with --shared and where nobody signs in, else that of who is signed in on this command
 * line. Throws CommandFault.
 */
async function ownerOf({ loaded, db }: Opened, { shared = false }: Whose): Promise<UserId | undefined> {
  if (shared || loaded.config.TOOLWAY_AUTH === 'off') return undefined
  const { url } = await signedIn(loaded)
  const { user } = await overHttp(loaded, url).call(showMe)
  const known = user === null ? undefined : await db.system((sql) => findUser(sql, user.id as UserId))
  if (known !== undefined) return known.id
  throw new CommandFault(
    `You are signed in to ${url}, which is not the gateway of ${loaded.config.TOOLWAY_DATA}: sign in there, or say --shared.`,
  )
}

function wordOf(thrown: unknown): unknown {
  const fault = Fault.of(thrown)
  return fault.code === 'internal' ? thrown : new CommandFault(`${fault.message} ${fault.mend}`)
}

function told<T>(work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw wordOf(thrown)
  }
}

/** Those of one owner with that connection. */
async function statesOf({ db, organization }: Opened, { id }: ConnectionRow, userId: UserId | undefined) {
  const rows = await db.organization(organization.id, (sql) => listAccountStates(sql, userId))
  return rows.filter((row) => row.connection_id === id && row.user_id === (userId ?? null))
}

/** Another one after each renewal. */
const markOf = ({ id, renewed_at: at }: AccountStateRow) => `${id} ${at.getTime()}`

const shown = (row: AccountStateRow) => ({
  id: row.id,
  account: row.account,
  kind: row.kind,
  name: row.provider_username,
  default: row.is_default,
  state: stateOf(row, Date.now()),
  problem: row.problem,
})

const sentenceOf = ({ account, provider_username: name }: AccountStateRow) =>
  name === null ? `account ${account}` : `account ${account}, ${name} there`

/** Everybody's, with the aliases of connections and the addresses of their owners. */
async function listEverybodys({ db, organization }: Opened, alias: string | undefined) {
  const rows = await db.organization(organization.id, async (sql) => {
    const all = (await listConnections(sql)).filter((one) => alias === undefined || one.alias === alias)
    const lists = []
    for (const { id, alias: name, settings } of all) {
      if (!mayHaveAccounts(settings)) continue
      const provider = settings.auth.provider ?? 'mcp'
      for (const row of await listAccounts(sql, { connectionId: id, provider })) lists.push({ connection: name, row })
    }
    return lists
  })
  return Promise.all(
    rows.map(async ({ connection, row }) => {
      const id = row.user_id
      const owner = id === null ? 'organization' : ((await db.system((sql) => findUser(sql, id)))?.email ?? id)
      return { connection, owner, row }
    }),
  )
}
