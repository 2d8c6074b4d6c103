/**
 * Facts about each client: how it signs in, where it runs, the name that it reports, and the steps that connect it.
 *
 * Each fact comes from the vendor's own page, which `source` names; the wording of the steps is in the interface texts, by their
 * names here.
 */
import type { Texts } from '../../texts/texts.ts'
import {
  claudeCode,
  codexAdd,
  codexLogin,
  codexToml,
  cursorLink,
  entries,
  fields,
  geminiCli,
  opencode,
  opencodeAuth,
  throughBridge,
  throughRemote,
  vsCode,
  vsCodeLink,
  withFile,
  type Setup,
  type Snippet,
} from './snippets.ts'

export const GROUPS = ['terminal', 'chat', 'editor', 'automation'] as const
export type Group = (typeof GROUPS)[number]
export type Way = 'oauth' | 'key'

export const CLIENT_IDS = [
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'claude-desktop',
  'claude-web',
  'chatgpt',
  'cursor',
  'vscode',
  'windsurf',
  'n8n',
  'open-webui',
  'generic',
] as const
export type ClientId = (typeof CLIENT_IDS)[number]

/** One thing to do there, and what to copy or to press for it. */
export interface Step {
  readonly say: StepName
  readonly snippet?: Snippet | undefined
}

export interface Preset {
  readonly id: ClientId
  readonly group: Group
  /** The recommended one first. */
  readonly ways: readonly [Way, ...Way[]]
  /** Its maker's machines do the asking, so the address must be reachable from the internet. */
  readonly cloud?: true
  /** The pattern of the name that it reports, where that is known. */
  readonly says: RegExp | undefined
  readonly source: string
  steps(setup: Setup): readonly Step[]
}

export type StepName =
  | 'run'
  | 'runFirst'
  | 'slashMcp'
  | 'codexLogin'
  | 'codexFile'
  | 'opencodeFile'
  | 'openFile'
  | 'desktopFile'
  | 'desktopFileHere'
  | 'restart'
  | 'claudeAdd'
  | 'claudeFields'
  | 'connectThere'
  | 'chatgptMode'
  | 'chatgptFields'
  | 'press'
  | 'orFile'
  | 'signInPage'
  | 'cursorSignIn'
  | 'windsurfFile'
  | 'refresh'
  | 'n8nNode'
  | 'n8nFields'
  | 'n8nKey'
  | 'webuiAdd'
  | 'webuiFields'
  | 'genericAddress'
  | 'genericHeader'
  | 'genericProgram'
  | 'askIt'

const ASK: Step = { say: 'askIt' }
const when = <One>(condition: boolean, ...steps: One[]): One[] => (condition ? steps : [])
const desktopFile = 'claude_desktop_config.json'

