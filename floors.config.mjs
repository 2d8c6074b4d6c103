/**
 * Import rules for `npm run check`: the layers ("floors") of the gateway, what each package may import, and the few files that may
 * do what can do harm. Type imports count. This file is the one list of folders and packages; the tables of ARCHITECTURE.md are
 * generated from it (`npm test -- test/contract -u`).
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const gateway = 'packages/gateway/src'

/** Outside the floors: programs and fixtures that nothing imports. */
const APART = ['demo', 'testing']

/** The floors of the gateway, top to bottom. Every folder that is named nowhere here is a noun. */
export const FLOORS = [
  {
    name: 'doors',
    about: 'what comes in, worded for its transport; `compose` builds every part',
    folders: ['http', 'cli', 'compose', 'config', 'declaration'],
    files: ['main', 'compose', 'config', 'config-[\\w-]+', 'policy-file', 'presets?', 'preset-[\\w-]+'],
  },
  { name: 'verbs', about: 'what is done; nouns meet here', folders: ['call', 'admin', 'oauth', 'jobs'] },
  { name: 'kinds', about: 'each kind of connection: described, kept, opened, probed (ADR 0053)', folders: ['kinds'] },
  { name: 'nouns', about: 'strangers to one another', folders: [] },
  { name: 'db', about: 'SQL under row-level security', folders: ['db'] },
  { name: 'leaves', about: 'small tools, and the packages `contract` and `protocol`', folders: ['lib'] },
]
const named = new Set([...APART, ...FLOORS.flatMap(({ folders }) => folders)])
const nounFolders = FLOORS.find(({ name }) => name === 'nouns').folders
for (const entry of readdirSync(join(import.meta.dirname, gateway), { withFileTypes: true }))
  if (entry.isDirectory() && !named.has(entry.name)) nounFolders.push(entry.name)
nounFolders.sort()

const nouns = nounFolders.join('|')
const patternOf = ({ folders, files }) =>
  `^${gateway}/(?:(?:${folders.join('|')})/${files ? `|(?:${files.join('|')})\\.ts$` : ''})`
/** Patterns, bottom to top. */
const floors = FLOORS.map(patternOf).reverse()

const tests = '\\.test\\.'
const forTests = `${tests}|^packages/(?:gateway|toolkit)/src/testing/`

/** What each package is, and what it may import: other packages, and from npm. Absent means: anything its package.json names. */
export const PACKAGES = {
  contract: {
    about: 'what every side agrees on: ids, faults, shapes, operations (Zod), the kinds of addresses',
    packages: [],
    npm: ['zod', 'ipaddr.js'],
  },
  protocol: {
    about: 'MCP itself and the one client, pure: no I/O, no Node',
    packages: ['contract'],
    npm: ['zod'],
  },
  connectors: { about: 'tools for vendors, as data', packages: ['contract'], npm: ['zod', 'fflate'] },
  gateway: { about: 'the server and its command line', packages: ['contract', 'protocol', 'connectors'] },
  console: { about: 'the web interface, served by the gateway', packages: ['contract', 'protocol'] },
  bridge: { about: 'stdio to the gateway, for clients that only start processes', packages: ['contract', 'protocol'] },
  'uru-mcp': {
    about: 'the client package of the source system Uru: the tools of a workspace over stdio',
    packages: [],
  },
  toolkit: { about: 'files of the user’s own machine as MCP tools over stdio', packages: ['contract', 'protocol'] },
}

const error = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

const packageRules = Object.entries(PACKAGES).flatMap(([name, may]) => {
  const from = { path: `^packages/${name}/`, pathNot: tests }
  const known = [name, ...may.packages].join('|')
  const strangers = error(
    `${name}-knows-its-packages`,
    'A package exists where something ships alone or is trusted with less.',
    from,
    {
      path: '^packages/',
      pathNot: `^packages/(?:${known})/`,
    },
  )
  if (!may.npm) return [strangers]
  return [
    strangers,
    error(`${name}-runs-anywhere`, 'No Node in it: it also runs in a browser.', from, { dependencyTypes: ['core'] }),
    error(`${name}-needs-little`, `From npm only ${may.npm.join(', ')}.`, from, {
      path: '(?:^|/)node_modules/',
      pathNot: `(?:^|/)node_modules/(?:${may.npm.join('|')})/`,
    }),
  ]
})

