/** `toolway connection add`: connects a remote server, a program, a REST server by its OpenAPI document or a contract backend. */
import { Alias, CHILD_NETWORKS, LIMITS, REVISIONS, SERVICE_CONNECTORS, SERVICES } from '@toolway/contract'
import { addConnection, addOpenApi, previewOpenApi, removeConnection } from '@toolway/contract/admin'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { describeCommand, type Printed } from '../../cli/command.ts'
import { CommandFault, EXIT, type Output } from '../../cli/terminal/output.ts'
import { Refusal, type Transport } from '../../cli/transport/transport.ts'
import { AUTH_OPTIONS } from '../../cli/connection/auth-words.ts'
import { awaitContact, findConnection } from '../../cli/connection/contact.ts'
import { drawPreview } from './draw-preview.command.ts'
import { withApprovals } from '../../cli/connection/expected-approvals.ts'
import {
  connectionBody,
  documentBody,
  needsUrl,
  readingBody,
  type AddWords,
} from '../../cli/connection/new-connection.ts'

const collect = (value: string, before: string[] = []) => [...before, value]
const many = (flags: string, about: string) => new Option(flags, about).argParser(collect).default([])

function seconds(text: string): number {
  const value = Number(text)
  if (value > 0 && value <= 3600) return value
  throw new InvalidArgumentError('Must be a number of seconds up to 3600.')
}

const WITHOUT_URL = SERVICES.filter(({ connector }) => !needsUrl(connector)).map(({ connector, title }) =>
  title.toLowerCase() === connector ? connector : `${connector} (${title})`,
)

const REMOTE = [
  new Option(
    '--url <address>',
    'address of a remote server: http(s):// (Streamable HTTP or HTTP+SSE) or ws(s):// (WebSocket)',
  ),
  new Option('--contract <address>', 'address of a backend that describes its functions with contracts: http(s)://'),
  new Option(
    '--native <vendor>',
    'built-in connector for a vendor, such as github or slack; --url only for a self-hosted server',
  ),
  new Option(
    '--scopes-for <limit>',
    'with --native: request only the scopes for tools that read, or also those for tools that write; other scopes are requested when a tool needs them',
  ).choices([...LIMITS]),
  new Option(
    '--source <file>',
    'with --native: your own connector, a single TypeScript file that defines the vendor named in --native; --url is the base address for its requests',
  ),
  new Option('--org-id <id>', 'ID of the organization on the contract backend (default: its name in Toolway)'),
  new Option('--side-effects', 'also offer functions of a contract backend that have side effects'),
  many('--allow <name>', 'offer this function even though it has side effects; can be repeated'),
  new Option('--on-behalf', 'tell the contract backend on whose behalf a trusted key calls'),
  new Option(
    '--connector <kind>',
    `type of the server at --url if it is not an MCP server; ${WITHOUT_URL.join(' and ')} need no --url`,
  ).choices([...SERVICE_CONNECTORS]),
  many('--set <pair>', 'with --connector: a setting, name=value; can be repeated'),
  many('--header <pair>', 'header to send to a remote server, "Name: value"; can be repeated'),
  new Option('--header-from <file>', 'file with one header per line, for secrets; - is standard input'),
]
const PROGRAM = [
  many(
    '--env <pair>',
    'environment variable for a server that the gateway starts: NAME=value, or NAME to copy its value from the current environment',
  ),
  new Option('--env-from <file>', 'file with one NAME=value per line, for secrets; - is standard input'),
  many(
    '--allow-path <path>',
    'folder or file that a server started by the gateway can use; PATH:ro is read-only; can be repeated',
  ),
  new Option('--network <network>', 'network access for a server that the gateway starts (default: public)').choices(
    CHILD_NETWORKS,
  ),
  many('--allow-host <name>', 'with --network listed: an allowed host, or *.example.com; can be repeated'),
]
const DOCUMENT = [
  new Option(
    '--openapi <source>',
    'address, file, folder or ZIP archive of an OpenAPI document (2.0 to 3.2); --url then sets the base address for calls',
  ),
  many(
    '--include <pattern>',
    'with --openapi: operations to include (operation:, tag:, method:, path:); can be repeated',
  ),
  many('--exclude <pattern>', 'with --openapi: operations to exclude; can be repeated'),
  many(
    '--effect <pair>',
    'with --openapi: set the effect of the operations that match a pattern: PATTERN=read, PATTERN=write or PATTERN=destructive; can be repeated',
  ),
  new Option(
    '--key-in <place>',
    'with --openapi: where to send a key that does not go in a header: query:NAME or cookie:NAME',
  ),
  new Option('--preview', 'with --openapi: show the resulting tools without storing anything'),
]
const ANY = [
  new Option('--title <text>', 'display name'),
  new Option('--revision <date>', 'pin the MCP protocol version').choices(['auto', ...REVISIONS]).default('auto'),
  new Option('--force', 'keep the connection even if its server refuses its key'),
  new Option(
    '--timeout <seconds>',
    'timeout per request, in seconds (default: 30 for a command, 60 for --url)',
  ).argParser(seconds),
]

