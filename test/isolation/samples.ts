/**
 * A sample request by a permitted caller for each operation of the admin interface, so that all other callers can be tested to be
 * refused.
 *
 * One row for each operation, by its id; an operation without a row fails the matrix. An operation that would destroy or change
 * what others depend on is not `repeatable`: permitted callers are then admitted with an invalid body, and get that error; real
 * requests are made only for objects of another organization, or ones that do not exist.
 */
import { OAUTH_APP } from './plants.ts'
import type { Names } from './town.ts'

export interface Sample {
  /** The path parameters besides the organization. */
  readonly params?: (names: Names) => Readonly<Record<string, string>>
  readonly query?: (names: Names) => Readonly<Record<string, string>>
  readonly body?: (names: Names) => unknown
  readonly repeatable?: false
  /** The expected answers to permitted callers, where they differ from the operation's own status: statuses or faults. */
  readonly answers?: readonly (number | string)[]
}

type Params = NonNullable<Sample['params']>
const connection: Params = (names) => ({ connection: names.connection })
const tool: Params = (names) => ({ connection: names.connection, tool: 'whoami' })
const child: Params = (names) => ({ connection: names.child })
const user: Params = (names) => ({ user: names.user })
const rowOf =
  (param: string, table: string): Params =>
  (names) => ({ [param]: names.row(table) })

const none: Sample = {}
/** Asked for in earnest only where it is somebody else's. */
const once = (params?: Params, body?: unknown): Sample => ({
  repeatable: false,
  ...(params === undefined ? {} : { params }),
  ...(body === undefined ? {} : { body: () => body }),
})

/** Samples for operations at run time. */
const RUNTIME: Readonly<Record<string, Sample>> = {
  findEndpoint: { params: connection },
  findProcess: { params: child },
  restartProcess: once(child),
  stopProcess: once(child),
  findProcessOfConnection: { params: child },
  restartProcessOfConnection: once(child),
  stopProcessOfConnection: once(child),
  listConnectionLog: { params: child },
  followConnectionLog: { params: child },
  listRecentLogs: none,
  followLogs: none,
  listPooled: none,
  summarizePool: none,
  endPooled: once((names) => ({ slug: names.organization, connection: names.connection })),
  endPooledIdle: { query: () => ({ idle_seconds: '86400' }) },
  listSessions: none,
  endSession: once(({ session }) => ({ session })),
  listSettings: none,
  findStats: none,
  findPlatformStats: none,
  listGateways: none,
  findUsage: none,
  listUsageCallers: none,
  findServiceLevels: none,
}

const CSV = 'email,role\nimported@example.com,viewer\n'
const PASSWORD = 'a long enough password'
/** An identity provider as an administrator enters it. */
const IDENTITY_PROVIDER = {
  title: 'Example ID',
  settings: { kind: 'oidc', issuer: 'https://id.example.com/', client_id: 'toolway' },
}
const provider: Params = () => ({ provider: 'login' })
const domain: Params = () => ({ domain: 'example.com' })

const NEW_PASSKEY = {
  ...{ id: 'x', rawId: 'x', type: 'public-key' },
  response: { clientDataJSON: 'x', attestationObject: 'x' },
}