export const PRESETS: readonly Preset[] = [
  {
    id: 'claude-code',
    group: 'terminal',
    ways: ['oauth', 'key'],
    says: /^claude-code/i,
    source: 'https://code.claude.com/docs/en/mcp',
    steps: (setup) => [
      { say: 'run', snippet: claudeCode(setup) },
      ...when<Step>(setup.key === undefined, { say: 'slashMcp' }),
      ASK,
    ],
  },
  {
    id: 'codex',
    group: 'terminal',
    ways: ['oauth', 'key'],
    says: /^codex/i,
    source: 'https://developers.openai.com/codex/mcp',
    steps: (setup) =>
      setup.key === undefined
        ? [{ say: 'runFirst', snippet: codexAdd(setup) }, { say: 'codexLogin', snippet: codexLogin(setup) }, ASK]
        : [{ say: 'codexFile', snippet: withFile(codexToml(setup), '~/.codex/config.toml') }, { say: 'restart' }, ASK],
  },
  {
    id: 'gemini-cli',
    group: 'terminal',
    ways: ['oauth', 'key'],
    says: /^gemini-cli/i,
    source: 'https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md',
    steps: (setup) => [
      { say: 'run', snippet: geminiCli(setup) },
      { say: 'orFile', snippet: withFile(entries(setup, 'httpUrl'), '~/.gemini/settings.json') },
      ...when<Step>(setup.key === undefined, { say: 'signInPage' }),
      ASK,
    ],
  },
  {
    id: 'opencode',
    group: 'terminal',
    ways: ['oauth', 'key'],
    says: /^opencode/i,
    source: 'https://opencode.ai/docs/mcp-servers',
    steps: (setup) => [
      { say: 'opencodeFile', snippet: withFile(opencode(setup), '~/.config/opencode/opencode.json') },
      ...when<Step>(setup.key === undefined, { say: 'run', snippet: opencodeAuth(setup) }, { say: 'signInPage' }),
      ASK,
    ],
  },
  {
    id: 'claude-desktop',
    group: 'chat',
    ways: ['key', 'oauth'],
    says: /^claude(-ai|-desktop)?$|mcp-remote/i,
    source: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
    steps: (setup) => {
      const here = throughBridge(setup)
      return [
        here === undefined
          ? { say: 'desktopFile', snippet: withFile(throughRemote(setup), desktopFile) }
          : { say: 'desktopFileHere', snippet: withFile(here, desktopFile) },
        { say: 'restart' },
        ...when<Step>(setup.key === undefined, { say: 'signInPage' }),
        ASK,
      ]
    },
  },
  {
    id: 'claude-web',
    group: 'chat',
    ways: ['oauth'],
    cloud: true,
    says: /^(claude|anthropic)/i,
    source: 'https://support.claude.com/en/articles/11175166-getting-started-with-custom-connectors-using-remote-mcp',
    steps: ({ name, url }) => [
      { say: 'claudeAdd' },
      { say: 'claudeFields', snippet: fields({ Name: name, 'Remote MCP server URL': url }) },
      { say: 'connectThere' },
      ASK,
    ],
  },
  {
    id: 'chatgpt',
    group: 'chat',
    ways: ['oauth'],
    cloud: true,
    says: /openai|chatgpt/i,
    source: 'https://developers.openai.com/api/docs/guides/developer-mode',
    steps: ({ name, url }) => [
      { say: 'chatgptMode' },
      { say: 'chatgptFields', snippet: fields({ Name: name, 'MCP Server URL': url, Authentication: 'OAuth' }) },
      { say: 'connectThere' },
      ASK,
    ],
  },
  {
    id: 'cursor',
    group: 'editor',
    ways: ['oauth', 'key'],
    says: /^cursor/i,
    source: 'https://cursor.com/docs/mcp/install-links',
    steps: (setup) => [
      { say: 'press', snippet: cursorLink(setup) },
      { say: 'orFile', snippet: withFile(entries(setup, 'url'), '~/.cursor/mcp.json') },
      ...when<Step>(setup.key === undefined, { say: 'cursorSignIn' }),
      ASK,
    ],
  },
  {
    id: 'vscode',
    group: 'editor',
    ways: ['oauth', 'key'],
    says: /visual studio code|vscode/i,
    source: 'https://code.visualstudio.com/api/extension-guides/ai/mcp',
    steps: (setup) => [
      { say: 'press', snippet: vsCodeLink(setup) },
      { say: 'orFile', snippet: withFile(vsCode(setup), '.vscode/mcp.json') },
      ...when<Step>(setup.key === undefined, { say: 'signInPage' }),
      ASK,
    ],
  },
  {
    id: 'windsurf',
    group: 'editor',
    ways: ['oauth', 'key'],
    says: /windsurf|codeium|cascade/i,
    source: 'https://docs.windsurf.com/windsurf/cascade/mcp',
    steps: (setup) => [
      { say: 'windsurfFile', snippet: withFile(entries(setup, 'serverUrl'), '~/.codeium/windsurf/mcp_config.json') },
      { say: 'refresh' },
      ...when<Step>(setup.key === undefined, { say: 'signInPage' }),
      ASK,
    ],
  },
  {
    id: 'n8n',
    group: 'automation',
    ways: ['key', 'oauth'],
    says: /n8n/i,
    source: 'https://docs.n8n.io/integrations/builtin/cluster-nodes/sub-nodes/n8n-nodes-langchain.toolmcp/',
    steps: ({ url, key }) => [
      { say: 'n8nNode' },
      {
        say: 'n8nFields',
        snippet: fields({
          Endpoint: url,
          'Server Transport': 'HTTP Streamable',
          Authentication: key === undefined ? 'MCP OAuth2' : 'Bearer Auth',
        }),
      },
      ...(key === undefined
        ? [{ say: 'connectThere' } as const]
        : [{ say: 'n8nKey', snippet: fields({ 'Bearer Token': key }) } as const]),
      ASK,
    ],
  },
  {
    id: 'open-webui',
    group: 'automation',
    ways: ['key', 'oauth'],
    // It uses the Python SDK without a name of its own.
    says: /open.?webui|^mcp$/i,
    source: 'https://docs.openwebui.com/features/mcp',
    steps: ({ name, url, key }) => [
      { say: 'webuiAdd' },
      {
        say: 'webuiFields',
        snippet: fields({
          Type: 'MCP (Streamable HTTP)',
          URL: url,
          Auth: key === undefined ? 'OAuth 2.1' : 'Bearer',
          ...(key === undefined ? {} : { Key: key }),
          ID: name,
          Name: name,
        }),
      },
      ...when<Step>(key === undefined, { say: 'connectThere' }),
      ASK,
    ],
  },
  {
    id: 'generic',
    group: 'automation',
    ways: ['oauth', 'key'],
    says: undefined,
    source: 'https://modelcontextprotocol.io/clients',
    steps: (setup) => {
      const { url, key } = setup
      return [
        { say: 'genericAddress', snippet: fields({ URL: url, Transport: 'Streamable HTTP' }) },
        ...(key === undefined
          ? [{ say: 'signInPage' } as const]
          : [{ say: 'genericHeader', snippet: fields({ Authorization: `Bearer ${key}` }) } as const]),
        { say: 'genericProgram', snippet: throughBridge(setup) ?? throughRemote(setup) },
        ASK,
      ]
    },
  },
]

/** What it is called within a sentence. */
export const calledOf = ({ id }: Preset, { names, unnamed }: Texts['clients']): string =>
  id === 'generic' ? unnamed : names[id]

export const presetOf = (id: ClientId): Preset => PRESETS.find((preset) => preset.id === id) as Preset
