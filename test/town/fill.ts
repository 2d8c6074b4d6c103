/**
 * Fills an opened installation with a town: each organization in one transaction, then its records in batches. What a person would
 * do by hand goes through the gateway's own code where it says how a row is formed (settings, seals, lists of tools, records).
 */
import { z } from 'zod'
import type { Db } from '../../packages/gateway/src/db/db.ts'
import { createPasswords } from '../../packages/gateway/src/identity/passwords.ts'
import { ensureOrganization, listOrganizations } from '../../packages/gateway/src/organizations/organizations.ts'
import type { Vault } from '../../packages/gateway/src/vault/vault.ts'
import { makeConnections } from './connections.ts'
import { makeAccounts, makeApprovals, makeRules, makeToolsets } from './governance.ts'
import { makeKeys, makePeople, type Making } from './people.ts'
import { createChance } from './random.ts'
import { makeRecords, type RecordsOf } from './records.ts'
import { organizationsOf, type OrganizationSize, type TownSize } from './size.ts'

export interface TownOptions {
  readonly size: TownSize
  /** The same seed and moment make the same rows; ids of records, hashes and seals differ. */
  readonly seed: number
  /** Milliseconds: the moment at which the town is. */
  readonly now: number
  /** Of `admin@<organization>.example`, who administers that organization, and of `meridian` the platform too. */
  readonly password: string
  /** Where the street listens (`street.ts`). */
  readonly port: number
  /** Called with what is there now, and how many of how many records. */
  onProgress?(text: string): void
}

/** An organization of the town is there already: nothing was written. */
export class TownStands extends Error {}

/** Records between two lines of progress. */
const STEP = 100_000

interface Installation {
  readonly db: Db
  readonly vault: Vault
}

/** Throws TownStands. */
export async function fillTown({ db, vault }: Installation, options: TownOptions): Promise<void> {
  const { size, seed, now, password, port, onProgress = () => {} } = options
  const organizations = organizationsOf(size)
  const there = new Set((await db.system(listOrganizations)).map(({ slug }) => slug))
  const standing = organizations.find(({ slug }) => there.has(slug))
  if (standing !== undefined) throw new TownStands(`There is an organization ${standing.slug} already.`)
  const hash = await createPasswords({ shortest: 12 }).hash(password)
  let stored = 0
  for (const [at, own] of organizations.entries()) {
    const chance = createChance(seed + at)
    const { organization, town } = await db.system(async (sql) => {
      const { id } = await ensureOrganization(sql, own.slug, own.name, 'administration')
      const making: Making = { sql, vault, chance, organization: { ...own, id }, now }
      return { organization: making.organization, town: await makeOrganization(making, hash, port) }
    })
    onProgress(`${own.name}: ${wordsOf(own)}`)
    await makeRecords(db, { vault, chance, organization, now }, town, (count) => {
      const before = stored
      stored += count
      const whole = stored === size.records
      if (whole || Math.floor(before / STEP) < Math.floor(stored / STEP))
        onProgress(`${stored} of ${size.records} records`)
    })
  }
  // Without it the planner takes every table for an empty one until the database looks by itself, a minute later.
  await db.system((sql) => sql(z.object({}))`analyze`)
}

async function makeOrganization(making: Making, password: string, port: number): Promise<RecordsOf> {
  const people = await makePeople(making, password)
  const keys = await makeKeys(making, people)
  const connections = await makeConnections(making, port)
  const town = { people, connections }
  await makeToolsets(making, town)
  await makeRules(making, town)
  await makeApprovals(making, town)
  await makeAccounts(making, town)
  return { people, keys, connections }
}

const wordsOf = (own: OrganizationSize): string =>
  (['members', 'groups', 'connections', 'tools', 'keys', 'rules', 'approvals'] as const)
    .map((name) => `${own[name]} ${name}`)
    .join(', ')
