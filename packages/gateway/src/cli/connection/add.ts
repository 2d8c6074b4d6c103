/** `toolway connection add`: connects a remote server, a program, a REST server by its OpenAPI document or a contract backend. */
import { Alias, CHILD_NETWORKS, LIMITS, REVISIONS } from '@toolway/contract'
import { addConnection, addOpenApi, previewOpenApi } from '@toolway/contract/admin'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { described, type Printed } from '../command.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { Refusal, type Transport } from '../transport/transport.ts'
import { AUTH_OPTIONS } from './auth-words.ts'
import { awaitContact } from './contact.ts'
import { drawPreview } from './draw-preview.ts'
import { connectionBody, documentBody, readingBody, type AddWords } from './new-connection.ts'

const collect = (value: string, before: string[] = []) => [...before, value]
const many = (flags: string, about: string) => new Option(flags, about).argParser(collect).default([])

function seconds(text: string): number {
  const value = Number(text)
  if (value > 0 && value <= 3600) return value
  throw new InvalidArgumentError('A number of seconds up to 3600.')
}

const REMOTE = [
  new Option(
    '--url <address>',
    'address of a remote server: http(s):// (Streamable HTTP or HTTP+SSE) or ws(s):// (WebSocket)',
  ),
  new Option('--contract <address>', 'address of a backend that describes its functions by contracts: http(s)://'),
  new Option(
    '--native <vendor>',
    'tools for a vendor that Toolway has itself, such as github or slack; --url only for a server of your own',
  ),
  new Option(
    '--scopes-for <limit>',
    'of --native: ask an account only for the scopes of tools that read, or that write too; others are asked for when a tool needs them',
  ).choices([...LIMITS]),
  new Option(
    '--source <file>',
    'of --native: a connector of your own, one TypeScript file whose vendor has that name; --url says where its requests go',
  ),
  new Option('--org-id <id>', 'the organization as the contract backend knows it (default: its name here)'),
  new Option('--side-effects', 'offer functions of a contract backend that change something, too'),
  many('--allow <name>', 'offer this function although it changes something; may be repeated'),
  new Option('--on-behalf', 'tell the contract backend for which member a trusted key calls'),
  new Option(
    '--connector <kind>',
    'kind of server at --url, where it speaks no MCP; composio and platform (Toolway itself) need no --url',
  ).choices(['n8n', 'composio', 'platform']),
  many('--set <pair>', 'of --connector: a setting of that kind, name=value; may be repeated'),
  many('--header <pair>', 'header to send to a remote server, "Name: value"; may be repeated'),
  new Option('--header-from <file>', 'file of headers, one a line; - is standard input. For secrets'),
]
const PROGRAM = [
  many('--env <pair>', 'variable for a started server, NAME=value, or NAME as it is set here'),
  new Option('--env-from <file>', 'file of variables, NAME=value; - is standard input. For secrets'),
  many(
    '--allow-path <path>',
    'folder or file that a started server may use; PATH:ro may only be read; may be repeated',
  ),
  new Option('--network <network>', 'what a started server may reach (default: public)').choices(CHILD_NETWORKS),
  many('--allow-host <name>', 'of --network listed: a host that it may reach, or *.example.com; may be repeated'),
]
const DOCUMENT = [
  new Option(
    '--openapi <source>',
    'address or file of an OpenAPI document (2.0, 3.0, 3.1); --url then says where calls go',
  ),
  many(
    '--include <pattern>',
    'of --openapi: operations that are tools (operation:, tag:, method:, path:); may be repeated',
  ),
  many('--exclude <pattern>', 'of --openapi: operations that are none; may be repeated'),
  many('--effect <pair>', 'of --openapi: PATTERN=read, =write or =destructive; may be repeated'),
  new Option('--key-in <place>', 'of --openapi: where a key goes that is no header, query:NAME or cookie:NAME'),
  new Option('--preview', 'of --openapi: show what it would become, and keep nothing'),
]
const ANY = [
  new Option('--title <text>', 'name for people'),
  new Option('--revision <date>', 'pin the protocol revision it speaks')
    .choices(['auto', ...REVISIONS])
    .default('auto'),
  new Option('--timeout <seconds>', 'time for one request (default: 30 for a command, 60 for --url)').argParser(
    seconds,
  ),
]

export const add = described({
  name: 'add',
  about:
    'connect an MCP server, a remote one by --url or one that is started here after --, a REST server by --openapi, a backend by --contract, or a vendor by --native',
  arguments: [
    new Argument('<alias>', 'its name for good; tools are called <alias>__<tool>'),
    new Argument('[command...]', 'after --: the command to start, with its arguments'),
  ],
  options: [...AUTH_OPTIONS, ...REMOTE, ...PROGRAM, ...DOCUMENT, ...ANY],
  examples: [
    'toolway connection add docs --url https://example.com/mcp --header-from docs.headers',
    'toolway connection add issues --url https://mcp.example.com/mcp --auth oauth --owners member',
    'toolway connection add live --url wss://example.com/mcp',
    'toolway connection add cwr --contract https://backend.example.com --header-from cwr.headers',
    'toolway connection add company --connector n8n --url https://n8n.example.com --set tag=toolway --header-from n8n.headers',
    'toolway connection add gmail --connector composio --set toolkits=["gmail"] --header-from composio.headers',
    'toolway connection add github --native github',
    'toolway connection add acme --native acme --source acme.ts --url https://api.acme.example',
    'toolway connection add shop --openapi https://shop.example.com/openapi.json --preview',
    'toolway connection add shop --openapi shop.yaml --url https://shop.example.com/v2 --include tag:orders',
    'toolway connection add search --env SEARCH_API_KEY -- npx -y some-search-server',
    'toolway connection add files -- npx -y @modelcontextprotocol/server-filesystem /srv/files',
    'toolway connection add tickets --auth key --owners member --account-variable TICKETS_TOKEN -- npx -y some-tickets-server',
    'toolway connection add memory --env MEMORY_FILE_PATH=memory.json -- npx -y @modelcontextprotocol/server-memory',
  ],
  async call(transport, words: AddWords, output): Promise<Printed> {
    const { organization, alias, openapi } = words
    if (!Alias.safeParse(alias).success)
      throw new CommandFault(
        `"${alias}" is no alias: it starts with a-z, has at most 31 characters of a-z, 0-9, _ and -, no __ and no _ at its end.`,
        EXIT.usage,
      )
    const params = { organization }
    if (openapi === undefined)
      await transport.call(addConnection, { params, body: await connectionBody(words, output) }).catch(taken(alias))
    else {
      const printed = await addDocument(transport, { ...words, openapi }, output)
      if (printed !== undefined) return printed
    }
    return awaitContact(transport, { organization, alias, done: 'Added' }, output)
  },
  print: (printed) => printed,
})

/** Adds a connection from an OpenAPI document. With `preview` nothing is stored, and the preview is returned. */
async function addDocument(
  { call }: Transport,
  words: AddWords & { openapi: string },
  output: Output,
): Promise<Printed | undefined> {
  const params = { organization: words.organization }
  if (words.preview !== true) {
    await call(addOpenApi, { params, body: await documentBody(words, output) }).catch(taken(words.alias))
    return undefined
  }
  const preview = await call(previewOpenApi, { params, body: await readingBody(words) })
  return { value: preview, lines: drawPreview(preview) }
}

const taken = (alias: string) => (thrown: unknown) => {
  throw thrown instanceof Refusal && thrown.is('thing.taken')
    ? new CommandFault(`The alias "${alias}" is taken: choose another, or remove that connection first.`)
    : thrown
}
