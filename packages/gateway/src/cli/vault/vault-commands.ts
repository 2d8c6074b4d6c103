/** Commands for the vault's keys: `toolway vault`. */
import { Command } from 'commander'
import { examples, outputOf, type Finish } from '../command-words.ts'

interface Json {
  json?: boolean
}

export function vaultCommand(finish: Finish): Command {
  const command = new Command('vault').description('the keys that secrets are sealed with: see, renew and drop them')
  command
    .command('status')
    .description('list the keys, where each comes from, and how many values are sealed with it')
    .addHelpText('after', examples('toolway vault status', 'toolway vault status --json'))
    .action(async (options: Json) => finish(await (await import('./vault.ts')).status(outputOf(options))))
  command
    .command('rotate')
    .description('seal everything with a new key while gateways go on; goes on where it was stopped')
    .addHelpText('after', examples('toolway vault rotate'))
    .action(async (options: Json) => finish(await (await import('./vault.ts')).rotate(outputOf(options))))
  command
    .command('retire')
    .description('drop a key that nothing is sealed with any more')
    .addHelpText('after', examples('toolway vault retire 770cc648dbf38480'))
    .argument('<key>', 'its id, as `toolway vault status` shows it')
    .action(async (key: string, options: Json) =>
      finish(await (await import('./vault.ts')).retire(key, outputOf(options))),
    )
  return command
}
