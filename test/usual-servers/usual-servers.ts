/** Well-known stdio servers as their guides say to start them, in pinned versions, with a call that needs no account where there is one. */

export interface Places {
  /** Allowed to those that say so. */
  readonly folder: string
  readonly browser: string
  readonly ownPort: number
}

export interface UsualServer {
  /** `package@version`; npx, uvx and `go install` take it. */
  readonly program: string
  readonly by: 'npx' | 'uvx' | 'go'
  readonly args?: (at: Places) => readonly string[]
  readonly environment?: (at: Places) => Readonly<Record<string, string>>
  /** In front of its name. */
  readonly before?: readonly string[]
  /** Why it lists no tools here: it needs something for it that a test has not. */
  readonly lacks?: RegExp
  /** Whether it may use the folder. */
  readonly folder?: true
  /** The network that it needs when it works; it is public in every test. */
  readonly needs: string
  readonly calls?: readonly {
    readonly tool: string
    readonly given: (at: Places) => Record<string, unknown>
    readonly says: RegExp
    readonly refused?: true
  }[]
}

const npx = (program: string, more: Omit<UsualServer, 'program' | 'by'>): UsualServer => ({
  program,
  by: 'npx',
  ...more,
})
const uvx = (program: string, more: Omit<UsualServer, 'program' | 'by'>): UsualServer => ({
  program,
  by: 'uvx',
  ...more,
})
/** Built once; what is started is the program. */
const go = (program: string, more: Omit<UsualServer, 'program' | 'by'>): UsualServer => ({ program, by: 'go', ...more })
const nothing = () => ({})
/** Servers that look at their key only when they are called. */
const key =
  (...names: readonly string[]) =>
  () =>
    Object.fromEntries(names.map((name) => [name, 'test-0123456789']))

