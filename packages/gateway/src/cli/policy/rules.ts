/** `toolway policy …`: rules of an organization, or of the platform, on the local store. Gateways that run hear of what it changes. */
import { Fault, RuleWords, type RuleState } from '@toolway/contract'
import { NewOrganizationRule, type FullRuleChange, type KeptRule } from '@toolway/contract/admin'
import { changeOf, toOrganizationRule, toPlacedRule, toPlatformRule } from '../../admin/policy/rule-words.ts'
import {
  eraseOrganizationRule,
  rewriteOrganizationRule,
  writeOrganizationRule,
  writtenOfRow as writtenOfOwn,
} from '../../admin/policy/write-organization-rules.ts'
import {
  erasePlatformRule,
  rewritePlatformRule,
  writePlatformRule,
  writtenOfRow as writtenOfPlatform,
} from '../../admin/policy/write-platform-rules.ts'
import { toolsOf as knownToolsOf } from '../../admin/policy/tools-of.ts'
import { listCatalogs } from '../../catalog/catalogs.ts'
import { listToolStates } from '../../connections/tool-states.ts'
import { listConnections } from '../../connections/connections.ts'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { nearestNames } from '../../lib/nearest.ts'
import { patternOf } from '../../lib/pattern.ts'
import { readWords } from '../../policy/kept/check-rule.ts'
import { listOrganizationRules, type OrganizationRuleRow } from '../../policy/kept/organization-rules.ts'
import { listPlatformRules, type PlatformRuleRow } from '../../policy/kept/platform-rules.ts'
import { keptOfToolsets } from '../../policy/kept/rules-in-force.ts'
import { recordChange } from '../../records/change.ts'
import { listToolsets } from '../../toolsets/toolsets.ts'
import { ownActor } from '../own-actor.ts'
import { withInstallation, withStore } from '../store.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import { readRuleFile, type FileRule } from './rule-file.ts'
import { ruleOfFlags, type RuleFlags } from './rule-flags.ts'

export interface PolicyPlace {
  readonly organization: string
  /** Of the whole installation, and not of one organization. */
  readonly platform?: boolean
}

/** What a new rule is of, where it is of something within its organization. */
export interface ScopeFlags {
  readonly toolset?: string
  readonly connection?: string
  readonly member?: string
  readonly key?: string
}

const ORIGIN = { origin: 'command line', createdBy: 'command line' }
const usage = (message: string) => new CommandFault(message, EXIT.usage)

/** A fault of the admin interface, as a command says it. */
async function worded<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    const { place, problem } = thrown.facts
    // Nobody sent a request: it is the rule that does not fit.
    throw new CommandFault(
      thrown.code === 'body.shape' ? `The rule does not fit: ${place} ${problem}.` : `${thrown.message} ${thrown.mend}`,
    )
  }
}

const inPlatform = <T>(work: (sql: SystemSql) => Promise<T>): Promise<T> =>
  withInstallation(({ db }) => worded(db.system(work)))

interface Within {
  readonly sql: OrgSql
  readonly organizationId: Parameters<typeof recordChange>[2] & string
  /** The platform's rules that speak of the organization. */
  readonly above: readonly PlatformRuleRow[]
  readonly platform: readonly string[]
}

const inOrganization = <T>({ organization: slug }: PolicyPlace, work: (within: Within) => Promise<T>): Promise<T> =>
  withStore(slug, async ({ db, organization }) => {
    const above = (await db.system(listPlatformRules)).filter(({ match }) => {
      const { organizations } = match as { organizations?: unknown }
      return !Array.isArray(organizations) || organizations.includes(slug)
    })
    const platform = above.map(({ name }) => name)
    const { id: organizationId } = organization
    return worded(db.organization(organizationId, (sql) => work({ sql, organizationId, above, platform })))
  })

const notePlatform = (sql: SystemSql, action: string, row: PlatformRuleRow) =>
  recordChange(sql, ownActor(), undefined, changeOf(action, row.id, 'platform', undefined, writtenOfPlatform(row)))
const noteOwn = ({ sql, organizationId }: Within, action: string, row: OrganizationRuleRow) =>
  recordChange(
    sql,
    ownActor(),
    organizationId,
    changeOf(action, row.id, row.scope, row.of ?? undefined, writtenOfOwn(row)),
  )

/** Everything that holds in an organization, from the outermost scope inwards as far as the store knows it. */
async function listIn({ sql, above }: Within): Promise<KeptRule[]> {
  return [
    ...above.map(toPlatformRule),
    ...(await listOrganizationRules(sql)).map(toOrganizationRule),
    ...keptOfToolsets(await listToolsets(sql)).map((kept) => toPlacedRule(kept, 'toolset')),
  ]
}

const toolsOf = ({ match }: KeptRule): string => {
  const { tools } = match
  return Array.isArray(tools) ? tools.map(String).join(', ') : '*'
}

