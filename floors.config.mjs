/**
 * Import rules for `npm run check`: the layers ("floors") of the gateway, what each package may import, and the few files that may
 * open sockets or start processes. Type imports count. This file is the one list of folders and packages; the tables of ARCHITECTURE.md are
 * generated from it (`npm test -- test/contract -u`).
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const gateway = 'packages/gateway/src'

/** Outside the floors: programs and fixtures that nothing imports. */
const APART = ['demo', 'testing']

/** The features that use calls and OAuth, top to bottom: one may use those below it, through their `index.ts`. */
const ABOVE_CALLS = [
  'backup',
  'installation',
  'curatore',
  'declaration',
  'reference',
  'runtime',
  'events',
  'authorization',
  'accounts',
  'scim',
  'keys',
  'organizations',
  'identity-providers',
  'second-factor',
  'people',
  'approvals',
  'records',
  'toolsets',
  'rules',
  'openapi',
  'integrations',
  'tools',
  'connections',
  'catalog',
]
/** The features that stand below a call, which may use them. */
const BELOW_CALLS = ['agent', 'usage', 'clients-seen', 'files', 'record-streams', 'webhooks', 'alerts']
/** All of them, top to bottom. */
export const FEATURES = [...ABOVE_CALLS, ...BELOW_CALLS]

const foldersOf = (names) => names.map((name) => `features/${name}`)

/** How a file of settings is read, which presets share with declarations. */
const YAML_FILES = 'file-(?:fault|yaml)'

/** The floors of the gateway, top to bottom. Every folder that is named nowhere here is a noun. */
export const FLOORS = [
  {
    name: 'doors',
    about: 'one entry point per transport: HTTP, command line, declarations; `app` builds every part',
    folders: ['http', 'cli', 'app'],
    files: ['main', 'app', 'config-file', `config-(?!${YAML_FILES}\\.)[\\w-]+`, 'preset-declarations'],
  },
  {
    name: 'features',
    about: 'one folder for everything about a feature; one uses those after it (ADR 0139)',
    folders: foldersOf(ABOVE_CALLS),
  },
  {
    name: 'verbs',
    about: 'a call, and OAuth on both sides; they may combine several nouns',
    folders: ['call', 'oauth'],
  },
  {
    name: 'features below calls',
    about: 'features that a call may use, likewise',
    folders: foldersOf(BELOW_CALLS),
  },
  {
    name: 'operations',
    about: 'how an operation that contract/admin describes is carried out',
    folders: ['operations'],
  },
  {
    name: 'snapshot',
    about: 'an organization in memory, and the ports by which verbs serve one another (ADR 0139)',
    folders: ['snapshot'],
  },
  {
    name: 'kinds',
    about: 'how each kind of connection is described, stored, opened and probed (ADR 0053)',
    folders: ['kinds'],
  },
  {
    name: 'base',
    about: 'settings and presets, the database and the vault of an installation, and what everything is built with',
    folders: ['base', 'config'],
    files: ['config', `config-${YAML_FILES}`, 'policy-file', 'presets?', 'preset-(?!declarations)[\\w-]+'],
  },
  { name: 'nouns', about: 'one concept each; nouns never import one another', folders: [] },
  { name: 'db', about: 'SQL under row-level security', folders: ['db'] },
  { name: 'leaves', about: 'small helpers, and the packages `contract` and `protocol`', folders: ['lib'] },
]
const named = new Set([...APART, 'features', ...FLOORS.flatMap(({ folders }) => folders)])
const nounFolders = FLOORS.find(({ name }) => name === 'nouns').folders
// A folder that a checkout of another commit left empty does not count.
const hasFiles = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile())
for (const entry of readdirSync(join(import.meta.dirname, gateway), { withFileTypes: true }))
  if (entry.isDirectory() && !named.has(entry.name) && hasFiles(join(entry.parentPath, entry.name)))
    nounFolders.push(entry.name)
nounFolders.sort()

/** Within a feature, bottom to top: a file may import those of its own suffix and below. */
const SUFFIXES = ['rows', '', 'operations|job|step', 'command|door|start', 'index']
const feature = `^${gateway}/features/([^/]+)/`
const suffixOf = (suffix) =>
  suffix === 'index' ? 'index\\.ts$' : suffix === '' ? '(?!index\\.)[\\w/-]+\\.ts$' : `[^/]+\\.(?:${suffix})\\.ts$`