const LOCAL: readonly UsualServer[] = [
  npx('@modelcontextprotocol/server-filesystem@2026.8.31', {
    args: ({ folder }) => [folder],
    folder: true,
    needs: 'none',
    calls: [
      { tool: 'write_file', given: ({ folder }) => ({ path: `${folder}/new.txt`, content: 'river' }), says: /wrote/i },
      { tool: 'read_text_file', given: ({ folder }) => ({ path: `${folder}/new.txt` }), says: /river/ },
      { tool: 'read_text_file', given: () => ({ path: '/etc/passwd' }), says: /denied/i, refused: true },
    ],
  }),
  npx('@modelcontextprotocol/server-memory@2026.8.31', {
    needs: 'none',
    calls: [
      {
        tool: 'create_entities',
        given: () => ({ entities: [{ name: 'Loire', entityType: 'river', observations: ['long'] }] }),
        says: /Loire/,
      },
      { tool: 'read_graph', given: nothing, says: /Loire/ },
    ],
  }),
  npx('@modelcontextprotocol/server-everything@2026.8.31', {
    needs: 'none',
    calls: [{ tool: 'echo', given: () => ({ message: 'hello' }), says: /hello/ }],
  }),
  npx('@modelcontextprotocol/server-sequential-thinking@2026.8.31', {
    needs: 'none',
    calls: [
      {
        tool: 'sequentialthinking',
        given: () => ({ thought: 'first', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false }),
        says: /thoughtNumber/,
      },
    ],
  }),
  npx('@wonderwhy-er/desktop-commander@0.2.52', {
    folder: true,
    needs: 'none',
    calls: [
      { tool: 'list_directory', given: ({ folder }) => ({ path: folder }), says: /poem\.txt/ },
      { tool: 'start_process', given: () => ({ command: 'echo river', timeout_ms: 5_000 }), says: /river/ },
    ],
  }),
  npx('@playwright/mcp@0.0.83', {
    args: ({ browser }) => ['--headless', '--isolated', '--no-sandbox', '--executable-path', browser],
    needs: 'the sites it opens',
    calls: [
      {
        tool: 'browser_navigate',
        given: () => ({ url: 'data:text/html,<title>Rivers</title><h1>Loire</h1>' }),
        says: /Rivers/,
      },
    ],
  }),
  npx('chrome-devtools-mcp@1.11.0', {
    args: ({ browser }) => [...['--headless', '--isolated', '--executablePath', browser], '--chromeArg=--no-sandbox'],
    needs: 'the sites it opens',
    calls: [{ tool: 'new_page', given: () => ({ url: 'data:text/html,<title>Rivers</title>' }), says: /data:text/ }],
  }),
  npx('puppeteer-mcp-server@0.7.2', {
    needs: 'the sites it opens',
    environment: () => ({ PUPPETEER_SKIP_DOWNLOAD: '1' }),
  }),
  npx('@eslint/mcp@0.3.13', { folder: true, needs: 'none' }),
  uvx('mcp-server-git@2026.10.19', {
    args: ({ folder }) => ['--repository', `${folder}/repository`],
    folder: true,
    needs: 'none',
    calls: [
      { tool: 'git_log', given: ({ folder }) => ({ repo_path: `${folder}/repository` }), says: /first commit/ },
      { tool: 'git_status', given: ({ folder }) => ({ repo_path: `${folder}/repository` }), says: /branch main/ },
    ],
  }),
  uvx('mcp-server-time@2026.10.19', {
    needs: 'none',
    calls: [{ tool: 'get_current_time', given: () => ({ timezone: 'Europe/Paris' }), says: /Europe\/Paris/ }],
  }),
  uvx('mcp-server-fetch@2026.10.24', {
    args: () => ['--ignore-robots-txt'],
    needs: 'the pages it fetches',
    calls: [
      {
        tool: 'fetch',
        given: ({ ownPort }) => ({ url: `http://127.0.0.1:${ownPort}/health/live` }),
        says: /fail|refused|connect/i,
        refused: true,
      },
    ],
  }),
  uvx('mcp-server-sqlite@2025.4.25', {
    // It was written for the first SDK, and asks for any.
    before: ['--with', 'mcp<2'],
    args: ({ folder }) => ['--db-path', `${folder}/python.db`],
    folder: true,
    needs: 'none',
    calls: [
      { tool: 'create_table', given: () => ({ query: 'create table rivers (name text)' }), says: /success/i },
      { tool: 'list_tables', given: nothing, says: /rivers/ },
    ],
  }),
  uvx('markitdown-mcp@0.0.1a8', {
    folder: true,
    needs: 'the addresses it converts',
    calls: [
      { tool: 'convert_to_markdown', given: ({ folder }) => ({ uri: `file://${folder}/poem.txt` }), says: /rivers/ },
    ],
  }),
]

const GO_SDK = 'github.com/modelcontextprotocol/go-sdk/examples/server'
const OF_GO: readonly UsualServer[] = [
  go(`${GO_SDK}/memory@v1.8.0`, {
    args: ({ folder }) => ['-memory', `${folder}/graph.json`],
    folder: true,
    needs: 'none',
    calls: [
      {
        tool: 'create_entities',
        given: () => ({ entities: [{ name: 'Loire', entityType: 'river', observations: ['long'] }] }),
        says: /created/,
      },
      { tool: 'read_graph', given: nothing, says: /read/ },
    ],
  }),
  go(`${GO_SDK}/everything@v1.8.0`, {
    needs: 'none',
    calls: [{ tool: 'greet', given: () => ({ name: 'Ada' }), says: /Ada/ }],
  }),
]

