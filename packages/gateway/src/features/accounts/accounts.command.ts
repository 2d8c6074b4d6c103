/** `toolway connection login`, `logout` and `accounts`: accounts of connections, from a terminal. No token and no key is shown. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  addAccountKey,
  linkConnection,
  listAccounts,
  listAllAccounts,
  listOwnAccounts,
  readConnectSession,
  removeAccount,
  restartProcess,
  showMe,
  type Account,
  type OwnAccount,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { openConfig } from '../../cli/open-config.ts'
import { describeCommand, type Printed } from '../../cli/command.ts'
import { findConnection, waitUntilContacted } from '../../cli/connection/contact.ts'
import { withApprovals } from '../../cli/connection/expected-approvals.ts'
import { CommandFault, EXIT, table, type Output } from '../../cli/terminal/output.ts'
import { readPassword } from '../../cli/terminal/terminal.ts'
import { overHttp, signedIn } from '../../cli/transport/over-http.ts'
import { listAll, rewordRefusal, type Transport } from '../../cli/transport/transport.ts'
import { openBrowser } from '../../cli/open-browser.ts'

interface Whose {
  readonly organization: string
  readonly alias: string
  readonly shared?: boolean
  readonly account?: string
}

/** The owner of the accounts, and the transport that may access them. */
interface Owned {
  readonly transport: Transport
  readonly owner: Account['owner']
  /** Those of this owner with the connection. */
  list(): Promise<Account[]>
}

const LOOK_EVERY_MS = 1_000
const MINUTE = 60_000
/** Milliseconds until the tools that an account opens are listed; what comes later is seen in lists. */
const FIRST_TOOLS_MS = 10_000

const paramsOf = ({ organization, alias: connection }: Whose) => ({ organization, connection })
const noConnection = ({ alias }: Whose) =>
  rewordRefusal(
    `There is no connection "${alias}"; \`toolway connection list\` lists the connections.`,
    'thing.unknown',
  )

/**
 * The organization's with --shared and where nobody signs in, else those of the person who signed in: at this installation's own
 * gateway, too, where other commands act as its operator.
 */
async function ownedBy(transport: Transport, words: Whose): Promise<Owned> {
  const loaded = await openConfig()
  const isLocal = transport.remote === undefined
  const list = (of: Transport, isTheirs: (account: Account) => boolean) => async () =>
    (await listAll(of, listAccounts, { params: paramsOf(words) }).catch(noConnection(words))).filter(isTheirs)
  if (words.shared === true || (isLocal && loaded.config.TOOLWAY_AUTH === 'off'))
    return { transport, owner: 'organization', list: list(transport, ({ owner }) => owner === 'organization') }
  const own = isLocal ? overHttp(loaded, (await signedIn(loaded)).url) : transport
  const { user } = await own.call(showMe)
  return { transport: own, owner: 'member', list: list(own, ({ user_id: id }) => id !== null && id === user?.id) }
}

const stateOf = ({ state, problem }: Account): string => (problem === null ? state : `someone must sign in: ${problem}`)
const sentenceOf = ({ account, name }: Account) =>
  name === null ? `account ${account}` : `account ${account}, signed in as ${name}`
/** Another one after each renewal. */
const markOf = ({ id, renewed_at: at }: Account) => `${id} ${at}`

interface Connecting extends Whose {
  readonly key?: boolean
  readonly replace?: boolean
}

/** The account that --replace means: the named one, else the default. */
async function replacedBy(owned: Owned, { alias, account, replace = false }: Connecting): Promise<string | undefined> {
  if (!replace) return undefined
  const there = await owned.list()
  const found = there.find((item) => (account === undefined ? item.is_default : item.account === account)) ?? there[0]
  if (found === undefined || (account !== undefined && found.account !== account))
    throw new CommandFault(`${alias} has no such account: \`toolway connection accounts\` lists the accounts.`)
  return found.id
}

async function connectByLink(owned: Owned, words: Connecting, output: Output): Promise<Account> {
  if (!(await owned.transport.isServing()))
    throw new CommandFault(
      `No gateway is responding at ${owned.transport.address}. Start it, then connect the account.`,
      EXIT.unreachable,
    )
  const before = new Set((await owned.list()).map(markOf))
  const body = { owner: owned.owner, account: words.account, replaces: await replacedBy(owned, words) }
  const {
    url,
    session_id: session,
    expires_at: until,
  } = await owned.transport.call(linkConnection, { params: paramsOf(words), body })
  const minutes = Math.round((Date.parse(until) - Date.now()) / MINUTE)
  output.progress(`Open this link within ${minutes} minutes:\n\n  ${url}\n`)
  if (openBrowser(url, (await openConfig()).lookup))
    output.progress('Your browser was opened. Waiting for you to finish there …')
  // It is told once; a key that is entered at the link is seen in the list alone.
  let isTold = false
  for (; Date.now() < Date.parse(until); await sleep(LOOK_EVERY_MS)) {
    const made = (await owned.list()).find((account) => !before.has(markOf(account)))
    if (made !== undefined) return made
    if (isTold) continue
    const { status, error, reason } = await owned.transport.call(readConnectSession, { params: { session } })
    isTold = status !== 'pending'
    if (status === 'error')
      throw new CommandFault(
        `No account was connected: ${reason ?? error ?? 'the sign-in failed'}. Run the command again.`,
      )
  }
  throw new CommandFault('The link expired before an account was connected. Run the command again.')
}

