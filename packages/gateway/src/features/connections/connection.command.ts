/** `toolway connection …`: add, allow, list, remove, refresh, restart and test connections of an organization, and the accounts of them. */
import { listConnections, removeConnection, restartProcess } from '@toolway/contract/admin'
import { Argument } from 'commander'
import { describeCommand, groupOf, type Described, type Finish } from '../../cli/command.ts'
import { CommandFault, table } from '../../cli/terminal/output.ts'
import { listAll, Refusal } from '../../cli/transport/transport.ts'
import { add } from './add.command.ts'
import { allow } from './allow.command.ts'
import { awaitContact, unknownConnection, reachOf, stateWord, type Addressed } from '../../cli/connection/contact.ts'
import { refresh } from './refresh.command.ts'
import { test } from './test.command.ts'

const list = describeCommand({
  name: 'list',
  about: 'list connections with their state and number of tools',
  examples: ['toolway connection list', 'toolway connection list --json'],
  call: (transport, { organization }: Pick<Addressed, 'organization'>) =>
    listAll(transport, listConnections, { params: { organization } }),
  print: (connections) => ({
    value: connections.map((connection) => ({
      ...{
        alias: connection.alias,
        title: connection.title,
        reaches: reachOf(connection),
        status: connection.status,
        needs: connection.needs,
        tools: connection.tools,
      },
      ...{
        revision: connection.spoken_revision,
        stale: connection.stale_reason,
        reason: connection.status_reason,
        hints: connection.hints,
      },
      ...{ origin: connection.origin, oauth_repaired: connection.oauth_repaired },
    })),
    lines:
      connections.length === 0
        ? ['No connections yet. To add one, see `toolway connection add --help`.']
        : [
            ...table(
              ['ALIAS', 'STATUS', 'TOOLS', 'PROTOCOL', 'REACHES'],
              connections.map((connection) => [
                ...[
                  connection.alias,
                  stateWord(connection),
                  String(connection.tools),
                  connection.spoken_revision ?? '-',
                ],
                connection.status_reason === null
                  ? reachOf(connection)
                  : `${reachOf(connection)}  (${connection.status_reason})`,
              ]),
            ),
            ...connections.flatMap(({ alias, hints }) => hints.map((hint) => `${alias}: ${hint}`)),
          ],
  }),
})

const remove = describeCommand({
  name: 'remove',
  about: 'remove a connection and its secrets',
  arguments: [new Argument('<alias>')],
  examples: ['toolway connection remove docs'],
  call: ({ call }, { organization, alias }: Addressed) =>
    call(removeConnection, { params: { organization, connection: alias } })
      .catch((thrown: unknown) => {
        throw thrown instanceof Refusal && thrown.is('thing.declared')
          ? new CommandFault(`The connection "${alias}" is defined in the TOOLWAY_CONFIG file: remove it there.`)
          : thrown
      })
      .catch(unknownConnection(alias)),
  print: (_, { alias }) => ({
    value: { removed: alias },
    lines: [`Removed ${alias}, its secrets and its tools.`],
  }),
})

const restart = describeCommand({
  name: 'restart',
  about: 'close a connection and open it again; a server that was stopped after repeated failures is started again',
  arguments: [new Argument('<alias>')],
  examples: ['toolway connection restart files'],
  async call(transport, { organization, alias }: Addressed, output) {
    await transport
      .call(restartProcess, { params: { organization, connection: alias } })
      .catch(unknownConnection(alias))
    return awaitContact(transport, { organization, alias, done: 'Restarted' }, output)
  },
  print: (printed) => printed,
})

/** `accounts`: the commands on accounts of connections, which are those of another feature. */
export const connectionCommand = (finish: Finish, accounts: readonly Described[]) =>
  groupOf(
    'connection',
    'add, list, remove, restart and test connections, and connect accounts to them',
    [add, allow, list, remove, refresh, restart, test, ...accounts],
    finish,
  )