const nouns = nounFolders.join('|')
/** Bottom to top. */
const floors = FLOORS.map(({ name, folders, files }) => ({
  name,
  pattern: `^${gateway}/(?:(?:${folders.join('|')})/${files ? `|(?:${files.join('|')})\\.ts$` : ''})`,
})).reverse()

const tests = '\\.test\\.'
const forTests = `${tests}|^packages/(?:gateway|toolkit)/src/testing/`

/** What each package is, and what it may import: other packages, and from npm. Absent means: anything its package.json names. */
export const PACKAGES = {
  contract: {
    about: 'shared definitions: IDs, faults, shapes, operations (Zod), kinds of addresses; settings files of clients',
    packages: [],
    npm: ['zod', 'ipaddr.js', 'smol-toml', 'yaml'],
  },
  protocol: {
    about: 'MCP itself and the only implementation of an MCP client; no I/O, no Node APIs',
    packages: ['contract'],
    npm: ['zod'],
  },
  connectors: { about: 'tools for vendors, defined as data', packages: ['contract'], npm: ['zod', 'fflate'] },
  gateway: { about: 'the server and its command line', packages: ['contract', 'protocol', 'connectors'] },
  console: { about: 'the web interface, served by the gateway', packages: ['contract', 'protocol'] },
  bridge: {
    about: 'connects stdio clients to the gateway, for clients that can only start processes',
    packages: ['contract', 'protocol'],
  },
  'uru-mcp': {
    about:
      'the client package for Uru, one of the systems that Toolway can replace: the tools of a workspace over stdio',
    packages: [],
  },
  toolkit: { about: 'files on the user’s own machine as MCP tools over stdio', packages: ['contract', 'protocol'] },
}

const error = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

const packageRules = Object.entries(PACKAGES).flatMap(([name, may]) => {
  const from = { path: `^packages/${name}/`, pathNot: tests }
  const known = [name, ...may.packages].join('|')
  const strangers = error(
    `${name}-knows-its-packages`,
    'A package may import only the packages that PACKAGES lists for it.',
    from,
    {
      path: '^packages/',
      pathNot: `^packages/(?:${known})/`,
    },
  )
  if (!may.npm) return [strangers]
  return [
    strangers,
    error(`${name}-runs-anywhere`, 'It also runs in a browser, so it must not import modules of Node.', from, {
      dependencyTypes: ['core'],
    }),
    error(`${name}-needs-little`, `It may import only ${may.npm.join(', ')} from npm.`, from, {
      path: '(?:^|/)node_modules/',
      pathNot: `(?:^|/)node_modules/(?:${may.npm.join('|')})/`,
    }),
  ]
})