export const add = describeCommand({
  name: 'add',
  about:
    'add a connection: a remote MCP server with --url, one that the gateway starts with the command after --, a REST API with --openapi, a backend with --contract, or a vendor with --native',
  arguments: [
    new Argument('<alias>', 'permanent name; tools are named <alias>__<tool>'),
    new Argument(
      '[command...]',
      'after --: the command to start, with its arguments; or the address of a remote server, as with --url',
    ),
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
  async call(transport, input: AddWords, output): Promise<Printed> {
    const words = withAddress(input)
    const { organization, alias, openapi } = words
    if (!Alias.safeParse(alias).success)
      throw new CommandFault(
        `"${alias}" is not a valid alias: use at most 31 characters of a-z, 0-9, _ and -, starting with a letter, without __ and without _ at the end.`,
        EXIT.usage,
      )
    const params = { organization }
    if (openapi === undefined)
      await transport
        .call(addConnection, { params, body: await connectionBody(words, output) })
        .catch(takenAlias(alias))
    else {
      const printed = await addDocument(transport, { ...words, openapi }, output)
      if (printed !== undefined) return printed
    }
    const printed = await awaitContact(transport, { organization, alias, done: 'Added' }, output)
    if (printed.code !== undefined && words.force !== true) await takeBackRefused(transport, words)
    return withApprovals(transport, { organization, aliases: [alias] }, printed, output)
  },
  print: (printed) => printed,
})

/** One whose own key is refused serves nobody: it is removed again. One that lacks an account is not; the next command connects it. */
async function takeBackRefused(transport: Transport, { organization, alias }: AddWords): Promise<void> {
  const { needs, status_reason: reason } = await findConnection(transport, { organization, alias })
  if (needs !== 'credential') return
  await transport.call(removeConnection, { params: { organization, connection: alias } })
  throw new CommandFault(
    `${reason ?? `The server of ${alias} refused its key.`} (phase: open) Nothing was added: check the key in --header or --header-from, or keep the connection as it is with --force.`,
  )
}

/** An address where a command is expected is that of a remote server. */
function withAddress(words: AddWords): AddWords {
  const [address, ...rest] = words.command
  const isAddress = address !== undefined && rest.length === 0 && /^(?:https?|wss?):\/\//i.test(address)
  return isAddress && words.url === undefined ? { ...words, url: address, command: [] } : words
}

/** Adds a connection from an OpenAPI document. With `preview` nothing is stored, and the preview is returned. */
async function addDocument(
  { call }: Transport,
  words: AddWords & { openapi: string },
  output: Output,
): Promise<Printed | undefined> {
  const params = { organization: words.organization }
  if (words.preview !== true) {
    await call(addOpenApi, { params, body: await documentBody(words, output) }).catch(takenAlias(words.alias))
    return undefined
  }
  const preview = await call(previewOpenApi, { params, body: await readingBody(words) })
  return { value: preview, lines: drawPreview(preview) }
}

const takenAlias = (alias: string) => (thrown: unknown) => {
  throw thrown instanceof Refusal && thrown.is('thing.taken')
    ? new CommandFault(
        `The alias "${alias}" is already in use: choose another, or first remove the connection that uses it.`,
      )
    : thrown
}
