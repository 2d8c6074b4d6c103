/**
 * The services that can be connected: the one list from which users choose (ledger U-30), as data.
 *
 * It lists only services that this gateway can connect today. A row gives the server's location and the values that a user must
 * supply; it holds no secret, and no code depends on the row that a connection came from.
 */
import { type CatalogAsk, type CatalogCategory, type CatalogRow } from './kinds/catalog-row.ts'
import { http } from './kinds/http.ts'
import { KINDS } from './kinds/kinds.ts'
import { native } from './kinds/native.ts'
import { stdio } from './kinds/stdio.ts'

export { CATALOG_CATEGORIES, type CatalogCategory } from './kinds/catalog-row.ts'

type KindWithRow = Extract<(typeof KINDS)[number], { readonly row: CatalogRow }>
const KINDS_WITH_ROW = KINDS.filter((kind): kind is KindWithRow => 'row' in kind)

/** The kinds that a row can be of. */
export const CATALOG_CONNECTORS = [
  http.connector,
  stdio.connector,
  native.connector,
  ...KINDS_WITH_ROW.map(({ connector }) => connector),
] as const

export interface CatalogEntry {
  readonly id: string
  readonly title: string
  readonly about: string
  /** Name of a drawing in the console's set. */
  readonly icon: string
  readonly category: CatalogCategory
  readonly connector: (typeof CATALOG_CONNECTORS)[number]
  /** Where its server is; null where a person says it. */
  readonly url: string | null
  /** The command to start; words in braces are requested from the user. Null for servers elsewhere. */
  readonly command: readonly string[] | null
  /** How one is let in, the best way first. */
  readonly auth: readonly ('oauth' | 'api_key' | 'none')[]
  /** Where a key is had, and how one looks. */
  readonly key: { readonly page: string; readonly placeholder: string } | null
  /** The scopes to request with OAuth; empty: those that the server names. */
  readonly scopes: readonly string[]
  readonly asks: readonly CatalogAsk[]
  /** For native connectors: their name, and the address of the MCP server that the vendor runs for the same service. */
  readonly native: { readonly vendor: string; readonly official_server: string | null } | null
  /** Programs that must be on the gateway's machine: that of the command, and those that its server starts itself. */
  readonly programs: readonly string[]
  readonly documentation: string | null
  /** Source systems that had it. */
  readonly seeds: readonly string[]
}

const server = (
  entry: Pick<CatalogEntry, 'id' | 'title' | 'about' | 'category' | 'url' | 'auth'> & Partial<CatalogEntry>,
): CatalogEntry => ({
  icon: entry.id,
  connector: http.connector,
  command: null,
  key: null,
  scopes: [],
  asks: [],
  native: null,
  programs: [],
  documentation: null,
  seeds: [],
  ...entry,
})
const program = (
  entry: Pick<CatalogEntry, 'id' | 'title' | 'about' | 'category' | 'command' | 'programs'> & Partial<CatalogEntry>,
): CatalogEntry => server({ connector: stdio.connector, url: null, auth: ['none'], ...entry })

const variable = (
  name: string,
  about: string,
  more: Partial<Pick<CatalogAsk, 'required' | 'secret' | 'placeholder'>> = {},
): CatalogAsk => ({ name, in: 'environment', about, required: true, secret: false, placeholder: null, ...more })

