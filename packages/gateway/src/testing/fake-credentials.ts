/** Accounts of callers at one server, kept in a list: opened at once, renewed by the next number, and counted. */
import { Fault } from '@toolway/contract'
import type {
  CallCredentials,
  CredentialAsking,
  OpenCredential,
  OwnCredentials,
} from '../snapshot/ports/credentials.ts'
import type { OpenedCredential } from '../upstreams/upstream.ts'

export interface FakeAccount {
  readonly account: string
  /** Of the member, the organization's without one. */
  readonly userId?: string
  readonly isDefault?: boolean
  /** Renewed so many times. */
  version?: number
  /** A person has to connect it anew. */
  dead?: boolean
}

export interface FakeCredentials extends CallCredentials {
  readonly accountList: FakeAccount[]
  readonly refusals: {
    readonly token: string | undefined
    readonly challenge: string | undefined
    readonly status: number
  }[]
  readonly own: OwnCredentials
  opened: number
}

export const tokenOf = ({ account, version = 1 }: FakeAccount): string => `secret-${account}-${version}`

export function createFakeCredentials(accountList: FakeAccount[], { optional = false } = {}): FakeCredentials {
  const held = new Map<string, OpenCredential>()
  const refusals: FakeCredentials['refusals'] = []
  const ownersOf = ({ principal }: Pick<CredentialAsking, 'principal'>) => {
    const own = accountList.filter(({ userId }) => userId !== undefined && userId === principal.userId)
    return own.length > 0 ? own : accountList.filter(({ userId }) => userId === undefined)
  }
  const openOf = (one: FakeAccount): OpenCredential => {
    const token = tokenOf(one)
    const before = held.get(token)
    if (before !== undefined) return before
    const made: OpenCredential = {
      id: `crd ${one.userId ?? 'shared'} ${one.account}`,
      version: one.version ?? 1,
      account: one.account,
      name: `${one.account}@example.com`,
      owner: one.userId === undefined ? 'organization' : 'member',
      headers: { Authorization: `Bearer ${token}` },
    }
    held.set(token, made)
    return made
  }
  const needed = (problem: string) =>
    new Fault('credential.needed', {
      connection: 'web',
      problem,
      link: 'https://gateway.example/connect/1',
      minutes: 10,
    })

  function choose(asking: CredentialAsking): FakeAccount | undefined {
    const all = ownersOf(asking)
    const names = all.map(({ account }) => account).join(', ')
    if (asking.account !== undefined) {
      const named = all.find(({ account }) => account === asking.account)
      if (named === undefined)
        throw new Fault('credential.account', { connection: 'web', account: asking.account, accounts: names })
      return named
    }
    const found = all.length === 1 ? all[0] : all.find(({ isDefault }) => isDefault)
    if (found === undefined && all.length > 1)
      throw new Fault('credential.ambiguous', { connection: 'web', accounts: names })
    return found
  }

  const fake: FakeCredentials = {
    accountList,
    refusals,
    opened: 0,
    open(asking) {
      fake.opened++
      if (asking.passThroughToken !== undefined)
        return {
          id: `brought ${asking.passThroughToken}`,
          version: 0,
          account: 'brought',
          name: undefined,
          owner: 'caller',
          headers: { authorization: `Bearer ${asking.passThroughToken}` },
        }
      const found = choose(asking)
      if (found?.dead === true) throw needed('it has to be reconnected')
      if (found === undefined && !optional) throw needed('nobody has connected one')
      return found && openOf(found)
    },
    async refused(asking, used, challenge, status) {
      await Promise.resolve()
      refusals.push({ token: used?.headers['Authorization'], challenge, status })
      const found = choose(asking)
      if (status === 403) throw needed('the server asks for more than it may')
      if (found === undefined || found.dead === true) throw needed('nobody has connected one')
      // A caller whose credential has been renewed by another in the meantime gets the renewed one.
      if (used === undefined || used.version === (found.version ?? 1)) found.version = (found.version ?? 1) + 1
      return openOf(found)
    },
    accounts(asking) {
      const all = ownersOf({ ...asking })
      return all
        .toSorted((a, b) => Number(b.isDefault === true) - Number(a.isDefault === true))
        .map(({ account }) => account)
    },
    accountsOf: async (asking) =>
      ownersOf(asking).map((one) => {
        const { id, account, name, owner } = openOf(one)
        return { id, account, name, owner, problem: one.dead === true ? 'it has run out' : undefined }
      }),
    credentialArrived: () => Promise.resolve(false),
    own: {
      watch: () => () => {},
      versions: async () => new Map(),
      open: (): OpenedCredential | undefined => {
        const found = accountList.find(({ userId }) => userId === undefined) ?? accountList[0]
        return found && openOf(found)
      },
      refused: async (_, __, used, challenge, status) => {
        await Promise.resolve()
        refusals.push({ token: used?.headers['Authorization'], challenge, status })
        const found = accountList.find(({ userId }) => userId === undefined) ?? accountList[0]
        if (found === undefined || found.dead === true) return false
        found.version = (found.version ?? 1) + 1
        return true
      },
    },
  }
  return fake
}
