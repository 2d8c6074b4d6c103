/** What can be said of declaration files: `toolway export`, `toolway plan`, `toolway apply`. */
import { Command } from 'commander'
import { examples, outputOf, type Finish } from '../command-words.ts'
import type { ApplyOptions, ExportOptions, PlanOptions } from './declaration.ts'

interface Json {
  json?: boolean
}

export const exportCommand = (finish: Finish) =>
  new Command('export')
    .description('write what is there as a declaration file; secrets become references to environment variables')
    .option('--all', 'every organization, and the rules of the platform')
    .option('--output <file>', 'where to write it, instead of standard output')
    .addHelpText(
      'after',
      examples('toolway export', 'toolway export -o acme', 'toolway export --all --output toolway.yaml'),
    )
    .action(async (options: ExportOptions & Json) =>
      finish(await (await import('./declaration.ts')).exportFile(options, outputOf(options))),
    )

const PRUNE = 'remove connections, toolsets, groups, rules and webhooks that are not in the file'

export const planCommand = (finish: Finish) =>
  new Command('plan')
    .description(
      'show what a declaration file would change; nothing is changed (exit code 5: there is something to do)',
    )
    .argument('<file>', 'the declaration file')
    .option('--prune', PRUNE)
    .addHelpText('after', examples('toolway plan toolway.yaml', 'toolway plan toolway.yaml --prune --json'))
    .action(async (file: string, options: PlanOptions & Json) =>
      finish(await (await import('./declaration.ts')).showPlan(file, options, outputOf(options))),
    )

export const applyCommand = (finish: Finish) =>
  new Command('apply')
    .description('make an installation say what a declaration file says')
    .argument('<file>', 'the declaration file')
    .option('--prune', PRUNE)
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('toolway apply toolway.yaml', 'toolway apply toolway.yaml --prune --yes'))
    .action(async (file: string, options: ApplyOptions & Json) =>
      finish(await (await import('./declaration.ts')).applyFile(file, options, outputOf(options))),
    )