/** People, sign-in and keys. */
const IDENTITY: Readonly<Record<string, Sample>> = {
  listIdentityProviders: none,
  putIdentityProvider: once(provider, IDENTITY_PROVIDER),
  tryIdentityProvider: once(provider),
  removeIdentityProvider: once(provider),
  listInstallationIdentityProviders: none,
  putInstallationIdentityProvider: once(provider, IDENTITY_PROVIDER),
  tryInstallationIdentityProvider: once(() => ({ provider: 'of-nobody' })),
  removeInstallationIdentityProvider: once(() => ({ provider: 'of-nobody' })),
  listIdentityDomains: none,
  putIdentityDomain: once(domain, {}),
  proveIdentityDomain: once(domain, {}),
  removeIdentityDomain: once(domain),
  verifyAuth: none,
  showMe: none,
  register: once(undefined, { setup_code: 'x', email: 'x@example.com', name: 'X', password: PASSWORD }),
  login: once(undefined, { email: 'x@example.com', password: PASSWORD }),
  refresh: once(undefined, { refresh_token: 'x' }),
  logout: once(undefined, { refresh_token: 'x' }),
  changePassword: once(undefined, { current_password: PASSWORD, new_password: PASSWORD }),
  choosePassword: once(undefined, { code: 'x', password: PASSWORD }),
  findCodeOwner: once(undefined, { code: 'x' }),
  listSignIns: { answers: [200, 'login.needed'] },
  endSignIn: once(({ signIn }) => ({ id: signIn })),
  endSignIns: once(),
  finishLogin: once(undefined, { challenge: 'x', code: 'x' }),
  listIdentityLinks: { answers: [200, 'login.needed'] },
  beginIdentityLink: once(() => ({ provider: 'idp_x' })),
  removeIdentityLink: once(() => ({ provider: 'idp_x' })),
  listSecondFactors: { answers: [200, 'login.needed'] },
  beginPasskey: once(),
  addPasskey: once(undefined, { challenge: 'x', name: 'x', passkey: NEW_PASSKEY }),
  beginAuthenticatorApp: once(),
  addAuthenticatorApp: once(undefined, { challenge: 'x', name: 'x', code: 'x' }),
  renameSecondFactor: once(() => ({ factor: 'psk_x' }), { name: 'x' }),
  removeSecondFactor: once(() => ({ factor: 'psk_x' })),
  newRecoveryCodes: once(),
  beginProof: { answers: [200, 'login.needed'] },
  proveAgain: once(undefined, { password: PASSWORD }),
  resetSecondFactor: once(user),
  resetMemberSecondFactor: once(user),
  listMembers: none,
  addMember: once(undefined, { email: 'new@example.com', role: 'tenant_viewer' }),
  changeMember: once(user, { role: 'tenant_viewer' }),
  removeMember: once(user),
  previewMemberImport: once(undefined, { csv: CSV }),
  importMembers: once(undefined, { csv: CSV }),
  exportMembers: none,
  listGroups: none,
  putGroup: once(() => ({ group: 'crew' }), { title: 'Crew' }),
  removeGroup: once(() => ({ group: 'crew' })),
  joinGroup: once((names) => ({ group: 'crew', ...user(names) })),
  leaveGroup: once((names) => ({ group: 'crew', ...user(names) })),
  listUsers: none,
  addUser: once(undefined, { email: 'new@example.com' }),
  changeUser: once(user, { is_active: true }),
  removeUser: once(user),
  addPasswordCode: once(user),
  setPassword: once(user, { password: PASSWORD }),
  addSetUpCode: once(),
  addPlatformKey: once(undefined, { name: 'new' }),
  listPlatformKeys: none,
  importKeys: once(undefined, { lines: '' }),
  trustKey: once(rowOf('key', 'keys')),
  removePlatformKey: once(rowOf('key', 'keys')),
  addOrganizationKey: once(undefined, { name: 'new' }),
  listOrganizationKeys: none,
  removeOrganizationKey: once(rowOf('key', 'keys')),
  listClientsSeen: none,
  listMyKeys: {
    query: ({ organization }) => ({ organization }),
    answers: [200, 'place.unknown', 'login.needed'],
  },
  addMyKey: once(undefined, { name: 'new' }),
  regenerateMyKey: once(),
  revealMyKey: once(),
  removeMyKey: once(rowOf('key', 'keys')),
}

/** A small OpenAPI document. */
const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://shop.example.com' }],
  paths: { '/orders': { get: { operationId: 'listOrders', responses: { 200: { description: 'ok' } } } } },
})