export default {
  forbidden: [
    error(
      'no-knots',
      'Files must not import one another in a cycle. Merge them, or move what they share to a third file.',
      {},
      { circular: true },
    ),
    // The build compiles the modules with this prefix.
    error(
      'every-import-resolves',
      'The imported path or package does not exist.',
      {},
      { couldNotResolve: true, pathNot: '^virtual:' },
    ),
    ...floors.slice(0, -1).map(({ name, pattern }, index) =>
      error(
        `floor-${name.replaceAll(' ', '-')}-looks-down`,
        'Imports only go downwards: doors, features, verbs, features below calls, operations, snapshot, kinds of connections, base, nouns, db, leaves.',
        { path: pattern, pathNot: `${tests}|\\.command\\.ts$` },
        {
          path: floors
            .slice(index + 1)
            .map((above) => above.pattern)
            .join('|'),
        },
      ),
    ),
    error(
      'nouns-are-strangers',
      'Nouns never import one another: let a verb pass the value in.',
      { path: `^${gateway}/(${nouns})/`, pathNot: tests },
      { path: `^${gateway}/(?:${nouns})/`, pathNot: `^${gateway}/$1/` },
    ),
    ...SUFFIXES.slice(0, -1).map((suffix, index) =>
      error(
        `feature-${suffix.split('|')[0] || 'plain'}-looks-down`,
        'Within a feature: SQL (.rows) below decisions (no suffix), below .operations, .job and .step, below .command, .door and .start, below index.',
        { path: `${feature}${suffixOf(suffix)}`, pathNot: tests },
        {
          path: SUFFIXES.slice(index + 1)
            .map((above) => `^${gateway}/features/$1/${suffixOf(above)}`)
            .join('|'),
        },
      ),
    ),
    error(
      'features-decide-without-operations',
      'In a feature, rows and decisions know nothing of how operations are carried out.',
      { path: `${feature}(?:${suffixOf('rows')}|${suffixOf('')})`, pathNot: tests },
      { path: `^${gateway}/operations/` },
    ),
    error(
      'sql-of-features-is-in-rows',
      'In a feature, only .rows files write SQL.',
      { path: feature, pathNot: `${tests}|\\.rows\\.ts$` },
      {
        path: `^${gateway}/db/`,
        pathNot: `^${gateway}/db/(?:unreachable\\.ts$|backup/)`,
        dependencyTypesNot: ['type-only'],
      },
    ),
    error(
      'a-feature-has-one-way-in',
      'What others may use of a feature is in its index.ts; its commands are loaded by cli/program.ts alone, so that a command loads no server.',
      { path: `^${gateway}/`, pathNot: `${tests}|${feature}` },
      { path: feature, pathNot: `${feature}index\\.ts$|\\.command\\.ts$` },
    ),
    error(
      'commands-of-features-are-for-the-program',
      'Only cli/program.ts loads the commands of features.',
      { path: `^${gateway}/`, pathNot: `${tests}|^${gateway}/cli/program\\.ts$|\\.command\\.ts$` },
      { path: `${feature}[^/]+\\.command\\.ts$` },
    ),
    error(
      'commands-of-features-call-operations',
      'A command of a feature uses the contract and what the command line provides, and nothing of the server.',
      { path: `${feature}[^/]+\\.command\\.ts$`, pathNot: tests },
      { path: `^${gateway}/`, pathNot: `^${gateway}/(?:cli|lib)/|^${gateway}/features/$1/[^/]+\\.command\\.ts$` },
    ),
    error(
      'features-are-known',
      'FEATURES lists every feature, in its order.',
      { path: `^${gateway}/`, pathNot: tests },
      { path: feature, pathNot: `^${gateway}/features/(?:${FEATURES.join('|')})/` },
    ),
    ...FEATURES.slice(1).map((name, index) =>
      error(
        `${name}-knows-its-place`,
        'A feature uses only those that stand below it in FEATURES.',
        { path: `^${gateway}/features/${name}/`, pathNot: tests },
        { path: `^${gateway}/features/(?:${FEATURES.slice(0, index + 1).join('|')})/` },
      ),
    ),
    error(
      'features-use-one-another-by-their-index',
      'A feature uses another one through its index.ts.',
      { path: feature, pathNot: tests },
      { path: feature, pathNot: `^${gateway}/features/$1/|/index\\.ts$` },
    ),
    error(
      'commands-call-operations',
      'A command calls operations through cli/transport/ (ADR 0055). Only commands that work locally are exempt (start, doctor, vault, the check of an exported file, tests of rules that are all in files, the files of an OpenAPI document), and the words for their failures.',
      {
        path: `^${gateway}/cli/`,
        pathNot: `${tests}|^${gateway}/cli/(?:${[
          'transport/in-process\\.ts$', // the operations of the local installation
          'start(?:-declared)?\\.ts$|doctor(?:-database)?\\.ts$|opening-fault\\.ts$|terminal/failure\\.ts$|migrate\\.ts$|store\\.ts$|own-actor\\.ts$|mcp-client\\.ts$|program\\.ts$|(?:vault|backup|processes)/|connection/document\\.ts$|records/verify-file\\.ts$|policy/test-without-gateway\\.ts$', // local by nature
        ].join('|')})`,
      },
      { path: `^${gateway}/(?:db|${nouns})/` },
    ),
    error(
      'testing-is-for-tests',
      'Code for tests must not be imported by production code.',
      { path: '^packages/', pathNot: forTests },
      { path: `^packages/(?:gateway|toolkit)/src/testing/|^test/|${tests}` },
    ),
    ...packageRules,
    error(
      'screens-are-strangers',
      'Screens never import one another: move what they share to parts/, ui/ or data/.',
      { path: '^packages/console/src/screens/([^/]+)/', pathNot: tests },
      { path: '^packages/console/src/screens/', pathNot: '^packages/console/src/screens/$1/' },
    ),
    error(
      'the-kit-knows-no-data',
      'ui/ contains visual components and never imports data; parts/ and screens/ combine the two.',
      { path: '^packages/console/src/ui/', pathNot: tests },
      { path: '^packages/console/src/(?:data|parts|features|screens|shell)/' },
    ),
    error(
      'data-knows-no-pixels',
      'data/ contains the typed client, its queries and the state of the URL; it never imports visual components.',
      { path: '^packages/console/src/data/', pathNot: tests },
      { path: '^packages/console/src/(?:ui|parts|features|screens|shell)/|(?:^|/)node_modules/@mantine/' },
    ),
    error(
      'parts-know-no-screen',
      'Parts are used by features and screens and never import them.',
      { path: '^packages/console/src/parts/', pathNot: tests },
      { path: '^packages/console/src/(?:features|screens|shell)/' },
    ),
    error(
      'features-know-no-screen',
      'A feature is shown by screens and never imports them, nor another feature.',
      { path: '^packages/console/src/features/([^/]+)/', pathNot: tests },
      {
        path: '^packages/console/src/(?:features|screens|shell)/',
        pathNot: '^packages/console/src/features/$1/',
      },
    ),
    error(
      'children-are-started-by-the-worker',
      'The process that listens starts no other process except its own database; a command may open a browser, and the first of several processes starts the others.',
      {
        path: '^packages/',
        pathNot: `${forTests}|^${gateway}/upstreams/children/|^${gateway}/db/embedded(?:-postgres\\.ts$|/)|^packages/gateway/bin/|^${gateway}/cli/open-browser\\.ts$|^${gateway}/cli/processes/process-group\\.ts$|^packages/toolkit/src/workbench/remote/child-pipe\\.ts$`,
      },
      { path: '^(?:node:)?(?:child_process|cluster)$' },
    ),
    error(
      'undici-stays-behind-the-guard',
      'Every outgoing request goes through the one guarded agent.',
      { path: `^${gateway}/`, pathNot: `${forTests}|^${gateway}/(?:upstreams|lib)/` },
      { path: '^undici$|(?:^|/)node_modules/undici/' },
    ),
    error(
      'sockets-are-opened-in-few-places',
      'Outgoing requests go through upstreams/http/agent.ts; files that need another kind of socket are listed here.',
      {
        path: `^${gateway}/`,
        pathNot: `${forTests}|^${gateway}/(?:${[
          'upstreams/http/(?:agent|authorities|given-address|permits)\\.ts$', // the one way out
          'upstreams/http/egress/', // the way out of confined children, judged alike
          'upstreams/children/', // the line to the worker
          'http/(?:server|listeners)\\.ts$', // what comes in
          'db/embedded', // our own database, on its socket
          'cli/', // a program of its own, that asks the gateway
          'features/identity-providers/txt-records\\.ts$', // asks name servers about domains, and no address that a name leads to
          'kinds/remote\\.ts$|config(?:/service-links)?\\.ts$|identity/attempts\\.ts$', // only judge texts
        ].join('|')})`,
      },
      { path: '^(?:node:)?(?:https?|http2|net|tls|dgram|dns)(?:/promises)?$', dependencyTypesNot: ['type-only'] },
    ),
    error(
      'clients-of-other-protocols-are-few',
      'These libraries open connections themselves: the guard, or an operator who specified the address, must approve each of them.',
      {
        path: `^${gateway}/`,
        pathNot: `${forTests}|^${gateway}/(?:upstreams/websocket/|http/(?:persistent/websocket-door|events/event-socket)\\.ts$|limits/redis-token-store\\.ts$|vault/(?:key-service|references)/|upstreams/children/sandbox/kubernetes/cluster\\.ts$|lib/s3-client\\.ts$|db/)`,
      },
      {
        path: '(?:^|/)node_modules/(?:ws|ioredis|pg|@aws-sdk|axios|got|node-fetch|nodemailer)/',
        dependencyTypesNot: ['type-only'],
      },
    ),
    error(
      'libraries-that-fetch-are-few',
      'These libraries are given the guarded fetch; no other file may use them.',
      {
        path: `^${gateway}/`,
        pathNot: `${forTests}|^${gateway}/(?:identity|oauth)/`,
      },
      {
        path: '(?:^|/)node_modules/(?:jose|openid-client|oauth4webapi|oidc-provider|@modelcontextprotocol/(?:client|sdk))/',
        dependencyTypesNot: ['type-only'],
      },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/(?:dist|node_modules)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