const REMOTE: readonly UsualServer[] = [
  npx('@upstash/context7-mcp@4.1.1', { needs: 'context7.com' }),
  npx('@notionhq/notion-mcp-server@2.5.2', { environment: key('NOTION_TOKEN'), needs: 'api.notion.com' }),
  npx('firecrawl-mcp@3.26.0', { environment: key('FIRECRAWL_API_KEY'), needs: 'api.firecrawl.dev' }),
  npx('tavily-mcp@0.2.22', { environment: key('TAVILY_API_KEY'), needs: 'api.tavily.com' }),
  npx('exa-mcp-server@3.4.1', { environment: key('EXA_API_KEY'), needs: 'api.exa.ai' }),
  npx('@brave/brave-search-mcp-server@2.1.4', { environment: key('BRAVE_API_KEY'), needs: 'api.search.brave.com' }),
  npx('mongodb-mcp-server@3.0.4', { needs: 'host (a database)' }),
  npx('@supabase/mcp-server-supabase@0.13.0', {
    args: () => ['--access-token', 'sbp_0123456789012345678901234567890123456789'],
    needs: 'api.supabase.com, also to list its tools',
    lacks: /fetch failed/,
  }),
  npx('@sentry/mcp-server@0.39.0', { args: () => ['--access-token=test-0123456789'], needs: 'sentry.io' }),
  npx('@stripe/mcp@0.3.3', {
    args: () => ['--api-key=rk_test_0123456789'],
    needs: 'mcp.stripe.com, also to list its tools',
    lacks: /fetch failed/,
  }),
  npx('figma-developer-mcp@0.13.2', {
    args: () => ['--stdio', '--figma-api-key=test-0123456789'],
    needs: 'api.figma.com',
  }),
  npx('mcp-server-kubernetes@4.1.7', { needs: 'host (a cluster)' }),
  npx('kubernetes-mcp-server@0.0.67', {
    args: ({ folder }) => ['--kubeconfig', `${folder}/kubeconfig`],
    folder: true,
    needs: 'host (a cluster)',
  }),
  npx('@hubspot/mcp-server@0.4.0', {
    environment: key('PRIVATE_APP_ACCESS_TOKEN'),
    needs: 'api.hubapi.com',
  }),
  npx('airtable-mcp-server@1.14.0', { environment: key('AIRTABLE_API_KEY'), needs: 'api.airtable.com' }),
  npx('@elastic/mcp-server-elasticsearch@0.3.1', {
    environment: () => ({ ES_URL: 'https://elastic.example', ES_API_KEY: 'test-0123456789' }),
    needs: 'the cluster',
  }),
  npx('@apify/actors-mcp-server@0.16.0', { environment: key('APIFY_TOKEN'), needs: 'api.apify.com' }),
  npx('@modelcontextprotocol/server-github@2025.4.8', {
    environment: key('GITHUB_PERSONAL_ACCESS_TOKEN'),
    needs: 'api.github.com',
  }),
  npx('@modelcontextprotocol/server-slack@2025.4.25', {
    environment: key('SLACK_BOT_TOKEN', 'SLACK_TEAM_ID'),
    needs: 'slack.com',
  }),
  npx('@modelcontextprotocol/server-postgres@0.6.2', {
    args: () => ['postgresql://nobody@127.0.0.1/none'],
    needs: 'host (a database), also to list its tools',
    lacks: /ECONNREFUSED/,
  }),
  uvx('duckduckgo-mcp-server@0.7.0', { needs: 'html.duckduckgo.com' }),
  uvx('arxiv-mcp-server@0.8.2', { needs: 'export.arxiv.org' }),
  uvx('mcp-grafana@2.1.1', { environment: () => ({ GRAFANA_URL: 'https://grafana.example' }), needs: 'the Grafana' }),
  uvx('mcp-atlassian@0.23.1', {
    environment: () => ({
      ...{ JIRA_URL: 'https://jira.example', JIRA_USERNAME: 'ada@example.com' },
      JIRA_API_TOKEN: 'test-0123456789',
    }),
    needs: 'the Jira or Confluence',
  }),
]

export const USUAL_SERVERS: readonly UsualServer[] = [...LOCAL, ...OF_GO, ...REMOTE]