/** Organizations and what belongs to them. */
const ADMINISTRATION: Readonly<Record<string, Sample>> = {
  listOrganizations: none,
  addOrganization: once(undefined, { slug: 'new', name: 'New' }),
  getOrganization: { answers: [200, 'place.unknown', 'thing.unknown'] },
  changeOrganization: once(undefined, { name: 'Same' }),
  removeOrganization: once(),
  getOrganizationSettings: none,
  changeOrganizationSettings: once(undefined, { name: 'Same' }),
  getOrganizationEgress: none,
  changeOrganizationEgress: once(undefined, { networks: ['10.0.0.0/8'] }),
  listConnections: none,
  addConnection: once(undefined, {
    alias: 'new',
    connector: 'mcp.http',
    url: 'https://mcp.example.com/',
    auth: { kind: 'key' },
  }),
  getConnection: { params: connection },
  changeConnection: once(connection, { title: 'Taken over' }),
  compareConnection: { params: connection, body: () => ({}) },
  removeConnection: once(connection),
  importConnections: once(undefined, {
    source: 'mcp.json',
    connections: [{ alias: 'taken', url: 'https://taken.example.com/mcp' }],
  }),
  undoImport: once(),
  toggleConnection: once(connection, { enabled: false }),
  previewOpenApi: once(undefined, { document: DOCUMENT }),
  addOpenApi: once(undefined, { alias: 'shop', document: DOCUMENT }),
  refreshOpenApi: once(connection, { document: DOCUMENT.replace('"1"', '"2"'), apply: true }),
  getOpenApiDocument: { params: connection, answers: ['thing.unknown'] },
  listAllAccounts: none,
  listOwnAccounts: none,
  listAccounts: { params: connection },
  addAccountKey: once(connection, { key: 'k3y' }),
  listReliance: { params: connection },
  changeAccount: once((names) => ({ connection: names.connection, account: names.row('credentials') }), {
    is_default: true,
  }),
  removeAccount: once((names) => ({ connection: names.connection, account: names.row('credentials') })),
  listTools: { params: connection },
  listToolsOfConnection: { params: connection },
  toggleTool: once((names) => ({ connection: names.connection, tool: 'whoami' }), { enabled: false }),
  switchTools: once(connection, { tools: [{ name: 'whoami', enabled: false }] }),
  enableAllTools: once(connection),
  disableAllTools: once(connection),
  syncTools: once(connection),
  listAllTools: none,
  getToolInFull: { params: () => ({ tool: 'child__whoami' }), answers: [200, 'thing.unknown'] },
  switchAllTools: once(undefined, { tools: [{ connection: 'same', name: 'whoami', enabled: false }] }),
  previewList: { body: () => ({ role: 'tenant_member' }) },
  pickTools: { body: () => ({ selection: { include: ['*'], exclude: [] } }) },
  pickConnections: { body: () => ({ selection: { include: ['*'], exclude: [] } }) },
  changePick: { body: () => ({ selection: { include: ['*'], exclude: [] }, take: false, connection: 'child' }) },
  listToolLocks: none,
  getToolLock: { params: connection },
  getApprovalForecast: { params: connection },
  setToolLock: once(connection, { mode: 'all' }),
  getPayloadSetting: { params: connection },
  setPayloadSetting: once(connection, { keep: true }),
  showRecordPayload: { params: rowOf('record', 'record_payloads') },
  listLockedTools: { params: connection },
  getToolDifference: { params: tool },
  acceptTool: once(tool, { hash: '0'.repeat(64) }),
  rejectTool: once(tool, { hash: '0'.repeat(64) }),
  getAgentModel: none,
  setAgentModel: once(undefined, { provider: 'openai', model: 'same', key: 'same' }),
  removeAgentModel: once(),
  runAgent: {
    body: () => ({ messages: [{ role: 'user', content: 'same' }] }),
    answers: ['agent.unset', 'agent.member'],
  },
  listToolsets: none,
  getToolset: { params: () => ({ toolset: 'standard' }) },
  putToolset: once(() => ({ toolset: 'work' }), { include: ['*'], exclude: [] }),
  removeToolset: once(() => ({ toolset: 'work' })),
  checkDraftRule: { body: () => ({ words: { name: 'draft' } }) },
  explainPolicy: { body: () => ({ tool: 'child__whoami' }), answers: [200, 'thing.unknown'] },
  listShadows: none,
  getAccessMap: none,
  testPolicy: { body: () => ({ cases: [{ tool: 'x', expect: 'allow' }], tools: { x: {} } }) },
  replayPolicy: { body: () => ({ draft: {} }) },
  listRules: none,
  addRule: once(undefined, { tool_name_pattern: 'x', action: 'warn', reason: 'x' }),
  changeRule: once(rowOf('rule', 'rules'), { reason: 'x' }),
  removeRule: once(rowOf('rule', 'rules')),
  listPlatformRules: none,
  addPlatformRule: once(undefined, { name: 'new', action: 'warn', reason: 'x' }),
  addPlatformRules: once(undefined, { rules: [{ name: 'one', action: 'warn', reason: 'x' }] }),
  getPlatformRule: { params: rowOf('rule', 'rules'), answers: [200, 'thing.unknown'] },
  changePlatformRule: once(rowOf('rule', 'rules'), { reason: 'x' }),
  removePlatformRule: once(rowOf('rule', 'rules')),
  listOrganizationRules: none,
  addOrganizationRule: once(undefined, { name: 'new', action: 'warn', reason: 'x' }),
  addOrganizationRules: once(undefined, { rules: [{ name: 'one', action: 'warn', reason: 'x' }] }),
  getOrganizationRule: { params: rowOf('rule', 'organization_rules') },
  changeOrganizationRule: once(rowOf('rule', 'organization_rules'), { reason: 'x' }),
  removeOrganizationRule: once(rowOf('rule', 'organization_rules')),
  getOpenApi: none,
  readReference: none,
  listAudit: none,
  listOrganizationAudit: none,
  exportAudit: none,
  exportOrganizationAudit: none,
  verifyAudit: none,
  verifyOrganizationAudit: none,
  listRecordSigners: none,
  redactRecord: once(rowOf('record', 'records'), { fields: ['detail'], reason: 'same' }),
  pruneRecords: once(undefined, { before: '2000-01-01T00:00:00Z' }),
  listCredentials: none,
  removeCredentials: once(() => ({ provider: 'github' })),
  listOAuthApps: none,
  putOAuthApp: { body: () => OAUTH_APP },
  removeOAuthApp: once(() => ({ provider: 'github' })),
  // A connection that takes no accounts: a link for it is refused, whoever asks.
  linkConnection: { params: connection, answers: ['flow.unfit', 'role.forbidden'] },
  beginProviderAuth: { params: () => ({ provider: 'github' }), answers: [200, 'role.forbidden'] },
  beginOwnProviderAuth: {
    params: () => ({ provider: 'github' }),
    body: ({ organization }) => ({ organization }),
    answers: [200, 'place.unknown', 'role.forbidden'],
  },
  listProviders: none,
  readConnectSession: { params: () => ({ session: 'of-nobody' }), answers: ['thing.unknown'] },
  listOAuthClients: none,
  addOAuthClient: once(undefined, { name: 'new', redirect_uris: ['https://client.example.com/'] }),
  removeOAuthClient: once(() => ({ client: 'client_of_nobody' })),
  listOwnGrants: none,
  endOwnGrant: once(rowOf('grant', 'oauth_grants')),
  listGrants: none,
  endGrant: once(rowOf('grant', 'oauth_grants')),
}

