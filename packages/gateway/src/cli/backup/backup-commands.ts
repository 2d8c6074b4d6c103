/** Commands for backups: `toolway backup`, `toolway backup verify`, `toolway restore`. */
import { Argument, Command } from 'commander'
import { examples, outputOf, type Finish } from '../command-words.ts'
import type { Given, Making } from './backup.ts'

interface Json {
  json?: boolean
}

const withPassphrase = (command: Command) =>
  command
    .option('--passphrase-file <file>', 'file with the passphrase in its first line')
    .option('--passphrase-env <name>', 'variable with the passphrase')

const withOpener = (command: Command) =>
  withPassphrase(command).option(
    '--identity-file <file>',
    'file with the private key (AGE-SECRET-KEY-1…) of a recipient',
  )

/** `toolway backup FILE|FOLDER`, which is `backup make` in full. */
export function backupCommand(finish: Finish): Command {
  const command = new Command('backup').description('keep all of an installation in one encrypted file')
  command.addCommand(
    withPassphrase(
      new Command('make').description('write a backup while gateways go on; this is what `toolway backup FILE` does'),
    )
      .addArgument(new Argument('<place>', 'a new file, or a folder that gets a file named by the time'))
      .option('--recipient <key...>', 'public key (age1…) of who may restore it, instead of a passphrase')
      .option('--with-key', 'put the vault key in as well: who opens the backup then opens every secret in it')
      .option('--keep <number>', 'remove all but this many of the newest backups in the folder', Number)
      .addHelpText(
        'after',
        examples(
          'toolway backup /backups/today.toolway',
          'toolway backup /backups --keep 14 --passphrase-file /etc/toolway/passphrase',
          'toolway backup /backups --recipient age1… --with-key',
        ),
      )
      .action(async (place: string, options: Making & Json) =>
        finish(await (await import('./backup.ts')).make(place, options, outputOf(options))),
      ),
    { isDefault: true },
  )
  command.addCommand(
    withOpener(new Command('verify').description('read a backup to its end and say what is in it'))
      .addArgument(new Argument('<file>', 'the backup'))
      .addHelpText('after', examples('toolway backup verify /backups/today.toolway'))
      .action(async (file: string, options: Given & Json) =>
        finish(await (await import('./backup.ts')).verify(file, options, outputOf(options))),
      ),
  )
  return command
}

export const restoreCommand = (finish: Finish): Command =>
  withOpener(new Command('restore').description('put a backup into an empty data directory or database'))
    .addArgument(new Argument('<file>', 'the backup'))
    .addHelpText(
      'after',
      examples(
        'TOOLWAY_DATA=/var/lib/toolway toolway restore /backups/today.toolway',
        'DATABASE_URL=postgresql://… toolway restore /backups/today.toolway --identity-file key.txt',
      ),
    )
    .action(async (file: string, options: Given & Json) =>
      finish(await (await import('./backup.ts')).restore(file, options, outputOf(options))),
    )
