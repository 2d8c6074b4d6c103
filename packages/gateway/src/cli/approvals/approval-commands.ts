/** What can be said of questions whether calls may be made: `toolway approval`. */
import { Command, Option } from 'commander'
import { APPROVAL_STATES, type ApprovalState } from '../../approvals/approvals.ts'
import { examples, outputOf, type Common, type Finish } from '../command-words.ts'

interface Answering extends Common {
  readonly note?: string
  readonly always?: boolean
}

export function approvalCommand(finish: Finish): Command {
  const command = new Command('approval').description('look at calls that wait for an approval, and answer them')
  command
    .command('list')
    .description('list the questions that wait for an answer, or those in another state')
    .addOption(new Option('--state <state>', 'in which state').choices([...APPROVAL_STATES]).default('pending'))
    .addHelpText('after', examples('toolway approval list', 'toolway approval list --state denied'))
    .action(async (options: Common & { state: ApprovalState }) =>
      finish(await (await import('./approval.ts')).list(options.state, options, outputOf(options))),
    )
  command
    .command('show')
    .description('show one question with the arguments of the call, as they would be sent')
    .argument('<id>', '`apr_…`, as the list and the refused call show it')
    .addHelpText('after', examples('toolway approval show apr_01m0000000000000000000000'))
    .action(async (id: string, options: Common) =>
      finish(await (await import('./approval.ts')).show(id, options, outputOf(options))),
    )
  for (const [name, verdict, does] of [
    ['grant', 'grant', 'let the call be made, once, with these very arguments'],
    ['deny', 'deny', 'refuse the call; its caller is told why'],
  ] as const) {
    const answer = command
      .command(name)
      .description(does)
      .argument('<id>', '`apr_…`, as the list and the refused call show it')
      .option('--note <text>', 'kept on record; the reason of a no is told to who calls')
    if (verdict === 'grant')
      answer.option('--always', 'also later calls of its caller to this tool, until the tool or the rule is another')
    answer
      .addHelpText('after', examples(`toolway approval ${name} apr_01m0000000000000000000000`))
      .action(async (id: string, options: Answering) => {
        const { note, always = false } = options
        finish(await (await import('./approval.ts')).answer({ id, verdict, note, always }, options, outputOf(options)))
      })
  }
  command
    .command('always')
    .description('list the tools that may always be called, by whom and by whose word')
    .addHelpText('after', examples('toolway approval always'))
    .action(async (options: Common) =>
      finish(await (await import('./approval.ts')).listAlways(options, outputOf(options))),
    )
  command
    .command('end')
    .description('end one of those: the next such call is asked about again')
    .argument('<id>', '`lgr_…`, as `toolway approval always` shows it')
    .addHelpText('after', examples('toolway approval end lgr_01m0000000000000000000000'))
    .action(async (id: string, options: Common) =>
      finish(await (await import('./approval.ts')).endAlways(id, options, outputOf(options))),
    )
  return command
}