const RECORD_STREAM = { name: 'siem', destination: { kind: 'webhook', url: 'https://hooks.example.com/' } }

/** Integrations, what is told of them, and where. */
const TOLD: Readonly<Record<string, Sample>> = {
  listIntegrations: none,
  addIntegration: once(undefined, { server_url: 'https://mcp.example.com/' }),
  listIntegrationRegistry: none,
  listIntegrationTools: none,
  getNativeConnector: { params: () => ({ vendor: 'github' }) },
  listConnectorCatalog: none,
  getIntegration: { params: connection },
  changeIntegration: once(connection, { name: 'Taken over' }),
  removeIntegration: once(connection),
  testIntegration: once(connection),
  getOAuthUrl: { params: connection, query: () => ({ owner: 'nobody' }), answers: ['body.shape'] },
  connectIntegration: once(connection),
  departForAccount: once(connection),
  probeAddress: once(undefined, { url: 'http://127.0.0.1:9/' }),
  disconnectIntegration: once(connection),
  followEvents: none,
  followOrganizationEvents: none,
  listAlerts: none,
  listWebhooks: none,
  addWebhook: once(undefined, { url: 'https://hooks.example.com/' }),
  changeWebhook: once(rowOf('webhook', 'webhooks'), { description: 'x' }),
  removeWebhook: once(rowOf('webhook', 'webhooks')),
  testWebhook: once(rowOf('webhook', 'webhooks')),
  getProvisioning: none,
  addScimToken: once(undefined, { name: 'okta' }),
  rotateScimToken: once(rowOf('token', 'scim_tokens'), {}),
  removeScimToken: once(rowOf('token', 'scim_tokens')),
  listLeavers: none,
  removeLeaver: once(user),
  listRecordStreams: none,
  addRecordStream: once(undefined, RECORD_STREAM),
  changeRecordStream: once(rowOf('stream', 'record_streams'), { name: 'x' }),
  removeRecordStream: once(rowOf('stream', 'record_streams')),
  testRecordStream: once(rowOf('stream', 'record_streams')),
  listAllRecordStreams: none,
  addInstallationRecordStream: once(undefined, RECORD_STREAM),
  changeInstallationRecordStream: once(() => ({ stream: 'str_of_nobody' }), { name: 'x' }),
  testInstallationRecordStream: once(() => ({ stream: 'str_of_nobody' })),
  removeInstallationRecordStream: once(() => ({ stream: 'str_of_nobody' })),
  listApprovals: none,
  // Shown to people whom its rules ask, and to who administers rules; to a member's key it is not there.
  getApproval: { params: rowOf('approval', 'approvals'), answers: [200, 'thing.unknown'] },
  answerApproval: once(rowOf('approval', 'approvals'), { answer: 'deny' }),
  listLastingApprovals: none,
  // To whose calls or word it is, and to who administers rules.
  endLastingApproval: once(rowOf('lasting', 'lasting_grants')),
  rotateWebhookSecret: once(rowOf('webhook', 'webhooks')),
}

const file = rowOf('file', 'files')
/** Files are their owner's, and an administrator of members sees that they are there. */
const FILES: Readonly<Record<string, Sample>> = {
  listFiles: { answers: [200] },
  addFile: once(undefined, { name: 'new', size: 1 }),
  getFile: { params: file, answers: [200, 'thing.unknown'] },
  // The planted one is complete, and only its owner would be told so.
  addUploadLink: { params: file, answers: ['thing.unknown'] },
  addDownloadLink: { params: file, answers: [201, 'thing.unknown'] },
  removeFile: once(file),
  getFileUsage: none,
}

export const SAMPLES: Readonly<Record<string, Sample>> = {
  ...RUNTIME,
  ...IDENTITY,
  ...ADMINISTRATION,
  ...TOLD,
  ...FILES,
}