export async function list(place: PolicyPlace, output: Output): Promise<number> {
  const rules =
    place.platform === true
      ? await inPlatform(async (sql) => (await listPlatformRules(sql)).map(toPlatformRule))
      : await inOrganization(place, listIn)
  output.result(
    rules,
    rules.length === 0
      ? ['No rules yet: `toolway policy add --help`.']
      : table(
          ['NAME', 'SCOPE', 'ACTION', 'STATE', 'TOOLS', 'REASON'],
          rules.map((rule) => [
            ...[rule.name, rule.of === null ? rule.scope : `${rule.scope} ${rule.of}`, rule.action],
            ...[rule.problem === null ? rule.state : 'unreadable', toolsOf(rule), rule.problem ?? rule.reason],
          ]),
        ),
  )
  return EXIT.ok
}

function scopeOf(flags: ScopeFlags): Partial<Pick<NewOrganizationRule, 'scope' | 'of'>> {
  const said = (['toolset', 'connection', 'member', 'key'] as const).filter((scope) => flags[scope] !== undefined)
  const [scope, ...others] = said
  if (others.length > 0) throw usage(`A rule is of one thing: not --${said.join(' and --')}.`)
  return scope === undefined ? {} : { scope, of: flags[scope] ?? '' }
}

/** The rules of the file, or the one that the flags say. Nothing is added unless all of them can be. */
async function wishes(file: string | undefined, flags: RuleFlags, platform: boolean): Promise<FileRule[]> {
  const written = ruleOfFlags(flags)
  if (file !== undefined && written !== undefined) throw usage('Give a file or flags, not both.')
  if (file !== undefined) return readRuleFile(file, platform)
  if (written === undefined)
    throw usage("Say what the rule does: --block 'git__*', --clamp 'search:limit<=50', … or name a file.")
  const read = readWords(written)
  if ('words' in read) return [read.words]
  const [first] = read.problems
  throw usage(`The rule does not fit: ${first?.place ?? ''} ${first?.problem ?? ''}.`)
}

export async function add(
  file: string | undefined,
  flags: RuleFlags & ScopeFlags,
  place: PolicyPlace,
  output: Output,
): Promise<number> {
  const platform = place.platform === true
  const scope = scopeOf(flags)
  if (platform && scope.scope !== undefined) throw usage(`A rule of the platform is of no ${scope.scope}.`)
  const wanted = await wishes(file, flags, platform)
  const idle: string[] = []
  const added = platform
    ? await inPlatform(async (sql) => {
        const rows: KeptRule[] = []
        for (const words of wanted) {
          const row = await writePlatformRule(sql, RuleWords.parse(words), ORIGIN)
          await notePlatform(sql, 'rule.add', row)
          rows.push(toPlatformRule(row))
        }
        return rows
      })
    : await inOrganization(place, async (within) => {
        const rows: KeptRule[] = []
        for (const words of wanted) {
          const rule = NewOrganizationRule.parse({ ...words, ...scope })
          const row = await writeOrganizationRule(within.sql, rule, { ...within, ...ORIGIN })
          await noteOwn(within, 'rule.add', row)
          rows.push(toOrganizationRule(row))
        }
        idle.push(...(await idlePatterns(within.sql, rows)))
        return rows
      })
  const where = platform ? 'in every organization' : `in ${place.organization}`
  output.result(added.length === 1 ? added[0] : added, [
    ...added.map(({ name, action, state, id }) =>
      state === 'on'
        ? `${name} (${action}, ${id}) holds ${where} from now on.`
        : `${name} (${action}, ${id}) is ${state}.`,
    ),
    ...idle.map((glob) => `No tool that is known now fits ${glob}; \`toolway tools\` lists them.`),
  ])
  return EXIT.ok
}

/** Patterns that fit no tool: right where tools are still to come, else a slip that would silently hold for nothing. */
async function idlePatterns(sql: OrgSql, rules: readonly KeptRule[]): Promise<string[]> {
  const catalogs = new Map((await listCatalogs(sql)).map((one) => [one.connection_id, one]))
  const known = knownToolsOf({ connections: await listConnections(sql), catalogs, states: await listToolStates(sql) })
  const names = known.names.flatMap((name) => {
    const { facts } = known.joined(name) ?? {}
    return facts === undefined ? [] : [facts.name.toLowerCase(), facts.joined.toLowerCase()]
  })
  const globs = rules.flatMap(({ match: { tools } }) => (Array.isArray(tools) ? tools.map(String) : []))
  return [...new Set(globs)].filter((glob) => !names.some(patternOf(glob.toLowerCase())))
}

