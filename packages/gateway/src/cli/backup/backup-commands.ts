/** Commands for backups: `toolway backup`, `toolway backup verify`, `toolway restore`. */
import { Argument, Command } from 'commander'
import { examples, outputOf, type Finish } from '../command-words.ts'
import type { Given, BackupParameters } from './backup.ts'

interface Json {
  json?: boolean
}

const withPassphrase = (command: Command) =>
  command
    .option('--passphrase-file <file>', 'file whose first line is the passphrase')
    .option('--passphrase-env <name>', 'environment variable with the passphrase')

const withOpener = (command: Command) =>
  withPassphrase(command).option(
    '--identity-file <file>',
    'file with the private key (AGE-SECRET-KEY-1…) of a recipient',
  )

/** `toolway backup FILE|FOLDER`, which is `backup make` in full. */
export function backupCommand(finish: Finish): Command {
  const command = new Command('backup').description('back up an installation to one encrypted file')
  command.addCommand(
    withPassphrase(
      new Command('make').description(
        'write a backup while the gateways keep running; `toolway backup FILE` does the same',
      ),
    )
      .addArgument(new Argument('<place>', 'a new file, or a folder in which the file is named after the current time'))
      .option('--recipient <key...>', 'public key (age1…) of a recipient who may restore it, instead of a passphrase')
      .option('--with-key', 'include the vault key: anyone who can open the backup can then open every secret in it')
      .option('--keep <number>', 'keep only this many of the newest backups in the folder, and remove the rest', Number)
      .addHelpText(
        'after',
        examples(
          'toolway backup /backups/today.toolway',
          'toolway backup /backups --keep 14 --passphrase-file /etc/toolway/passphrase',
          'toolway backup /backups --recipient age1… --with-key',
        ),
      )
      .action(async (target: string, options: BackupParameters & Json) =>
        finish(await (await import('./backup.ts')).make(target, options, outputOf(options))),
      ),
    { isDefault: true },
  )
  command.addCommand(
    withOpener(new Command('verify').description('check that a backup is complete, and show what it contains'))
      .addArgument(new Argument('<file>', 'the backup'))
      .addHelpText('after', examples('toolway backup verify /backups/today.toolway'))
      .action(async (file: string, options: Given & Json) =>
        finish(await (await import('./backup.ts')).verify(file, options, outputOf(options))),
      ),
  )
  return command
}

export const restoreCommand = (finish: Finish): Command =>
  withOpener(new Command('restore').description('restore a backup into an empty data directory or database'))
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
