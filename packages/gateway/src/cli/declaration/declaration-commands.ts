/**
 * `toolway export`, `toolway plan` and `toolway apply`: an installation as a declaration file, and a declaration file made true by the
 * operations of the admin interface. Values of secrets are never printed.
 */
import { Argument, Option } from 'commander'
import type { Plan, Step } from '../../features/declaration/index.ts'
import { describeCommand, type Printed } from '../command.ts'
import { EXIT, table } from '../terminal/output.ts'
import type { ApplyWords, ExportWords, PlanWords } from './declaration.ts'

const load = () => import('./declaration.ts')

export const exportCommand = describeCommand({
  name: 'export',
  about: 'write the current configuration to a declaration file; secrets become references to environment variables',
  options: [
    new Option('--all', 'every organization, and the platform rules'),
    new Option('--output <file>', 'where to write it, instead of standard output'),
  ],
  examples: ['toolway export', 'toolway export -o acme', 'toolway export --all --output toolway.yaml'],
  call: async (transport, words: ExportWords, output) => (await load()).exportFile(transport, words, output),
  print: ({ text, variables, leftOut, isWritten }): Printed => ({
    value: { file: text, variables, left_out: leftOut },
    lines: isWritten ? [] : text.trimEnd().split('\n'),
    notes: [
      ...leftOut.map((what) => `Left out: ${what}`),
      ...(variables.length === 0
        ? []
        : [`Environment variables that must be set for the secrets in this file: ${variables.join(', ')}`]),
    ],
  }),
})

const file = new Argument('<file>', 'the declaration file')
const prune = new Option(
  '--prune',
  'remove connections, toolsets, groups, rules, webhooks, identity providers and email domains that are not in the file',
)

export const planCommand = describeCommand({
  name: 'plan',
  about: 'show what a declaration file would change, without changing anything (exit code 5: changes are pending)',
  arguments: [file],
  options: [prune],
  examples: ['toolway plan toolway.yaml', 'toolway plan toolway.yaml --prune --json'],
  call: async (transport, words: PlanWords) => (await load()).planFile(transport, words),
  print: (plan): Printed => ({
    value: { steps: plan.steps.map(shownStep), unlisted: plan.extra.map(shownStep), notes: plan.notes },
    lines: linesOf(plan),
    code: plan.steps.length === 0 ? EXIT.ok : EXIT.changes,
  }),
})

export const applyCommand = describeCommand({
  name: 'apply',
  about: 'change an installation to match a declaration file',
  arguments: [file],
  options: [
    prune,
    new Option('--yes', 'do not ask for confirmation'),
    new Option('--force', 'accept rules whose patterns match no known tool, for tools that do not exist yet'),
  ],
  examples: ['toolway apply toolway.yaml', 'toolway apply toolway.yaml --prune --yes'],
  call: async (transport, words: ApplyWords, output) => {
    const { applyFile, planFile } = await load()
    const plan = await planFile(transport, words)
    for (const line of linesOf(plan)) output.progress(line)
    await applyFile(transport, plan, words, output)
    return plan
  },
  print: ({ steps }): Printed => ({
    value: { steps: steps.map(shownStep) },
    lines: steps.length === 0 ? [] : [`Steps done: ${steps.length}.`],
  }),
})

const shownStep = ({ action, organization, thing, name, fields }: Step) => ({
  ...{ action, organization: organization ?? null, thing, name, fields },
})

function linesOf({ steps, extra, notes }: Plan): string[] {
  const rows = steps.map(({ action, organization = '(platform)', thing, name, fields }) => [
    ...[action, organization, thing, name, fields.join(', ')],
  ])
  const names = extra.map(({ thing, name }) => `${thing} ${name}`)
  return [
    ...(steps.length === 0 ? ['No changes: everything matches the file.'] : []),
    ...(steps.length === 0 ? [] : table(['ACTION', 'ORGANIZATION', 'KIND', 'NAME', 'CHANGES'], rows)),
    ...notes,
    ...(names.length === 0 ? [] : [`Not in the file, but kept unless you use --prune: ${names.join(', ')}`]),
  ]
}