/** By name or id. Throws with the names that may have been meant. */
function pick(rules: readonly KeptRule[], named: string, where: string): KeptRule {
  const found = rules.filter(({ id, name }) => id === named || name === named)
  const [only, ...others] = found
  if (only === undefined) {
    const near = nearestNames(
      named,
      rules.map(({ name }) => name),
    )
    const guess = near.length === 0 ? '' : ` Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`
    throw new CommandFault(`There is no rule "${named}" ${where}.${guess} \`toolway policy list\` shows them.`)
  }
  if (others.length > 0)
    throw usage(
      `Several rules are called "${named}": take the id of one of them, ${found.map(({ id }) => id).join(' or ')}.`,
    )
  return only
}

const where = ({ platform, organization }: PolicyPlace) =>
  platform === true ? 'of the platform' : `in the organization ${organization}`

export async function show(named: string, place: PolicyPlace, output: Output): Promise<number> {
  const rules =
    place.platform === true
      ? await inPlatform(async (sql) => (await listPlatformRules(sql)).map(toPlatformRule))
      : await inOrganization(place, listIn)
  const rule = pick(rules, named, where(place))
  const { stringify } = await import('yaml')
  output.result(rule, stringify(rule).trimEnd().split('\n'))
  return EXIT.ok
}

async function rewrite(named: string, change: FullRuleChange, place: PolicyPlace): Promise<KeptRule> {
  if (place.platform === true)
    return inPlatform(async (sql) => {
      const { id } = pick((await listPlatformRules(sql)).map(toPlatformRule), named, where(place))
      const row = await rewritePlatformRule(sql, id, change)
      await notePlatform(sql, 'rule.change', row)
      return toPlatformRule(row)
    })
  return inOrganization(place, async (within) => {
    const { id } = own(pick(await listIn(within), named, where(place)))
    const row = await rewriteOrganizationRule(within.sql, id, change, within)
    await noteOwn(within, 'rule.change', row)
    return toOrganizationRule(row)
  })
}

function own(rule: KeptRule): KeptRule {
  if (rule.scope === 'platform')
    throw new CommandFault(`"${rule.name}" is a rule of the platform: say --platform to change it for everybody.`)
  if (rule.origin === 'toolset')
    throw new CommandFault(`"${rule.name}" stands in the toolset ${rule.of}: change it there.`)
  return rule
}

export interface ChangeFlags {
  readonly name?: string
  readonly reason?: string
  readonly state?: RuleState
  readonly tools?: readonly string[]
  readonly when?: string
  /** JSON, or a file of it after `@`. */
  readonly parameters?: string
}

export async function change(named: string, flags: ChangeFlags, place: PolicyPlace, output: Output): Promise<number> {
  const { name, reason, state, tools, when, parameters } = flags
  const held = await found(named, place)
  const match = {
    ...held.match,
    ...(tools === undefined ? {} : { tools: [...tools] }),
    ...(when === undefined ? {} : { when }),
  }
  const next: FullRuleChange = {
    ...(name === undefined ? {} : { name }),
    ...(reason === undefined ? {} : { reason }),
    ...(state === undefined ? {} : { state }),
    ...(tools === undefined && when === undefined ? {} : { match }),
    ...(parameters === undefined ? {} : { parameters: { ...held.parameters, ...objectOf(parameters) } }),
  }
  if (Object.keys(next).length === 0) throw usage('Say what is to change: --reason, --tools, --when, --state, …')
  const rule = await rewrite(held.id, next, place)
  output.result(rule, [`${rule.name} says so from now on (${rule.state}).`])
  return EXIT.ok
}

const found = async (named: string, place: PolicyPlace): Promise<KeptRule> =>
  pick(
    place.platform === true
      ? await inPlatform(async (sql) => (await listPlatformRules(sql)).map(toPlatformRule))
      : await inOrganization(place, listIn),
    named,
    where(place),
  )

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Said below.
  }
  throw usage(`--parameters is a JSON object, as in '{"max": 20}'; what it does not name stays.`)
}

export async function setState(named: string, state: RuleState, place: PolicyPlace, output: Output): Promise<number> {
  const rule = await rewrite(named, { state }, place)
  output.result(rule, [rule.state === 'on' ? `${rule.name} holds from now on.` : `${rule.name} is ${rule.state}.`])
  return EXIT.ok
}

export async function remove(named: string, place: PolicyPlace, output: Output): Promise<number> {
  const removed =
    place.platform === true
      ? await inPlatform(async (sql) => {
          const { id } = pick((await listPlatformRules(sql)).map(toPlatformRule), named, where(place))
          const row = await erasePlatformRule(sql, id)
          await notePlatform(sql, 'rule.remove', row)
          return toPlatformRule(row)
        })
      : await inOrganization(place, async (within) => {
          const { id } = own(pick(await listIn(within), named, where(place)))
          const row = await eraseOrganizationRule(within.sql, id)
          await noteOwn(within, 'rule.remove', row)
          return toOrganizationRule(row)
        })
  output.result({ removed: removed.id }, [`Removed ${removed.name} (${removed.action} ${toolsOf(removed)}).`])
  return EXIT.ok
}
