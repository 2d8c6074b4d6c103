/**
 * `toolway export`, `toolway plan` and `toolway apply`: an installation as a declaration file, and a declaration file made true by the
 * operations of the admin interface. Values of secrets are never printed.
 */
import { writeFile } from 'node:fs/promises'
import { loadConfig } from '../../config.ts'
import { readConfigFile } from '../../config-file.ts'
import { applyPlan } from '../../declaration/apply.ts'
import { planOf, type Plan } from '../../declaration/plan.ts'
import { readOrganizations, readPlatformRules, readPresent, type Present } from '../../declaration/present.ts'
import type { Step } from '../../declaration/steps.ts'
import { written, type Written } from '../../declaration/written.ts'
import type { Common } from '../command-words.ts'
import { askLine } from '../terminal/terminal.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import type { Transport } from '../transport/transport.ts'
import { withTransport } from '../transport/with-transport.ts'

export interface ExportOptions extends Common {
  /** Every organization and the rules of the platform. */
  readonly all?: boolean
  readonly output?: string
}

export const exportFile = (options: ExportOptions, output: Output): Promise<number> =>
  withTransport(async (transport) => {
    const { text, variables, leftOut } = await exported(transport, options)
    if (options.output !== undefined) await writeNew(options.output, text)
    else if (!output.json) process.stdout.write(text)
    for (const what of leftOut) output.progress(`Left out: ${what}`)
    if (variables.length > 0) output.progress(`Secrets are read from the environment: ${variables.join(', ')}`)
    if (output.json) output.result({ file: text, variables, left_out: leftOut }, [])
    return EXIT.ok
  })

async function exported(transport: Transport, { all = false, organization }: ExportOptions): Promise<Written> {
  const { call } = transport
  const slugs = all ? (await readOrganizations(call)).map(({ slug }) => slug) : [organization]
  const organizations: Present[] = []
  for (const slug of slugs) organizations.push(await readPresent(call, slug))
  return written({ organizations, platformRules: all ? await readPlatformRules(call) : undefined })
}

/** Nothing that is there is overwritten. */
async function writeNew(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((thrown: NodeJS.ErrnoException) => {
    const reason = thrown.code === 'EEXIST' ? 'is there already' : `cannot be written (${thrown.code})`
    throw new CommandFault(`The file ${path} ${reason}: name another one.`)
  })
}

export interface PlanOptions {
  /** Remove what is there and is not in the file. */
  readonly prune?: boolean
}

export const showPlan = (file: string, options: PlanOptions, output: Output): Promise<number> =>
  withTransport(async (transport) => {
    const { steps, plan } = await planned(transport, file, options)
    output.result(
      { steps: steps.map(shown), unlisted: options.prune ? [] : plan.extra.map(shown), notes: plan.notes },
      [...linesOf(steps), ...afterwords(plan, options)],
    )
    return steps.length === 0 ? EXIT.ok : EXIT.changes
  })

export interface ApplyOptions extends PlanOptions {
  readonly yes?: boolean
}

export const applyFile = (file: string, options: ApplyOptions, output: Output): Promise<number> =>
  withTransport(async (transport) => {
    const { steps, plan } = await planned(transport, file, options)
    for (const line of [...linesOf(steps), ...afterwords(plan, options)]) output.progress(line)
    if (steps.length > 0 && options.yes !== true && !(await isConfirmed(steps.length)))
      throw new CommandFault('Nothing was changed.')
    const done: Step[] = []
    await applyPlan(transport.call, steps, (step) => void done.push(step)).catch((thrown: unknown) => {
      const next = steps[done.length]
      if (next !== undefined)
        output.progress(`${done.length} of ${steps.length} steps are done; refused at: ${wordsOf(next)}`)
      throw thrown
    })
    output.result({ steps: done.map(shown) }, [done.length === 0 ? 'Nothing to do.' : `Done: ${done.length} steps.`])
    return EXIT.ok
  })

async function planned({ call }: Transport, file: string, { prune = false }: PlanOptions) {
  const plan = await planOf(call, readConfigFile(file, loadConfig().lookup))
  return { plan, steps: prune ? [...plan.steps, ...plan.extra] : plan.steps }
}

async function isConfirmed(count: number): Promise<boolean> {
  const answer = await askLine(`Carry out ${count} ${count === 1 ? 'step' : 'steps'}? (yes/no)`)
  return /^y(?:es)?$/i.test(answer)
}

const shown = ({ action, organization, thing, name, fields }: Step) => ({
  action,
  organization: organization ?? null,
  thing,
  name,
  fields,
})

const wordsOf = ({ action, thing, name }: Step): string => `${action} ${thing} ${name}`

const linesOf = (steps: readonly Step[]): string[] =>
  steps.length === 0
    ? ['Nothing to do: everything is as the file says.']
    : table(
        ['ACTION', 'ORGANIZATION', 'KIND', 'NAME', 'CHANGES'],
        steps.map(({ action, organization = '(platform)', thing, name, fields }) => [
          ...[action, organization, thing, name, fields.join(', ')],
        ]),
      )

function afterwords({ extra, notes }: Plan, { prune = false }: PlanOptions): string[] {
  if (prune || extra.length === 0) return [...notes]
  const names = extra.map(({ thing, name }) => `${thing} ${name}`)
  return [...notes, `Not in the file, and left alone without --prune: ${names.join(', ')}`]
}
