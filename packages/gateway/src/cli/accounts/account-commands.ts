/** How a remote server is let in at, as `toolway connection add` says it. */
import { Option, type Command } from 'commander'

const collect = (value: string, before: string[]) => [...before, value]

export const withAuth = (command: Command): Command =>
  command
    .addOption(
      new Option('--auth <kind>', 'how it lets us in: oauth (people connect an account), key, none, or auto').choices([
        'auto',
        'none',
        'oauth',
        'key',
      ]),
    )
    .option('--owners <owners>', 'whose accounts it may use: member, organization, or both with a comma')
    .addOption(new Option('--accounts <number>', 'how many accounts a member may have').choices(['one', 'many']))
    .option('--scope <scope>', 'ask for this instead of what the server names; may be repeated', collect, [])
    .option('--provider <name>', 'the vendor whose OAuth it uses, such as github')