export default {
  forbidden: [
    error('no-knots', 'A cycle means two files are one idea, or a third is missing.', {}, { circular: true }),
    // The build compiles the modules with this prefix.
    error(
      'every-import-resolves',
      'A path or package that is not there.',
      {},
      { couldNotResolve: true, pathNot: '^virtual:' },
    ),
    ...floors.slice(0, -1).map((floor, index) =>
      error(
        `floor-${index}-looks-down`,
        'leaves, db, nouns, kinds of connections, verbs, doors: imports go downwards.',
        { path: floor, pathNot: tests },
        {
          path: floors.slice(index + 1).join('|'),
        },
      ),
    ),
    error(
      'nouns-are-strangers',
      'Verbs introduce them: pass the value in.',
      { path: `^${gateway}/(${nouns})/`, pathNot: tests },
      { path: `^${gateway}/(?:${nouns})/`, pathNot: `^${gateway}/$1/` },
    ),
    error(
      'commands-call-operations',
      'A command calls operations through cli/transport/ (ADR 0055). Local by nature: start, doctor, vault, a check of an exported file.',
      {
        path: `^${gateway}/cli/`,
        pathNot: `${tests}|^${gateway}/cli/(?:${[
          'transport/in-process\\.ts$', // the operations of the local installation
          'start(?:-declared)?\\.ts$|doctor\\.ts$|migrate\\.ts$|store\\.ts$|own-actor\\.ts$|mcp-client\\.ts$|program\\.ts$|(?:vault|backup|processes)/|records/verify-file\\.ts$', // local by nature
        ].join('|')})`,
      },
      { path: `^${gateway}/(?:db|${nouns})/` },
    ),
    error(
      'testing-is-for-tests',
      'What tests lean on never reaches production.',
      { path: '^packages/', pathNot: forTests },
      { path: `^packages/(?:gateway|toolkit)/src/testing/|^test/|${tests}` },
    ),
    ...packageRules,
    error(
      'screens-are-strangers',
      'What two screens share is a part, a piece of the kit or a question: it moves to parts/, ui/ or data/.',
      { path: '^packages/console/src/screens/([^/]+)/', pathNot: tests },
      { path: '^packages/console/src/screens/', pathNot: '^packages/console/src/screens/$1/' },
    ),
    error(
      'the-kit-knows-no-data',
      'ui/ holds what it looks like, data/ where it comes from; parts/ and screens/ join them.',
      { path: '^packages/console/src/ui/', pathNot: tests },
      { path: '^packages/console/src/(?:data|parts|screens|shell)/' },
    ),
    error(
      'data-knows-no-pixels',
      'The typed client, its questions and the state of the address are the same whatever is drawn.',
      { path: '^packages/console/src/data/', pathNot: tests },
      { path: '^packages/console/src/(?:ui|parts|screens|shell)/|(?:^|/)node_modules/@mantine/' },
    ),
    error(
      'parts-know-no-screen',
      'Screens are made of parts.',
      { path: '^packages/console/src/parts/', pathNot: tests },
      { path: '^packages/console/src/(?:screens|shell)/' },
    ),
    error(
      'children-are-started-by-the-worker',
      'The process that listens starts no other, apart from its own database; a command may open a browser, and the first of several processes starts the others.',
      {
        path: '^packages/',
        pathNot: `${forTests}|^${gateway}/upstreams/children/|^${gateway}/db/embedded(?:-postgres\\.ts$|/)|^packages/gateway/bin/|^${gateway}/cli/accounts/open-browser\\.ts$|^${gateway}/cli/processes/process-group\\.ts$|^packages/toolkit/src/workbench/remote/child-pipe\\.ts$`,
      },
      { path: '^(?:node:)?(?:child_process|cluster)$' },
    ),
    error(
      'undici-stays-behind-the-guard',
      'Every request that leaves goes through the one guarded agent.',
      { path: `^${gateway}/`, pathNot: `${forTests}|^${gateway}/(?:upstreams|lib)/` },
      { path: '^undici$|(?:^|/)node_modules/undici/' },
    ),
    error(
      'sockets-are-opened-in-few-places',
      'What leaves goes through upstreams/http/agent.ts; whoever needs a socket of another kind is listed here.',
      {
        path: `^${gateway}/`,
        pathNot: `${forTests}|^${gateway}/(?:${[
          'upstreams/http/(?:agent|authorities|given-address|permits)\\.ts$', // the one way out
          'upstreams/http/egress/', // the way out of confined children, judged alike
          'upstreams/children/', // the line to the worker
          'http/server\\.ts$', // what comes in
          'db/embedded', // our own database, on its socket
          'cli/', // a program of its own, that asks the gateway
          'kinds/remote\\.ts$|config(?:/service-links)?\\.ts$|identity/attempts\\.ts$', // only judge texts
        ].join('|')})`,
      },
      { path: '^(?:node:)?(?:https?|http2|net|tls|dgram|dns)(?:/promises)?$', dependencyTypesNot: ['type-only'] },
    ),
    error(
      'clients-of-other-protocols-are-few',
      'Each brings its own connections: the guard, or an operator who named the address, stands before each of these.',
      {
        path: `^${gateway}/`,
        pathNot: `${forTests}|^${gateway}/(?:upstreams/websocket/|http/(?:persistent/websocket-door|events/event-socket)\\.ts$|limits/redis-count\\.ts$|vault/(?:key-service|references)/|upstreams/children/sandbox/kubernetes/cluster\\.ts$|lib/s3-client\\.ts$|db/)`,
      },
      {
        path: '(?:^|/)node_modules/(?:ws|ioredis|pg|@aws-sdk|axios|got|node-fetch|nodemailer)/',
        dependencyTypesNot: ['type-only'],
      },
    ),
    error(
      'libraries-that-fetch-are-few',
      'They are handed the guarded fetch, and nobody else uses them.',
      {
        path: `^${gateway}/`,
        pathNot: `${forTests}|^${gateway}/(?:identity|oauth)/|^${gateway}/compose/external-principals\\.ts$`,
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
