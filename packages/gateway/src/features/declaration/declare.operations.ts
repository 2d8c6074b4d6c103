/**
 * A start makes the database as the declaration file says, by the plan and the operations that `toolway apply` uses, all of an organization
 * in one transaction. What the file no longer names is removed, and what came from elsewhere is left alone.
 */
import { Fault } from '@toolway/contract'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Db, OrgSql, SystemSql } from '../../db/db.ts'
import { OPERATOR } from '../../identity/principal.ts'
import { endUntold } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { inOrganizationBatch, inPlatformBatch, type Batch, type Batches } from '../../operations/batch.ts'
import type { Caller } from '../../operations/carry-out.ts'
import type { Served } from '../../operations/serve.ts'
import { findOrganizations, listOrganizationsWith, type OrganizationRow } from '../../organizations/organizations.ts'
import { listPlatformRules } from '../../policy/stored/platform-rules.ts'
import { inForce, storedOfPlatform } from '../../policy/stored/rules-in-force.ts'
import { INSTALLATION } from '../../snapshot/installation.ts'
import type { Vault } from '../../vault/vault.ts'
import { connectionOperations, lockOperations, type ConnectionOperationParts } from '../connections/index.ts'
import { unreadOpenApiOperations, type OpenApiParts } from '../openapi/index.ts'
import {
  groupOperations,
  organizationEgressOperations,
  organizationOperations,
  type OrganizationParts,
} from '../organizations/index.ts'
import {
  organizationRuleOperations,
  platformRuleOperations,
  platformRulesIn,
  toPlatformRule,
  type RuleParts,
} from '../rules/index.ts'
import { signInOperations, type SignInParts } from '../identity-providers/index.ts'
import { operations as toolsetOperations } from '../toolsets/index.ts'
import { operations as webhookOperations, type WebhookParts } from '../webhooks/index.ts'
import { applyPlan } from './apply.ts'
import type { Call } from './call.ts'
import { DeclarationConflict } from './conflict.ts'
import type { Declared, DeclaredProvider } from './declared.ts'
import { declareKeys } from './declare-keys.ts'
import { declaredPlatformProviders, declaredPlatformRules, planInside, planPlatformProviders } from './plan.ts'
import { planPlatformRules } from './plan-rules.ts'
import { planSections } from './plan-sections.ts'
import { readContent, readProviders } from './present-rows.ts'
import { START, type Step } from './steps.ts'

type Parts = ConnectionOperationParts & OpenApiParts & OrganizationParts & RuleParts & WebhookParts & SignInParts

/** The operations of plans. */
const OPERATIONS: readonly Served<Parts>[] = [
  ...organizationOperations,
  ...organizationEgressOperations,
  ...platformRuleOperations,
  ...organizationRuleOperations,
  ...connectionOperations,
  ...lockOperations,
  ...unreadOpenApiOperations,
  ...groupOperations,
  ...toolsetOperations,
  ...webhookOperations,
  ...signInOperations,
]

export interface DeclareParts {
  readonly db: Db
  readonly vault: Vault
  /** Requests per minute of an organization that has set none; 0: unlimited. */
  readonly requestsPerMinute: number
  /** Folders below which connections may allow paths; none: where the platform wants. */
  readonly roots: readonly string[]
}

/** The author of the file is not known here. */
const createCaller = (): Caller => ({
  principal: { ...OPERATOR, id: 'declaration file' },
  actor: {
    id: 'declaration file',
    type: 'system',
    keyId: undefined,
    address: undefined,
    userAgent: undefined,
    correlationId: randomUUID(),
  },
  origin: 'file',
})

const absent = (): never => {
  throw new Error('an operation used a part that a start does not have')
}

function createBatches({ db, vault, requestsPerMinute, roots }: DeclareParts, platform: Platform): Batches<Parts> {
  return {
    operations: OPERATIONS,
    caller: createCaller(),
    parts: {
      ...{ db, vault, requestsPerMinute },
      accounts: { find: absent, findByEmail: absent, load: absent },
      platformRules: (organization) => platformRulesIn(platform.rules, organization),
      rules: { refresh: () => Promise.resolve() },
      connect: { apps: { vendorAuthority: absent, hasGlobalApp: absent } },
      runtime: { roots },
      // No authorization server can be asked before the gateway stands.
      credentials: { endIn: endUntold, ended: () => Promise.resolve([]) },
      sync: absent,
      sendWebhook: absent,
      // Answers are not made here.
      ...{ publicUrl: () => '', environmentProvider: undefined, findTxtRecords: absent },
    },
  }
}

type Platform = Pick<ReturnType<typeof inForce>, 'rules'>

export async function declare(parts: DeclareParts, declarations: readonly Declared[]): Promise<void> {
  const lifting = await declarePlatform(parts, declarations)
  const platform = await readPlatform(parts.db)
  const organizations = await findDeclared(parts.db, declarations)
  for (const declared of declarations) {
    const organization = organizations.get(declared.slug)
    if (organization === undefined) throw new Error(`the organization ${declared.slug} was removed meanwhile`)
    await declareOrganization(parts, platform, organization, declared)
  }
  // Their mappings name organizations, which are there now.
  const providers = declaredPlatformProviders(declarations)
  if (providers !== undefined) await declareProviders(parts, providers)
  // Exceptions of the platform may lift rules of organizations, which are there now.
  if (lifting.length > 0) await inPlatformBatch(createBatches(parts, platform), (batch) => carryOut(batch, lifting))
}