async function giveKey(owned: Owned, words: Connecting): Promise<Account> {
  const { transport, owner } = owned
  const replaces = await replacedBy(owned, words)
  const key = await readPassword(`Key for ${words.alias}`, !process.stdin.isTTY)
  const params = paramsOf(words)
  const body = { key, owner, account: words.account, replaces, check: true }
  const made = await transport.call(addAccountKey, { params, body }).catch(noConnection(words))
  // A gateway that runs on the database of this process connects anew; one that was asked over HTTP does so by itself.
  if (transport.remote === undefined) await transport.call(restartProcess, { params })
  return made
}

const login = describeCommand({
  name: 'login',
  about: 'connect an account: prints a link, opens a browser if possible, and waits until the account is connected',
  arguments: [new Argument('<alias>')],
  options: [
    new Option('--shared', 'a shared account for the whole organization'),
    new Option('--account <name>', 'name of the account, if several are allowed'),
    new Option('--replace', 'replace the account with this name, or the default one, even if it works'),
    new Option('--key', 'enter a key instead: typed without echo, or as the first line of standard input'),
  ],
  examples: [
    'toolway connection login docs',
    'toolway connection login mail --account work',
    'toolway connection login search --shared --key < search.key',
    'toolway connection login search --shared --key --replace < search.key',
  ],
  async call(transport, words: Connecting, output): Promise<Printed> {
    const { organization, alias, key = false } = words
    const before = await findConnection(transport, words)
    const owned = await ownedBy(transport, words)
    const account = key ? await giveKey(owned, words) : await connectByLink(owned, words, output)
    const printed = {
      value: account,
      lines: [key ? `The key of ${alias} works and was stored.` : `${alias} is connected: ${sentenceOf(account)}.`],
    }
    // With its first account a server shows its tools.
    if (before.tools > 0 || !(await transport.isServing())) return printed
    await waitUntilContacted(transport, {
      organization,
      aliases: [alias],
      isDone: ({ tools }) => tools > 0,
      wait: FIRST_TOOLS_MS,
    })
    return withApprovals(transport, { organization, aliases: [alias] }, printed, output)
  },
  print: (printed) => printed,
})

const logout = describeCommand({
  name: 'logout',
  about: 'disconnect an account: revoke its access on the server if possible, and remove it from Toolway',
  arguments: [new Argument('<alias>')],
  options: [
    new Option('--shared', 'the organization’s shared account'),
    new Option('--account <name>', 'only the account with this name'),
  ],
  examples: ['toolway connection logout docs', 'toolway connection logout mail --account work'],
  async call(transport, words: Whose) {
    const owned = await ownedBy(transport, words)
    const meant = (await owned.list()).filter(({ account }) => [undefined, account].includes(words.account))
    if (meant.length === 0)
      throw new CommandFault(`${words.alias} has no such account: \`toolway connection accounts\` lists the accounts.`)
    const problems: string[] = []
    for (const { id } of meant) {
      const params = { ...paramsOf(words), account: id }
      problems.push(...(await owned.transport.call(removeAccount, { params })).problems)
    }
    return { ended: meant.map(({ account }) => account), problems }
  },
  print: (done, { alias }) => ({
    value: done,
    lines: [`Disconnected from ${alias}: ${done.ended.join(', ')}.`],
    notes: done.problems,
  }),
})

const accounts = describeCommand({
  name: 'accounts',
  about: 'list the connected accounts with their owner and state',
  arguments: [new Argument('[alias]')],
  examples: ['toolway connection accounts', 'toolway connection accounts docs --json'],
  async call(transport, { organization, alias }: { organization: string; alias?: string }) {
    const all = await listAll(transport, listAllAccounts, { params: { organization } })
    return alias === undefined ? all : all.filter(({ connection }) => connection === alias)
  },
  print: (all, { alias = 'ALIAS' }) => ({
    value: all,
    lines:
      all.length === 0
        ? [`No account is connected yet. Connect one with \`toolway connection login ${alias}\`.`]
        : table(
            ['CONNECTION', 'ACCOUNT', 'OWNER', 'STATE', 'SIGNED IN AS'],
            all.map((row) => [
              ...[row.connection, row.is_default ? `${row.account} *` : row.account, row.email ?? 'organization'],
              ...[stateOf(row), row.name ?? '-'],
            ]),
          ),
  }),
})

const KINDS: Readonly<Record<OwnAccount['kind'], string>> = {
  ...{ needed: 'needed', no_app: 'not available yet', yours: 'yours', shared: 'shared' },
}

const own = describeCommand({
  name: 'own-accounts',
  about: 'list the accounts that your own calls use, and the connections that still need one of yours',
  examples: ['toolway connection own-accounts', 'toolway connection own-accounts --json'],
  call: (transport, { organization }: { organization: string }) =>
    listAll(transport, listOwnAccounts, { params: { organization } }),
  print: (rows) => ({
    value: rows,
    lines:
      rows.length === 0
        ? ['No connection uses accounts.']
        : table(
            ['CONNECTION', 'ACCOUNTS', 'ACCOUNT', 'STATE'],
            rows.map(({ kind, connection, account }) => [
              ...[connection.alias, KINDS[kind], account === null ? '-' : sentenceOf(account)],
              account === null ? (connection.status_reason ?? '-') : stateOf(account),
            ]),
          ),
  }),
})

/** Of `toolway connection`. */
export const accountCommands = [login, logout, accounts, own] as const
