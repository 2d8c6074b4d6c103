/** `toolway client …`: add, list and remove OAuth clients. A secret is printed once and kept nowhere. */
import { addOAuthClient, listOAuthClients, removeOAuthClient } from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from './command.ts'
import { CommandFault, table } from './terminal/output.ts'
import { listAll } from './transport/transport.ts'

const collect = (value: string, before: string[] = []) => [...before, value]

interface Adding {
  readonly name: string
  readonly redirect: string[]
  readonly confidential?: boolean
}

const add = describeCommand({
  name: 'add',
  about: 'register a client; its secret, if any, is shown once',
  arguments: [new Argument('<name>', 'name shown on the consent page')],
  options: [
    new Option('--redirect <address>', 'redirect URL of the client; can be repeated')
      .argParser(collect)
      .makeOptionMandatory(),
    new Option('--confidential', 'confidential client: create a client secret'),
  ],
  examples: [
    'toolway client add "Our chat" --redirect https://chat.example.com/oauth/callback --confidential',
    'toolway client add desk --redirect http://127.0.0.1/callback',
  ],
  call: ({ call }, { name, redirect: redirect_uris, confidential }: Adding) =>
    call(addOAuthClient, { body: { name, redirect_uris, confidential } }),
  print: ({ client_id: id, client_secret: secret }) => ({
    value: { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) },
    lines: [`client ID      ${id}`, ...(secret === undefined ? [] : [`client secret  ${secret}`])],
    notes: secret === undefined ? [] : ['The secret is shown only once.'],
  }),
})

const list = describeCommand({
  name: 'list',
  about: 'list registered clients',
  examples: ['toolway client list', 'toolway client list --json'],
  call: (transport) => listAll(transport, listOAuthClients),
  print: (clients) => ({
    value: clients.map(({ client_id, name, kind, redirect_uris, created_at: created, used_at: used }) => ({
      ...{ client_id, name, kind, redirect_uris, created, used },
    })),
    lines: table(
      ['CLIENT', 'NAME', 'REGISTERED BY', 'CREATED', 'USED'],
      clients.map(({ client_id: id, name, kind, created_at: created, used_at: used }) => [
        ...[id, name, kind === 'dynamic' ? 'itself' : 'an administrator', created, used ?? 'never'],
      ]),
    ),
  }),
})

const remove = describeCommand({
  name: 'remove',
  about: 'remove a client and revoke its access',
  arguments: [new Argument('<client>', 'client ID, as shown by `toolway client list`')],
  examples: ['toolway client remove client_0123456789abcdef0123456789abcdef'],
  async call(transport, { client }: { client: string }) {
    const found = (await listAll(transport, listOAuthClients)).find(({ client_id: id }) => id === client)
    if (found === undefined)
      throw new CommandFault(`There is no client "${client}". \`toolway client list\` shows all clients.`)
    await transport.call(removeOAuthClient, { params: { client } })
    return found
  },
  print: ({ name }, { client }) => ({
    value: { removed: client },
    lines: [`Removed the client "${name}" and revoked its access.`],
  }),
})

export const clientCommand = (finish: Finish) =>
  groupOf(
    'client',
    'register, list and remove OAuth clients that cannot register themselves',
    [add, list, remove],
    finish,
  )