/** Identity providers of the installation. */
const declareProviders = (parts: DeclareParts, declared: readonly DeclaredProvider[]): Promise<void> =>
  inPlatformBatch(createBatches(parts, { rules: [] }), async (batch, sql) => {
    await lock(sql, 'platform')
    const present = await readProviders(sql, parts.vault, INSTALLATION)
    const { steps, undeclared } = planPlatformProviders(START, declared, present)
    await carryOut(batch, [...undeclared, ...steps])
  })

/**
 * Takes back what the file gave to organizations that it no longer names, above all their keys, and the rules of the platform where it
 * has none any more. The organizations stay, as their records do.
 */
export async function withdraw(parts: DeclareParts, declarations: readonly Declared[]): Promise<void> {
  if (declaredPlatformRules(declarations) === undefined)
    await declarePlatform(
      parts,
      [{ ...emptyDeclarationOf({ slug: '', name: undefined }), platform: { rules: [] } }],
      [],
    )
  if (declaredPlatformProviders(declarations) === undefined) await declareProviders(parts, [])
  const platform = await readPlatform(parts.db)
  const named = new Set(declarations.map(({ slug }) => slug))
  // Each is a transaction of many statements, so those with nothing to take back are left out: of thousands, nearly all.
  for (const organization of await parts.db.system((sql) => listOrganizationsWith(sql, 'file')))
    if (!named.has(organization.slug))
      await declareOrganization(parts, platform, organization, emptyDeclarationOf(organization))
}

const emptyDeclarationOf = ({ slug, name }: Pick<Declared, 'slug' | 'name'>): Declared => ({
  ...{ slug, name, connections: [], toolsets: [], keys: [] },
})

/**
 * Rules of the platform, and organizations with their sections. Returns the steps for exceptions from rules, which come last.
 * `organizations`: those whose sections are declared.
 */
async function declarePlatform(
  parts: DeclareParts,
  declarations: readonly Declared[],
  organizations: readonly Declared[] = declarations,
): Promise<readonly Step[]> {
  const rules = declaredPlatformRules(declarations)
  return inPlatformBatch(createBatches(parts, { rules: [] }), async (batch, sql) => {
    await lock(sql, 'platform')
    const known = new Map(
      (
        await findOrganizations(
          sql,
          organizations.map(({ slug }) => slug),
        )
      ).map((row) => [row.slug, row]),
    )
    const stored = rules === undefined ? [] : (await listPlatformRules(sql)).map(toPlatformRule)
    const plan = planPlatformRules(START, stored, rules ?? [], [])
    const sections = organizations.flatMap((declared) => {
      const organization = known.get(declared.slug)
      return planSections(declared, organization && { organization, egress: organization.egress })
    })
    await carryOut(
      batch,
      [...plan.undeclared, ...plan.steps, ...sections].map((step) => ({ ...step, after: [] })),
    )
    return plan.steps.flatMap((step) => (step.after === undefined ? [] : [{ ...step, acts: step.after, after: [] }]))
  })
}

async function readPlatform(db: Db): Promise<Platform> {
  return inForce((await db.system(listPlatformRules)).map(storedOfPlatform))
}

const findDeclared = async (
  db: Db,
  declarations: readonly Declared[],
): Promise<ReadonlyMap<string, OrganizationRow>> => {
  const slugs = declarations.map(({ slug }) => slug)
  return new Map((await db.system((sql) => findOrganizations(sql, slugs))).map((row) => [row.slug, row]))
}

async function declareOrganization(
  parts: DeclareParts,
  platform: Platform,
  organization: OrganizationRow,
  declared: Declared,
): Promise<void> {
  const { vault } = parts
  await inOrganizationBatch(createBatches(parts, platform), organization, async (batch, sql) => {
    await lock(sql, organization.id)
    const { steps, undeclared } = await planInside(
      readingOf(batch),
      START,
      declared,
      await readContent(sql, vault, organization),
    )
    await carryOut(batch, [...undeclared, ...steps])
    for (const change of await declareKeys({ sql, vault, organizationId: organization.id }, declared.keys))
      batch.record(change)
  })
}

/** Two gateways that start with one file do so one after the other. */
const lock = (sql: OrgSql | SystemSql, name: string) =>
  sql(z.object({}))`select from pg_advisory_xact_lock(hashtextextended(${`declaration of ${name}`}, 0))`

/** A plan asks for a connection only. */
const readingOf =
  (batch: Batch): Call =>
  (operation, input) =>
    worded('connection', input.params?.['connection'] ?? '', batch.read(operation, input)) as never

const carryOut = (batch: Batch, steps: readonly Step[]): Promise<void> =>
  applyPlan(({ operation, ...input }, { thing, name }) => worded(thing, name, batch.change(operation, input)), steps)

/** A refusal of an operation, as it concerns the file. */
const worded = <T>(thing: string, name: string, work: Promise<T>): Promise<T> =>
  work.catch((thrown: unknown) => {
    throw thrown instanceof Fault
      ? new DeclarationConflict(`The declaration file's ${thing} "${name}" is not valid: ${problemOf(thrown)}`)
      : thrown
  })

/** What is wrong, at its place in the file where the operation names a place of its input. */
const problemOf = ({ code, facts, message }: Fault): string =>
  code === 'body.shape' ? `${String(facts['place']).slice(1)} ${String(facts['problem'])}.` : message
