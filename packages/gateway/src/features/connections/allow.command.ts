/** `toolway connection allow`: changes the reach of a server that is started here, and starts it anew. */
import { CHILD_NETWORKS } from '@toolway/contract'
import { changeConnection, type Connection } from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { resolve } from 'node:path'
import { describeCommand, type Printed } from '../../cli/command.ts'
import { CommandFault, EXIT } from '../../cli/terminal/output.ts'
import { Refusal } from '../../cli/transport/transport.ts'
import { awaitContact, findConnection, unknownConnection, type Addressed } from '../../cli/connection/contact.ts'

interface Allowing extends Addressed {
  readonly allowPath?: readonly string[]
  readonly removePath?: readonly string[]
  readonly allowHost?: readonly string[]
  readonly removeHost?: readonly string[]
  readonly network?: (typeof CHILD_NETWORKS)[number]
}

const collect = (value: string, before: readonly string[] = []) => [...before, value]
const many = (flags: string, about: string) => new Option(flags, about).argParser(collect)

export const allow = describeCommand({
  name: 'allow',
  about: 'change the paths, hosts and network of a server that the gateway starts, and restart it',
  arguments: [new Argument('<alias>')],
  options: [
    many('--allow-path <path>', 'folder or file that the server can use; PATH:ro is read-only; can be repeated'),
    many('--remove-path <path>', 'path to remove; can be repeated'),
    new Option('--network <network>', 'network access').choices(CHILD_NETWORKS),
    many('--allow-host <name>', 'with network listed: an allowed host, or *.example.com; can be repeated'),
    many('--remove-host <name>', 'host to remove; can be repeated'),
  ],
  examples: [
    'toolway connection allow files --allow-path /srv/files',
    'toolway connection allow files --remove-path /srv/files --allow-path /srv/files:ro',
    'toolway connection allow fetch --network listed --allow-host docs.example.com',
  ],
  async call(transport, words: Allowing, output): Promise<Printed> {
    const { organization, alias } = words
    const connection = await findConnection(transport, words)
    if (connection.command === null)
      throw new CommandFault(
        `"${alias}" is a remote server. Paths, hosts and network can be set only for servers that the gateway starts.`,
      )
    const params = { organization, connection: alias }
    await transport
      .call(changeConnection, { params, body: reachOf(words, connection) })
      .catch(declared(alias))
      .catch(unknownConnection(alias))
    return awaitContact(transport, { organization, alias, done: 'Changed' }, output)
  },
  print: (printed) => printed,
})

/** Throws CommandFault where nothing would change. */
function reachOf(words: Allowing, { allow_paths: paths, allow_hosts: hosts }: Connection) {
  const { network, allowPath = [], removePath = [], allowHost = [], removeHost = [] } = words
  const changes = allowPath.length + removePath.length + allowHost.length + removeHost.length
  if (changes === 0 && network === undefined)
    throw new CommandFault('Use --allow-path, --remove-path, --allow-host, --remove-host or --network.', EXIT.usage)
  const added = allowPath.map((path) => resolve(path))
  // A path that was read-only and may be written now, or the other way round, is one path.
  const gone = new Set([...removePath.map((path) => resolve(path)), ...added].map(plain))
  return {
    ...(network === undefined ? {} : { network }),
    allow_paths: [...(paths ?? []).filter((path) => !gone.has(plain(path))), ...new Set(added)],
    allow_hosts: [...new Set([...(hosts ?? []).filter((host) => !removeHost.includes(host)), ...allowHost])],
  }
}

const plain = (path: string): string => path.replace(/:ro$/, '')

const declared = (alias: string) => (thrown: unknown) => {
  throw thrown instanceof Refusal && thrown.is('thing.declared')
    ? new CommandFault(
        `The connection "${alias}" is defined in the TOOLWAY_CONFIG file: change allow_paths, allow_hosts or network there.`,
      )
    : thrown
}