/** The order is the one they are shown in. */
export const CONNECTOR_CATALOG: readonly CatalogEntry[] = Object.freeze([
  server({
    id: 'notion',
    title: 'Notion',
    category: 'documents',
    about: 'Pages, databases and comments in a Notion workspace. Hosted by Notion.',
    url: 'https://mcp.notion.com/mcp',
    auth: ['oauth'],
    key: { page: 'https://www.notion.so/profile/integrations', placeholder: 'ntn_…' },
    documentation: 'https://developers.notion.com/docs/mcp',
    seeds: ['nebo'],
  }),
  server({
    id: 'github',
    title: 'GitHub',
    category: 'code',
    about: 'Repositories, issues, pull requests and workflows. Hosted by GitHub.',
    url: 'https://api.githubcopilot.com/mcp/',
    auth: ['oauth', 'api_key'],
    key: { page: 'https://github.com/settings/personal-access-tokens', placeholder: 'ghp_…' },
    scopes: ['repo', 'read:org', 'read:user'],
    documentation: 'https://github.com/github/github-mcp-server',
    seeds: ['nebo'],
  }),
  server({
    id: 'linear',
    title: 'Linear',
    category: 'work',
    about: 'Issues, projects and comments in a Linear workspace. Hosted by Linear.',
    url: 'https://mcp.linear.app/mcp',
    auth: ['oauth', 'api_key'],
    key: { page: 'https://linear.app/settings/account/security', placeholder: 'lin_api_…' },
    documentation: 'https://linear.app/docs/mcp',
    seeds: ['nebo'],
  }),
  server({
    id: 'slack',
    title: 'Slack',
    category: 'messages',
    about: 'Channels, messages and search in a Slack workspace. Hosted by Slack; requires your own Slack app.',
    url: 'https://mcp.slack.com/mcp',
    auth: ['oauth'],
    key: { page: 'https://api.slack.com/apps', placeholder: 'xoxp-…' },
    scopes: ['channels:history', 'groups:history', 'search:read.public', 'users:read', 'chat:write'],
    documentation: 'https://docs.slack.dev/ai/slack-mcp-server',
    seeds: ['nebo'],
  }),
  program({
    id: 'filesystem',
    title: 'Files',
    category: 'documents',
    about: 'Reads and writes files in one folder on the gateway host.',
    command: ['npx', '-y', '@modelcontextprotocol/server-filesystem', '{folder}'],
    asks: [
      {
        name: 'folder',
        in: 'args',
        about: 'The folder. Nothing outside it is accessed.',
        required: true,
        secret: false,
        placeholder: '/srv/files',
      },
    ],
    programs: ['npx'],
    seeds: ['nebo'],
  }),
  program({
    id: 'memory',
    title: 'Memory',
    category: 'other',
    about: 'A knowledge graph as memory for models, stored in a file on the gateway host.',
    command: ['npx', '-y', '@modelcontextprotocol/server-memory'],
    asks: [
      variable('MEMORY_FILE_PATH', 'The file that stores the knowledge graph.', {
        required: false,
        placeholder: 'memory.json',
      }),
    ],
    programs: ['npx'],
    seeds: ['nebo'],
  }),
  program({
    id: 'toolkit',
    title: 'Local toolkit',
    category: 'documents',
    about: 'Files, research and web pages in one folder on the gateway host, with Toolway’s own toolkit.',
    icon: 'filesystem',
    command: ['npx', '-y', 'toolway-toolkit', '--root', '{folder}'],
    asks: [
      {
        name: 'folder',
        in: 'args',
        about: 'The workspace. Nothing outside it is read or written.',
        required: true,
        secret: false,
        placeholder: '/srv/workspace',
      },
    ],
    programs: ['npx'],
    seeds: ['universal-agent'],
  }),
  program({
    id: 'edgartools',
    title: 'EDGAR',
    category: 'data',
    about: 'Company filings and financial figures from the SEC.',
    command: ['uvx', '--from', 'edgartools[ai]', 'edgartools-mcp'],
    asks: [
      variable('EDGAR_IDENTITY', 'Name and email address. The SEC rejects requests without them.', {
        placeholder: 'Ada Lovelace ada@example.com',
      }),
    ],
    programs: ['uvx'],
    documentation: 'https://edgartools.readthedocs.io/',
    seeds: ['universal-agent'],
  }),
  program({
    id: 'video_audio',
    title: 'Video and audio',
    category: 'media',
    about: 'Cuts, joins and converts video and audio with FFmpeg.',
    command: ['uvx', 'ffmpeg-mcp-lite'],
    asks: [
      variable('FFMPEG_OUTPUT_DIR', 'The folder for results. Default: ~/Downloads.', {
        required: false,
        placeholder: '/srv/media',
      }),
    ],
    programs: ['uvx', 'ffmpeg', 'ffprobe'],
    documentation: 'https://pypi.org/project/ffmpeg-mcp-lite/',
    seeds: ['universal-agent'],
  }),
  program({
    id: 'youtube',
    title: 'YouTube',
    category: 'media',
    about: 'Searches YouTube, lists the videos of a channel, and reads transcripts, with yt-dlp.',
    // The package brings yt-dlp along as a library.
    command: ['uvx', 'yt-dlp-mcp'],
    programs: ['uvx'],
    documentation: 'https://pypi.org/project/yt-dlp-mcp/',
    seeds: ['universal-agent'],
  }),
  program({
    id: 'zai_vision',
    title: 'Z.AI vision',
    category: 'media',
    about: 'Describes images and videos with a model from Z.AI.',
    command: ['npx', '-y', '@z_ai/mcp-server'],
    auth: ['api_key'],
    key: { page: 'https://z.ai/manage-apikey/apikey-list', placeholder: 'the key of your account' },
    asks: [
      variable('Z_AI_API_KEY', 'A key from Z.AI.', { secret: true }),
      variable('Z_AI_MODE', 'ZAI, or ZHIPU for the Chinese platform.', { placeholder: 'ZAI' }),
    ],
    programs: ['npx'],
    documentation: 'https://docs.z.ai/devpack/mcp/vision-mcp-server',
    seeds: ['universal-agent'],
  }),
  server({
    id: 'custom_url',
    title: 'Another server',
    category: 'other',
    about: 'Any MCP server at a URL: Streamable HTTP, HTTP+SSE or WebSocket.',
    icon: 'server',
    url: null,
    auth: ['oauth', 'api_key', 'none'],
    asks: [
      {
        name: 'url',
        in: 'url',
        about: 'The URL of the server.',
        required: true,
        secret: false,
        placeholder: 'https://mcp.example.com/mcp',
      },
    ],
  }),
  program({
    id: 'custom_command',
    title: 'Another program',
    category: 'other',
    about: 'Any MCP server that is a program, started on the gateway host, if the platform allows it.',
    icon: 'terminal',
    command: null,
    asks: [
      {
        name: 'command',
        in: 'command',
        about: 'The command line.',
        required: true,
        secret: false,
        placeholder: 'npx -y @modelcontextprotocol/server-everything',
      },
    ],
    programs: [],
  }),
  ...KINDS_WITH_ROW.map(({ connector, row }) => server({ ...row, connector })),
])
