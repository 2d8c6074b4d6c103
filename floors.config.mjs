/**
 * Which file may import which? The floors of ARCHITECTURE.md as rules that `npm run check` holds every import against,
 * type imports included: downwards only, nouns are strangers, and what can do harm is in one place each.
 */
const gateway = 'packages/gateway/src'
const nouns =
  'alerts|approvals|connections|credentials|organizations|identity|sessions|catalog|toolsets|policy|upstreams|vault|records|results|telemetry|limits|webhooks'
const doors = `(?:http|cli|compose)/|${gateway}/(?:main|compose|config|config-[\\w-]+|policy-file)\\.ts$`
const floors = ['lib/', 'db/', `(?:${nouns})/`, '(?:call|admin|oauth|jobs)/', doors].map(
  (floor) => `^${gateway}/${floor}`,
)

const tests = '\\.test\\.'
const forTests = `${tests}|^${gateway}/testing/`

/** What each package may import: other packages, and from npm. Absent means: anything its package.json names. */
const packages = {
  contract: { packages: [], npm: ['zod'] },
  protocol: { packages: ['contract'], npm: ['zod'] },
  connectors: { packages: ['contract'], npm: ['zod'] },
  gateway: { packages: ['contract', 'protocol', 'connectors'] },
  console: { packages: ['contract'] },
  bridge: { packages: ['contract', 'protocol'] },
  toolkit: { packages: ['contract', 'protocol'] },
}

const error = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

const packageRules = Object.entries(packages).flatMap(([name, may]) => {
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
    error('every-import-resolves', 'A path or package that is not there.', {}, { couldNotResolve: true }),
    ...floors.slice(0, -1).map((floor, index) =>
      error(
        `floor-${index}-looks-down`,
        'leaves, db, nouns, verbs, doors: imports go downwards.',
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
      'A command calls operations through cli/transport/ (ADR 0055). Local by nature: start, doctor, vault; the others listed are to be moved.',
      {
        path: `^${gateway}/cli/`,
        pathNot: `${tests}|^${gateway}/cli/(?:${[
          'transport/in-process\\.ts$', // the operations of the local installation
          'start(?:-declared)?\\.ts$|doctor\\.ts$|store\\.ts$|own-actor\\.ts$|mcp-client\\.ts$|program\\.ts$|vault/', // local by nature
          'accounts/|approvals/|connection\\.ts$|import/|lock/|openapi/|policy/|records/|toolset/', // not moved yet
        ].join('|')})`,
      },
      { path: `^${gateway}/(?:db|${nouns})/` },
    ),
    error(
      'testing-is-for-tests',
      'What tests lean on never reaches production.',
      { path: '^packages/', pathNot: forTests },
      { path: `^${gateway}/testing/|^test/|${tests}` },
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
      'The process that listens starts no other, apart from its own database; a command may open a browser.',
      {
        path: '^packages/',
        pathNot: `${forTests}|^${gateway}/upstreams/children/|^${gateway}/db/embedded(?:-postgres\\.ts$|/)|^packages/gateway/bin/|^${gateway}/cli/accounts/open-browser\\.ts$`,
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
          'upstreams/http/(?:agent|authorities|given-address)\\.ts$', // the one way out
          'upstreams/children/', // the line to the worker
          'http/server\\.ts$', // what comes in
          'db/embedded', // our own database, on its socket
          'cli/', // a program of its own, that asks the gateway
          'admin/connections/describe-connection\\.ts$|config(?:-service-links)?\\.ts$|identity/attempts\\.ts$', // only judge texts
        ].join('|')})`,
      },
      { path: '^(?:node:)?(?:https?|http2|net|tls|dgram|dns)(?:/promises)?$', dependencyTypesNot: ['type-only'] },
    ),
    error(
      'clients-of-other-protocols-are-few',
      'Each brings its own connections: the guard, or an operator who named the address, stands before each of these.',
      {
        path: `^${gateway}/`,
        pathNot: `${forTests}|^${gateway}/(?:upstreams/websocket/|http/(?:lasting/websocket-door|events/event-socket)\\.ts$|limits/redis-count\\.ts$|db/)`,
      },
      {
        path: '(?:^|/)node_modules/(?:ws|ioredis|pg|axios|got|node-fetch|nodemailer)/',
        dependencyTypesNot: ['type-only'],
      },
    ),
    error(
      'libraries-that-fetch-are-few',
      'They are handed the guarded fetch, and nobody else uses them.',
      { path: `^${gateway}/`, pathNot: `${forTests}|^${gateway}/(?:identity|oauth)/|^${gateway}/compose/guests\\.ts$` },
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
