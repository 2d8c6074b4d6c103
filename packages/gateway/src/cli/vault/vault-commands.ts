/** Commands for the vault's keys: `toolway vault`. */
import { Command } from 'commander'
import { examples, outputOf, type Finish } from '../command-words.ts'

interface Json {
  json?: boolean
}

export function vaultCommand(finish: Finish): Command {
  const command = new Command('vault').description('show, rotate and retire the keys that encrypt secrets')
  command
    .command('status')
    .description('list the keys, where each comes from, and how many values are encrypted with it')
    .addHelpText('after', examples('toolway vault status', 'toolway vault status --json'))
    .action(async (options: Json) => finish(await (await import('./vault.ts')).status(outputOf(options))))
  command
    .command('rotate')
    .description(
      're-encrypt everything with a new key while the gateways keep running; resumes an interrupted rotation',
    )
    .addHelpText('after', examples('toolway vault rotate'))
    .action(async (options: Json) => finish(await (await import('./vault.ts')).rotate(outputOf(options))))
  command
    .command('retire')
    .description('remove a key that no value is encrypted with')
    .addHelpText('after', examples('toolway vault retire 770cc648dbf38480'))
    .argument('<key>', 'key ID, as shown by `toolway vault status`')
    .action(async (key: string, options: Json) =>
      finish(await (await import('./vault.ts')).retire(key, outputOf(options))),
    )
  return command
}
