/**
 * Every way in which Toolway refuses or cannot: one row per fault, in three voices (problem+json, JSON-RPC, tool result).
 *
 * The blanks of a row's sentences are the facts that it must be thrown with: a missing fact or a misspelt code does not
 * compile. A fault never carries a secret or an upstream's address; what explains it to an operator travels in `cause`,
 * which goes to the log and nowhere else. An upstream that answers "no" is not a fault but a result.
 */

/** The word codes of the ledger's U-13, which clients may branch on. */
export type FaultWord =
  | 'INVALID_ARGUMENT'
  | 'POLICY_VIOLATION'
  | 'EXECUTION_ERROR'
  | 'TOOL_NOT_FOUND'
  | 'TOOLS_NOT_READY'
  | 'NOT_FOUND'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'RATE_LIMITED'
  | 'TIMEOUT'
  | 'CANCELLED'
  | 'NEEDS_AUTH'
  | 'APPROVAL_REQUIRED'
  | 'METADATA_UNAVAILABLE'
  | 'PAYLOAD_TOO_LARGE'
  | 'NOT_SUPPORTED'
  | 'UNAVAILABLE'
  | 'INTERNAL'

/** The step of a call (house words) in which the fault arose. */
export type FaultPhase =
  | 'receive'
  | 'identify'
  | 'place'
  | 'admit'
  | 'find'
  | 'decide'
  | 'check'
  | 'open'
  | 'start'
  | 'run'
  | 'shape'

interface FaultRow<Say extends string = string, Mend extends string = string> {
  readonly word: FaultWord
  readonly phase: FaultPhase
  /** HTTP status when the fault is the whole answer. */
  readonly http: number
  /** JSON-RPC error number (U-13; MCP 2026-07-28 for -3202x). */
  readonly rpc: number
  /** Whether the same request may succeed when it is sent again. */
  readonly retry: boolean
  readonly say: Say
  readonly mend: Mend
}

const row = <const Say extends string, const Mend extends string>(
  phase: FaultPhase,
  word: FaultWord,
  [http, rpc, retry]: readonly [http: number, rpc: number, retry?: 'retry'],
  say: Say,
  mend: Mend,
): FaultRow<Say, Mend> => ({ phase, word, http, rpc, retry: retry === 'retry', say, mend })

const PARSE = -32700
const INVALID = -32600
const NO_METHOD = -32601
const PARAMS = -32602
const INTERNAL = -32603
const NO_KEY = -32001
const FORBIDDEN = -32002
const UNREACHABLE = -32003
const HEADERS = -32020
const CAPABILITY = -32021
const VERSION = -32022

// prettier-ignore
export const FAULTS = {
  'request.host': row('receive', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The Host header contains an address that this gateway does not serve.', 'Use the address that the gateway printed, or set TOOLWAY_PUBLIC_URL to the address that clients use.'),
  'request.origin': row('receive', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The Origin of this request is not allowed.', 'Call from the gateway\'s own address. Other web origins are refused to protect against cross-site requests.'),
  'request.repeated': row('receive', 'INVALID_ARGUMENT', [400, INVALID], 'The request contains the {header} header more than once.', 'Send the header only once. A proxy that sets it must replace the existing value.'),
  'request.method': row('receive', 'INVALID_ARGUMENT', [405, INVALID], 'This address does not support {method}.', 'Use one of: {allowed}.'),
  'request.media-type': row('receive', 'INVALID_ARGUMENT', [415, INVALID], 'The Content-Type is not application/json.', 'Send the message with Content-Type: application/json.'),
  'request.not-acceptable': row('receive', 'INVALID_ARGUMENT', [406, INVALID], 'The Accept header allows neither JSON nor an event stream.', 'Send Accept: application/json, text/event-stream.'),
  'request.too-large': row('receive', 'PAYLOAD_TOO_LARGE', [413, INVALID], 'The request body is larger than {limit} bytes.', 'Send less, or ask the operator to raise the limit.'),
  'request.cut-off': row('receive', 'INVALID_ARGUMENT', [400, PARSE, 'retry'], 'The request ended before its body was complete.', 'Send it again.'),
  'request.slow': row('receive', 'TIMEOUT', [408, UNREACHABLE, 'retry'], 'The request was not complete within {seconds} s.', 'Send it again. If this happens often, check the network between the client and the gateway.'),
  'request.not-json': row('receive', 'INVALID_ARGUMENT', [400, PARSE], 'The request body is not valid JSON: {problem}', 'Correct the body at that position.'),
  'request.too-deep': row('receive', 'INVALID_ARGUMENT', [400, INVALID], 'The request is nested deeper than {limit} levels at {place}.', 'Flatten the arguments.'),
  'request.shape': row('receive', 'INVALID_ARGUMENT', [400, INVALID], 'The message is not a JSON-RPC 2.0 message: {place} {problem}.', 'Send one object with jsonrpc "2.0", a method, and an id that is a string or an integer.'),
  'request.batch': row('receive', 'INVALID_ARGUMENT', [400, INVALID], 'Protocol revision {revision} does not support batches.', 'Send one message per request.'),
  'request.batch-size': row('receive', 'PAYLOAD_TOO_LARGE', [400, INVALID], 'A batch may contain at most {limit} messages.', 'Send fewer messages at a time.'),
  'request.binary': row('receive', 'INVALID_ARGUMENT', [415, INVALID], 'Messages must be text frames, and this frame is binary.', 'Send the JSON as a text frame.'),

  'batch.too-large': row(
    'shape',
    'PAYLOAD_TOO_LARGE',
    [502, UNREACHABLE],
    'The combined answers of this batch are larger than {limit} bytes.',
    'Send fewer requests at a time.',
  ),

  'key.missing': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'This address requires an API key, and the request has none.', 'Send "Authorization: Bearer uru_…". Create a key with `toolway key add NAME`.'),
  'key.unknown': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'The API key of this request is not valid.', 'Check that it was copied completely, or create a new one with `toolway key add NAME`.'),
  'token.unknown': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'The access token of this request is not valid.', 'Sign in again with `toolway login`, or in the client that sent the request.'),
  'token.expired': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'The access token of this request has expired.', 'Use the refresh token to get a new access token, or sign in again.'),

  'login.wrong': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'Wrong email or password.', 'Check both, or ask an administrator for a password reset code.'),
  'login.limit': row('identify', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'Too many failed sign-ins. Try again in {seconds} s.', 'Wait, then try again.'),
  'login.provider': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'Sign-in with the identity provider failed: {problem}.', 'Try again at /sign-in, or ask an administrator to add you.'),
  'login.needed': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This action requires a signed-in person and cannot be performed with an API key.', 'Sign in with `toolway login` or at /sign-in.'),
  'factor.wrong': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'The code or passkey is wrong, or was used before.', 'Enter the newest code of your authenticator app, or a recovery code that you have not used.'),
  'factor.late': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'This step has expired or was already used.', 'Begin again.'),
  'factor.needed': row('place', 'PERMISSION_DENIED', [403, FORBIDDEN], 'A second factor is required here, and your account has none.', 'Add a passkey or an authenticator app to your account in the console, then try again.'),
  'factor.provider': row('place', 'PERMISSION_DENIED', [403, FORBIDDEN], 'A second factor is required here, and your identity provider did not report one.', 'Ask an administrator to make the provider report it (claim amr or acr), or to set that its sign-ins count as proven by two factors. If your account may have a second factor of its own, add one in the console.'),
  'factor.required': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'This is your last second factor, and one is required.', 'Add another passkey or authenticator app first.'),
  'factor.platform': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'Only another administrator of the platform can reset the second factor of this user.', 'Ask a platform administrator.'),
  'factor.many': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'A user can have at most {limit} of these.', 'Remove one that is no longer needed.'),
  'identity.last': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'Nothing else signs this account in.', 'Set a password or link another identity provider first.'),
  'passkey.wrong': row('check', 'INVALID_ARGUMENT', [400, INVALID], 'This passkey cannot be added.', 'Try again, at the public address of the gateway.'),
  'passkey.address': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'Passkeys need a gateway whose public address has a host name.', 'Use an authenticator app, or set TOOLWAY_PUBLIC_URL to an address with a host name.'),
  'login.over': row('place', 'PERMISSION_DENIED', [403, FORBIDDEN], 'Your sign-in is too old for this organization, or was not used for too long.', 'Sign out, then sign in again.'),
  'proof.old': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This action needs a confirmation from the last {minutes} min that it is you.', 'Confirm it with your password or second factor, or sign in again.'),
  'refresh.unknown': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'This refresh token is invalid or has expired.', 'Sign in again.'),
  'password.wrong': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The current password is wrong.', 'Enter the password that you signed in with.'),
  'code.unknown': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This code is invalid, has expired, or was already used.', 'Check for a typing error, or ask an administrator for a new code.'),
  'setup.done': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This installation is already set up, so nobody can sign up without an invitation.', 'Ask an administrator to add you.'),
  'last.admin': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'This user is the last {role} of {place}, and there must be at least one.', 'Give another user this role first.'),

  'address.unknown': row('receive', 'NOT_FOUND', [404, NO_METHOD], 'Nothing is served at {path}.', 'MCP clients use /mcp; /health/ready reports the state of the gateway.'),
  'place.unknown': row('place', 'NOT_FOUND', [404, NO_METHOD], 'The endpoint does not exist, or this key has no access to it.', 'Check the organization, toolset and connection in the address. `toolway connection list` shows the connections.'),
  'place.bound': row('place', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The access token is limited to a different organization than the one in the address.', 'Sign in to the organization that you need, or without choosing one.'),
  'role.forbidden': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], '{holder} does not have the permission {permission}.', '{remedy}'),
  'key.limit': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This API key or token is limited to {limit}.', 'Use a key or token with more access. The owner of this key or token can create one.'),
  'behalf.unknown': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This request is made on behalf of a user who is not a member of the organization.', 'Send the email address of a member in the header (X-On-Behalf-Of or X-OpenWebUI-User-Email), or leave the header out.'),
  'behalf.waits': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This API key may not call on behalf of members yet.', 'Ask a platform administrator to allow it under "API keys", or send the request without the header that names a member.'),
  'identity.vouched': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'Another system vouches for this caller, so it cannot create access that lasts longer than the credential it sent.', 'Sign in to this gateway, or use a key that belongs to this gateway, without a header that names a member.'),
  'login.old': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'A key is shown again only within {minutes} minutes after you sign in, or if you send your password.', 'Send your password with the request, or sign in again.'),
  'key.beyond': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'A key cannot have more access than the person who creates it: {problem}.', 'Ask for less access, or have the key created by a user who has it.'),
  'account.connected': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The account "{account}" is connected already, and it is not known whether this is the same one. Nothing was replaced.', 'Reconnect that account, confirm that it is to be replaced, or disconnect it first.'),
  'connection.needs': row('open', 'NEEDS_AUTH', [409, UNREACHABLE], 'Calls of connection {connection} would fail. {problem}', 'Open the connection in the console to see what it needs, or connect an account with `toolway connection login {connection}`.'),
  'account.many': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'A connection can have at most {limit} accounts of one owner.', 'Remove an account that is no longer needed.'),
  'key.many': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'A member can have at most {limit} API keys.', 'Revoke a key that is no longer needed.'),
  'scope.insufficient': row(
    'admit',
    'PERMISSION_DENIED',
    [403, FORBIDDEN],
    'The tool {tool} needs "{needed}" access, and this client was granted less.',
    'Connect the client again and grant it more access.',
  ),
  'request.csrf': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This request changes data and has no valid X-CSRF-Token header.', 'Send the value of the toolway_csrf cookie in the X-CSRF-Token header.'),
  'body.shape': row('check', 'INVALID_ARGUMENT', [422, PARAMS], 'The request is not valid: {place} {problem}.', 'Correct this value. /api/v1/openapi.json describes all of them.'),
  'thing.unknown': row('find', 'NOT_FOUND', [404, NO_METHOD], 'This {thing} does not exist, or you have no access to it.', 'Check the name, or list what exists.'),
  'person.unproven': row('check', 'PERMISSION_DENIED', [409, FORBIDDEN], 'The account of {email} was created by another organization, and its email address has not been verified.', 'Ask the person to sign in here through the identity provider, or ask a platform administrator to add them with `toolway member add {email} --vouch -o ORGANIZATION`.'),
  'checkpoint.foreign': row('check', 'EXECUTION_ERROR', [409, INVALID], 'The checkpoint of {organization} at record {seq} is not signed by this installation, so nothing was removed.', 'Verify the audit log. The report lists what else does not match.'),
  'checkpoint.damaged': row('check', 'EXECUTION_ERROR', [409, INVALID], 'A checkpoint in the data directory is damaged, so the audit log cannot be verified against it.', 'Find out who changed the checkpoint file. If you remove the file from the folder "checkpoints", the gateway continues without it.'),
  'thing.taken': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'Already exists: {thing} "{name}".', 'Choose another name, or change the existing one.'),
  'toolset.supplied': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The toolset {toolset} is built in and cannot be removed.', 'Create a toolset of the same name to replace it.'),
  'thing.declared': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'This {thing} is defined in the TOOLWAY_CONFIG file.', 'Change it in that file and restart the gateway.'),
  'scim.refused': row('check', 'INVALID_ARGUMENT', [400, PARAMS], 'The SCIM request was refused ({kind}): {problem}.', 'Correct the attribute mapping of the identity provider, or look at the provisioning guide.'),
  'scim.token-limit': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The limit of {limit} SCIM tokens is reached.', 'Remove one that is no longer needed.'),
  'connector.unknown': row('check', 'NOT_SUPPORTED', [422, PARAMS], 'There is no connector named {connector}.', 'Choose one of: {connectors}.'),
  'url.malformed': row('check', 'INVALID_ARGUMENT', [400, PARAMS], 'This is not a server address: it {problem}.', 'Enter an address that starts with http:// or https://, without a user name or password.'),
  'webhook.limit': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The organization has reached its limit of {limit} webhooks.', 'Remove one that is no longer needed.'),
  'stream.limit': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The limit of {limit} record streams is reached.', 'Remove one that is no longer needed.'),
  'rule.limit': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The limit of {limit} rules is reached.', 'Remove rules that are no longer needed. One rule can match many tools.'),
  'rule.idle': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The pattern "{pattern}" matches no known tool{near}, so the rule would do nothing.', 'Correct the pattern. To add the rule for tools that do not exist yet, send force=true (command line: --force).'),
  'tool.unclear': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'Several tools are called "{name}": {candidates}.', 'Use one of these names.'),
  'rule.elsewhere': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'This rule is defined in {place} and cannot be changed here.', 'Change the rule in its toolset. Platform rules can be changed only by a platform administrator.'),
  'process.forbidden': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'A connection that starts a program runs code on the gateway host, so only a platform administrator can create or change one.', 'Ask a platform administrator to create or change the connection, or to set allow_processes for this organization.'),
  'process.path': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The path {path} cannot be allowed: {problem}.', 'Choose a path inside one of the allowed folders, or ask the operator to add this path to TOOLWAY_SANDBOX_ROOTS.'),
  'private.forbidden': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'Only a platform administrator may let a connection reach a private address.', 'Ask a platform administrator, or use a public address.'),
  'request.stale': row('check', 'INVALID_ARGUMENT', [412, INVALID], 'This {thing} has been changed since you loaded it.', 'Load it again, and send the ETag of that response as If-Match.'),
  'idempotency.mismatch': row('check', 'INVALID_ARGUMENT', [422, INVALID], 'This Idempotency-Key was already used for a different request.', 'Use a new key for a new request.'),
  'idempotency.unfinished': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The first request with this Idempotency-Key is still running or was interrupted.', 'Wait a moment and send it again. If the error persists, check whether the request took effect, then use a new key.'),
  'limit.address': row('receive', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'This IP address has reached its limit of {limit} requests per minute.', 'Try again in {seconds} s. TOOLWAY_LIMIT_ADDRESS sets the limit.'),
  'limit.key': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'This key or account has reached its limit of {limit} requests per minute.', 'Try again in {seconds} s. TOOLWAY_LIMIT_KEY sets the limit.'),
  'limit.organization': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'The organization has reached its limit of {limit} requests per minute.', 'Try again in {seconds} s. The limit is the organization’s requests_per_minute, or TOOLWAY_LIMIT_ORGANIZATION.'),
  'limit.administration': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'The organization has reached its limit of {limit} admin API requests per minute.', 'Try again in {seconds} s. TOOLWAY_LIMIT_ADMINISTRATION sets the limit.'),
  'limit.connection': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'The connection {connection} has reached its limit of {limit} requests per minute.', 'Try again in {seconds} s. TOOLWAY_LIMIT_CONNECTION sets the limit.'),
  'limit.unknown': row('place', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'More than {limit} requests per minute were sent to endpoints that do not exist.', 'Check the organization, toolset and connection in the address, and try again in {seconds} s.'),
  'record.unwritable': row(
    'open',
    'UNAVAILABLE',
    [503, UNREACHABLE, 'retry'],
    'The audit record of this call cannot be stored ({problem}), so the call was not sent.',
    'Free disk space for the folder "outbox" in the data directory, and check that the gateway can write there.',
  ),
  'session.unknown': row('admit', 'NOT_FOUND', [404, NO_KEY], 'This session does not exist or has expired.', 'Start a new one with initialize.'),
  'session.limit': row('admit', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The limit of {limit} sessions is reached, and calls are running in all sessions of this organization.', 'Try again when some of them have ended. TOOLWAY_SESSIONS_PER_ORGANIZATION and TOOLWAY_SESSIONS_PER_GATEWAY set the limits.'),
  'session.ended': row('run', 'CANCELLED', [404, UNREACHABLE], 'The session of this call ended before the response arrived. The call may have taken effect.', 'Check whether the call took effect before you repeat it in a new session.'),
  'session.open': row('admit', 'INVALID_ARGUMENT', [400, INVALID], 'This client connection already has a session.', 'Open another client connection for another session.'),
  'channel.limit': row('admit', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'At most {limit} streams and sockets may be open {scope}.', 'Close one that is no longer needed.'),
  'channel.busy': row('admit', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'This client connection has reached its limit of {limit} concurrent requests.', 'Wait for an answer, or cancel a request.'),

  'stream.gone': row(
    'admit',
    'NOT_FOUND',
    [410, INVALID],
    'The stream cannot be resumed after event {event}: that event or a later one is no longer stored.',
    'Open a new stream without Last-Event-ID, and request the lists again. Check whether a call took effect before you repeat it.',
  ),
  'stream.ended': row(
    'admit',
    'NOT_FOUND',
    [405, INVALID],
    'The stream ended with event {event}, so there is nothing to resume.',
    'Nothing to do.',
  ),

  'envelope.missing': row('receive', 'INVALID_ARGUMENT', [400, PARAMS], 'Requests with protocol version 2026-07-28 require {key} in params._meta.', 'Send the protocol version and the client capabilities with every request.'),
  'envelope.version': row('receive', 'NOT_SUPPORTED', [400, VERSION], 'Unsupported protocol version', 'Use one of the versions in data.supported.'),
  'envelope.header': row('receive', 'INVALID_ARGUMENT', [400, HEADERS], 'Header mismatch: {header} {problem}.', 'Send the header with the same value as the body.'),
  'client.capability': row('check', 'NOT_SUPPORTED', [400, CAPABILITY], 'Missing required client capability', 'Use a client that declares the capabilities in data.requiredCapabilities.'),

  'method.unknown': row('find', 'NOT_SUPPORTED', [404, NO_METHOD], 'Method not found: {method}', 'Use a method that server/discover or initialize advertises.'),
  'params.shape': row('check', 'INVALID_ARGUMENT', [200, PARAMS], 'Invalid params: {place} {problem}.', 'Correct this parameter.'),
  'cursor.unknown': row('check', 'INVALID_ARGUMENT', [200, PARAMS], 'Invalid cursor: it was not created by this gateway for this list.', 'Request the list again from the start.'),
  'tool.unknown': row('find', 'TOOL_NOT_FOUND', [200, PARAMS], 'Unknown tool: {tool}', 'List the tools again; the tool may have been removed or renamed.'),
  'tool.own-name': row('find', 'TOOL_NOT_FOUND', [200, PARAMS], 'Unknown tool: {tool}. This endpoint lists it as {names}.', 'Use a listed name. A page of an MCP App may use its server\'s own name once this client has read the page, if no other page that it has read belongs to a server with such a tool.'),
  'tool.unlisted': row('find', 'TOOL_NOT_FOUND', [200, PARAMS], 'There is no tool named {tool}{nearest}.', 'Use a name from the list or the search. Search again if the tool may have been renamed or removed.'),
  'tool.ambiguous': row('check', 'INVALID_ARGUMENT', [409, PARAMS], 'Several connections have a tool named {tool}: {names}.', 'Use one of these names, or specify the app in X-App-Context.'),
  'tools.not-ready': row('find', 'TOOLS_NOT_READY', [409, UNREACHABLE, 'retry'], 'The tools are still loading (version {version}).', 'Try again in a moment.'),
  'tool.held': row('admit', 'POLICY_VIOLATION', [403, FORBIDDEN], 'The tool {tool} is blocked: its server changed it, and the change has not been approved.', 'Ask an administrator of the organization to review the change (`toolway lock show`), or use another tool.'),
  'platform.person': row('decide', 'APPROVAL_REQUIRED', [403, FORBIDDEN], 'The tool {tool} runs only after a person has approved the call, but no rule requires approval for it.', 'Ask an administrator to make this change, or to add a rule that requires approval for this tool.'),
  'agent.unset': row('open', 'NOT_FOUND', [409, INVALID], 'This organization has not set a model for the agent.', 'Ask an administrator of the organization to set a model, with the address and key of its server.'),
  'agent.member': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The agent works only for members of the organization, and you are not a member.', 'Sign in as a member, or use a key that belongs to one.'),
  'agent.busy': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'You have reached the limit of {limit} concurrent agent runs.', 'Wait until one of them ends, or stop one.'),
  'agent.full': row('admit', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The agent is busy: {limit} runs of this organization are already waiting.', 'Try again later. The operator can change the limits (TOOLWAY_AGENT_RUNS, TOOLWAY_AGENT_RUNS_PER_ORGANIZATION, TOOLWAY_AGENT_QUEUE).'),
  'agent.time': row('run', 'TIMEOUT', [504, UNREACHABLE], 'The agent run was stopped after {minutes} minutes.', 'Send a smaller request, or ask an administrator to check whether the model responds.'),
  'agent.model': row('run', 'UNAVAILABLE', [502, UNREACHABLE], 'The agent\'s model failed: {problem}.', 'Try again, or ask an administrator to check the address, the key and the name of the model.'),
  'policy.blocked': row('decide', 'POLICY_VIOLATION', [403, FORBIDDEN], 'A rule blocks the tool {tool}: {reason}.', 'Use another tool, or ask an administrator. `toolway policy explain` shows the reason.'),
  'policy.rejected': row('decide', 'POLICY_VIOLATION', [403, FORBIDDEN], 'A rule does not allow the value of {place}: {problem} ({reason}).', 'Call the tool again with a value that is allowed.'),
  'approval.required': row('decide', 'APPROVAL_REQUIRED', [503, FORBIDDEN, 'retry'], 'The call to {tool} needs approval and was not sent: {reason}. The approval request is {approval}, to be answered at {link}', 'Wait for the answer, then repeat exactly the same call. For fewer approval requests: answer "always for this tool", have an administrator set the effect of the tool (`toolway lock effect`) or trust its server (`toolway lock trust`), or change the setting (`toolway org change --approvals`).'),
  'approval.unconfirmed': row('decide', 'APPROVAL_REQUIRED', [403, FORBIDDEN], 'The tool {tool} has a side effect that must be confirmed, and {problem}; nothing was sent.', 'Use a client that supports elicitation (MCP 2025-06-18 or later), or ask the operator to add {tool} to side_effects_allowlist in the policy file of this toolset, or to set confirm_side_effects: false there.'),
  'approval.denied': row('decide', 'POLICY_VIOLATION', [403, FORBIDDEN], 'The approval of this call to {tool} was denied{why}.', 'Do something else. The same call would need approval again.'),
  'approval.expired': row('decide', 'POLICY_VIOLATION', [403, FORBIDDEN], 'The approval request for this call to {tool} expired, so the call was not made.', 'Ask an approver to be available, then call again. An administrator can change which calls need approval: `toolway lock effect`, `toolway lock trust`, or `toolway org change --approvals`.'),
  'approval.limit': row('decide', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'Too many calls {whose} are waiting for approval; the limit is {limit}.', 'Have some of them answered at {link}, or wait until they expire.'),
  'approval.over': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'This approval request can no longer be answered (status: {state}).', 'Make the call again to create a new request.'),
  'approval.forbidden': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'You cannot answer this approval request: {problem}.', 'Ask one of the approvers that the rule specifies. They are listed on the request\'s page.'),
  'broker.signature': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'This event has no valid signature from a connected server: {problem}.', 'Set the server’s webhook secret as the webhook-secret header of the connection, and send events to the address of that connection.'),
  'approval.signature': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'This answer has no valid signature from a webhook that may answer: {problem}.', 'Sign ID, timestamp and body with the secret of a webhook that the rule refers to, and send each message only once, within five minutes.'),
  'arguments.invalid': row('decide', 'INVALID_ARGUMENT', [200, PARAMS], 'The arguments do not match the input schema of {tool}: {problems}', 'Correct them to match the input schema of the tool.'),
  'arguments.ambiguous': row('decide', 'INVALID_ARGUMENT', [400, PARAMS], 'Some servers read the argument at {place} as {name}. Because a rule refers to an argument of this tool, argument names that differ only by case, blanks or Unicode form are refused, and so are numbers with more digits than a double can hold.', 'Use the argument names exactly as they are written in the input schema, each only once, and send such a number as text.'),
  'arguments.too-many': row('check', 'PAYLOAD_TOO_LARGE', [413, PARAMS], 'The arguments, or the other parameters of the request, have more than {limit} named members.', 'Send fewer at a time. The operator can change the limit (TOOLWAY_ARGUMENT_MEMBERS).'),
  'arguments.too-large': row('decide', 'PAYLOAD_TOO_LARGE', [413, PARAMS], 'The arguments are {bytes} bytes; the limit is {limit}: {reason}.', 'Send less.'),
  'schema.unusable': row('decide', 'NOT_SUPPORTED', [502, UNREACHABLE], 'The input schema of the tool {tool} cannot be used to check a call: {problem}.', 'Ask the operator of that server to correct its schema.'),
  'metadata.unavailable': row('decide', 'METADATA_UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The connection {connection} could not provide the data needed to check the arguments, so nothing was sent.', 'Try again in a moment. `toolway connection test {connection}` shows the cause.'),
  'limit.rule': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'A rule limits calls of this kind to {limit} in {period} s: {reason}.', 'Try again in {seconds} s.'),
  'prompt.unknown': row('find', 'NOT_FOUND', [200, PARAMS], 'Unknown prompt: {prompt}', 'List the prompts again.'),
  'resource.unwatched': row('find', 'NOT_SUPPORTED', [200, PARAMS], 'The connection {connection} does not support subscriptions to {uri}.', 'Read the resource again when you need it.'),
  'listen.limit': row('admit', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'This caller has reached the limit of {limit} open listen streams.', 'Close one of them, or subscribe to more in one stream.'),
  'task.unknown': row('find', 'NOT_FOUND', [200, PARAMS], 'Unknown task.', 'The task may have expired. Call the tool again.'),
  'resource.own-address': row('find', 'NOT_FOUND', [200, PARAMS], 'Resource not found: {uri}. This endpoint lists it as {names}.', 'Use a listed address. A page of an MCP App may use its server\'s own address once this client has read the page, if no other page that it has read belongs to a server with such an address.'),
  'resource.unknown': row('find', 'NOT_FOUND', [200, PARAMS], 'Resource not found: {uri}', 'List the resources again.'),

  'openapi.unreadable': row('check', 'INVALID_ARGUMENT', [422, PARAMS], 'This OpenAPI document cannot be used: {problem}.', 'Correct the document, or use another version of it. Versions 2.0, 3.0, 3.1 and 3.2 are supported, as JSON or YAML.'),
  'openapi.unfetched': row('check', 'UNAVAILABLE', [502, UNREACHABLE, 'retry'], 'The OpenAPI document could not be fetched: {problem}.', 'Check that the gateway can reach the document’s address, or upload the document instead.'),
  'openapi.address': row('check', 'INVALID_ARGUMENT', [422, PARAMS], 'The base address of this document cannot be used: it {problem}.', 'Set the base address as "url".'),
  'openapi.empty': row('check', 'INVALID_ARGUMENT', [422, PARAMS], 'No operation of this document can become a tool: {problem}.', 'The preview shows the reason for each operation, and which operations the selection leaves out.'),
  'openapi.missing': row('open', 'UNAVAILABLE', [503, UNREACHABLE], 'The OpenAPI document of connection {connection} is missing.', 'Load it again with `toolway connection refresh {connection}`.'),
  'openapi.outside': row('run', 'POLICY_VIOLATION', [200, PARAMS], 'These arguments of {tool} point outside the address of connection {connection}; nothing was sent.', 'Call the tool with plain values that do not contain any part of an address.'),

  'upstream.disabled': row('open', 'UNAVAILABLE', [503, UNREACHABLE], 'The connection {connection} is turned off.', 'Turn it on, or use another tool.'),
  'upstream.unreachable': row('open', 'UNAVAILABLE', [502, UNREACHABLE, 'retry'], 'The connection {connection} is not available: {problem}.', '`toolway connection test {connection}` shows the cause.'),
  'upstream.resting': row(
    'open',
    'UNAVAILABLE',
    [503, UNREACHABLE, 'retry'],
    'The connection {connection} is not available ({problem}). After {failures} failures in a row, no requests are sent to it for {seconds} s, until {until}.',
    'Try again after {until}. `toolway connection test {connection}` shows the cause.',
  ),
  'upstream.given-up': row(
    'open',
    'UNAVAILABLE',
    [503, UNREACHABLE],
    'The connection {connection} was stopped after {failures} failures in a row: {problem}.',
    'Correct the cause, then run `toolway connection restart {connection}`.',
  ),
  'upstream.start': row('start', 'TIMEOUT', [504, UNREACHABLE, 'retry'], 'The program of connection {connection} did not respond within {seconds} s of starting.', 'Check the log of the connection. The program may be waiting for the network, a package or a setting.'),
  'upstream.needs-auth': row('open', 'NEEDS_AUTH', [502, UNREACHABLE], 'The server of connection {connection} refused the gateway’s credential ({problem}).', 'Connect an account with `toolway connection login {connection}`, or give the connection a valid key.'),
  'upstream.lost': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The connection {connection} was interrupted before it responded. The call may have taken effect.', 'Check whether the call took effect before you repeat it.'),
  'upstream.error': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The connection {connection} responded with an error: {problem}.', 'Check the server\'s key, settings and network.'),
  'upstream.malformed': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The connection {connection} responded with something that is not MCP: {problem}.', '`toolway connection test {connection}` shows the response.'),
  'contract.malformed': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The response from the backend of connection {connection} does not match its contract: {problem}.', '`toolway connection test {connection}` shows the response.'),
  'backend.malformed': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The response from the server of connection {connection} does not match its API description: {problem}.', 'Check the address of the connection and the version of its server, then test the connection.'),
  'function.failed': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The function {tool} failed: {problem}.', 'Correct the problem that the message describes, or ask the operator of the backend.'),
  'connector.arguments': row('run', 'INVALID_ARGUMENT', [200, PARAMS], '{vendor} refused the arguments of {tool}: {problem}.', 'Correct the arguments. The input schema of the tool describes each of them.'),
  'connector.forbidden': row('run', 'PERMISSION_DENIED', [200, UNREACHABLE], '{vendor} does not allow this account to use {tool}: {problem}.', 'Use an account that has access, or ask your {vendor} administrator.'),
  'connector.missing': row('run', 'NOT_FOUND', [200, UNREACHABLE], '{vendor} found nothing for the arguments of {tool}: {problem}.', 'Check the names and numbers. Items that the account cannot access are not found either.'),
  'connector.unsupported': row('run', 'NOT_SUPPORTED', [200, UNREACHABLE], '{tool} is not supported: {problem}.', 'Use another tool.'),
  'connector.too-large': row('run', 'PAYLOAD_TOO_LARGE', [200, UNREACHABLE], '{tool} exceeds a size limit of {vendor}: {problem}.', 'Request less at a time.'),
  'connector.effect': row('run', 'POLICY_VIOLATION', [200, UNREACHABLE], 'The tool {tool} says that it only reads, but it tried to send a {method} request, so nothing was sent.', 'Ask an administrator to declare the tool as a write tool in the connector, or to trust the connector ({connection}) if its request changes nothing.'),
  'connector.failed': row('run', 'EXECUTION_ERROR', [200, UNREACHABLE], '{vendor} reported an error for {tool}: {problem}.', 'Read the message before you call again.'),
  'connector.partly': row('run', 'EXECUTION_ERROR', [200, UNREACHABLE], '{tool} was only partly completed: a later step failed ({problem}).', 'Check the result at {vendor} before you call again.'),
  'upstream.timeout': row('run', 'TIMEOUT', [504, UNREACHABLE], 'The connection {connection} did not respond within {seconds} s.', 'Request less, or raise the timeout of the connection.'),
  'connection.busy': row('admit', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'The connection {connection} is busy with {taken} calls, and {waiting} calls are waiting for a place; this one was not sent.', 'Try again in {seconds} s. TOOLWAY_CALLS_PER_CONNECTION sets how many calls a server is sent at once.'),
  'upstream.busy': row('open', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'The connection {connection} is still processing earlier requests.', 'Try again in a moment.'),
  'upstream.ended': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The connection {connection} ended before it responded: {problem}. The call may have taken effect.', 'Request less, or raise TOOLWAY_CHILD_MEMORY or TOOLWAY_STDIO_LINE_LIMIT, whichever was reached. Check whether the call took effect before you repeat it.'),
  'upstream.limited': row('open', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'The server of connection {connection} accepts no more requests for now (HTTP 429).', 'Try again in {seconds} s.'),
  'upstream.question': row('run', 'NOT_SUPPORTED', [501, UNREACHABLE], 'The connection {connection} requested input that the protocol version of this client does not support.', 'Use a client that supports the server\'s protocol version ({revision}).'),
  'question.limit': row(
    'open',
    'RATE_LIMITED',
    [503, UNREACHABLE, 'retry'],
    'This caller has reached the limit of {limit} calls that wait for input.',
    'Answer one of them, or wait until they expire.',
  ),
  'state.unknown': row(
    'check',
    'INVALID_ARGUMENT',
    [200, PARAMS],
    'Invalid or expired requestState.',
    'Make the call again from the start. The first call may have taken effect.',
  ),
  'state.elsewhere': row(
    'check',
    'NOT_FOUND',
    [200, PARAMS],
    'The call that this requestState continues is not known to this gateway: it has ended, or another gateway behind the same address is handling it.',
    'Check whether the call took effect, then make it again from the start. With several gateways, configure the load balancer to route requests with the same Authorization header to the same gateway.',
  ),
  'upstream.rounds': row(
    'run',
    'EXECUTION_ERROR',
    [502, UNREACHABLE],
    'The connection {connection} requested input {rounds} times without giving an answer.',
    'Check the server. The call may have taken effect.',
  ),
  'client.answer': row(
    'run',
    'EXECUTION_ERROR',
    [502, UNREACHABLE],
    'The client did not answer {method}, which the connection {connection} requested: {problem}.',
    'Answer the request, or use another tool.',
  ),
  'egress.refused': row('open', 'PERMISSION_DENIED', [502, UNREACHABLE], 'The address of connection {connection} does not resolve, or is in a network that is not allowed.', 'Check the host name. For a private address, ask an operator to allow it for this connection or organization.'),
  'connection.unbound': row('open', 'PERMISSION_DENIED', [409, FORBIDDEN], 'The headers of connection {connection} were not set for the address "{place}" ({origin}), so nothing is sent there.', 'Ask an administrator of the organization to save the connection again, with this address and all of its headers.'),
  'credential.host': row('open', 'PERMISSION_DENIED', [409, FORBIDDEN], 'The accounts of connection {connection} cannot be used: its address {problem}.', 'Ask an administrator of the organization to change the address or the authentication of the connection.'),
  'credential.needed': row('open', 'NEEDS_AUTH', [401, UNREACHABLE], 'The connection {connection} has no account for this caller: {problem}.', 'Open {link} within {minutes} minutes to connect an account, then call again.'),
  'credential.declined': row('open', 'NEEDS_AUTH', [403, UNREACHABLE], 'The connection {connection} has no account for this caller, and the user {action} the request to connect one.', 'Call again to be asked once more, or use another tool.'),
  'credential.brought-shape': row('check', 'INVALID_ARGUMENT', [400, PARAMS], 'The token that was passed with the call {problem}.', 'Pass a token that the server accepts, or leave it out.'),
  'credential.account': row('check', 'INVALID_ARGUMENT', [400, PARAMS], 'The connection {connection} has no account "{account}" for this caller.', 'Set "account" to one of: {accounts}.'),
  'credential.ambiguous': row('check', 'INVALID_ARGUMENT', [400, PARAMS], 'The connection {connection} has several accounts for this caller and no default.', 'Set "account" to one of: {accounts}.'),
  'credential.brought': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The connection {connection} does not accept a token passed with the call.', 'Leave the token out, or ask an administrator to allow it for this connection.'),
  'credential.busy': row('open', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The credential of connection {connection} is still being refreshed: {problem}.', 'Try again in a moment.'),
  'authority.unreachable': row('open', 'UNAVAILABLE', [502, UNREACHABLE, 'retry'], 'The authorization server of {connection} cannot be reached: {problem}.', 'Try again in a moment. If the error persists, ask the operator of that server.'),
  'authority.malformed': row('open', 'UNAVAILABLE', [502, UNREACHABLE], 'An OAuth response for {connection} is not valid: {problem}.', 'Ask the operator of that server. `toolway connection test {connection}` shows each step.'),
  'authority.refused': row('open', 'NEEDS_AUTH', [502, UNREACHABLE], 'The authorization server of {connection} refused the request: {problem}.', 'Connect the account again. If the error persists, ask an administrator to check the client that is registered there.'),
  'authority.client': row('open', 'NEEDS_AUTH', [409, UNREACHABLE], 'The authorization server of {connection} does not support dynamic client registration.', 'Register a client there with the redirect URL {redirect}, and enter its client ID and secret in this connection.'),
  'flow.refused': row('admit', 'PERMISSION_DENIED', [400, INVALID], 'The response of the authorization server was not accepted: {problem}.', 'Start connecting the account again.'),
  'flow.unfit': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'An account cannot be connected to {connection}: {problem}.', 'Ask an administrator of the organization to change the connection.'),
  'result.too-large': row('shape', 'PAYLOAD_TOO_LARGE', [502, UNREACHABLE], 'The response from connection {connection} is larger than {limit} bytes.', 'Request less.'),
  'call.cancelled': row('run', 'CANCELLED', [499, UNREACHABLE], 'The call was cancelled by the client.', 'Nothing to do.'),

  'gateway.draining': row('receive', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The gateway is shutting down.', 'Try again in a moment.'),
  'gateway.busy': row('receive', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The gateway is busy: {problem}.', 'Try again after the time in Retry-After. If this happens often, send fewer calls at once, or ask the operator to add a gateway.'),
  'gateway.draining-cut': row('run', 'UNAVAILABLE', [503, UNREACHABLE], 'The gateway was stopped before the response arrived. The call may have taken effect.', 'Check whether the call took effect before you repeat it.'),
  'gateway.not-ready': row('receive', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The gateway is not ready: {problem}.', 'Try again in a moment.'),
  'database.unavailable': row('receive', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The gateway\'s database is not available: {problem}. Nothing was stored.', 'Try again in a moment. If the error persists, the operator can find the cause in the gateway log.'),
  // Not to be sent again unseen, so `retry` is not set.
  'database.interrupted': row('receive', 'UNAVAILABLE', [503, UNREACHABLE], 'The gateway\'s database was interrupted while storing a change, which may have taken effect.', 'Check whether the change took effect before you send the request again.'),
  'file.unknown': row('find', 'NOT_FOUND', [404, PARAMS], 'The file {file} does not exist, or you have no access to it.', 'It may have expired or been removed. List your files, or upload it again.'),
  'file.link': row('find', 'NOT_FOUND', [404, NO_METHOD], 'This file link is invalid or has expired.', 'Request a new one. Each link is valid only for a short time and for a single transfer.'),
  'file.off': row('open', 'NOT_SUPPORTED', [501, UNREACHABLE], 'File storage is not enabled in this installation.', 'Ask the operator to set TOOLWAY_FILES, with TOOLWAY_STORE=database.'),
  'file.too-large': row('check', 'PAYLOAD_TOO_LARGE', [413, PARAMS], 'The file is larger than the limit of {limit} bytes.', 'Send a smaller file, or ask the operator to raise TOOLWAY_FILES_LIMIT.'),
  'file.quota': row('check', 'PAYLOAD_TOO_LARGE', [507, PARAMS], 'The organization has {quota} bytes of file storage and uses {used}; this file needs {bytes} more.', 'Remove files that are no longer needed, or ask the operator to raise TOOLWAY_FILES_QUOTA.'),
  'file.many': row('check', 'INVALID_ARGUMENT', [409, PARAMS], 'You have reached the limit of {limit} incomplete uploads.', 'Complete or remove some of them.'),
  'file.mismatch': row('check', 'INVALID_ARGUMENT', [422, PARAMS], 'The content does not match the declared {fact}, so it was not stored.', 'Upload it again with the correct {fact}.'),
  'file.offset': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The upload must continue at byte {offset}.', 'Send a HEAD request for the current offset, and continue from there.'),
  'file.busy': row('admit', 'RATE_LIMITED', [423, UNREACHABLE, 'retry'], 'Another request is already sending data for this upload.', 'Send a HEAD request again in {seconds} s.'),
  'file.crowded': row('admit', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'The limit of {limit} concurrent file transfers is reached.', 'Try again when some of them have ended.'),
  'file.slow': row('receive', 'TIMEOUT', [408, UNREACHABLE, 'retry'], 'No data arrived for {seconds} s.', 'Send a HEAD request for the current offset, and send the rest.'),
  'file.range': row('check', 'INVALID_ARGUMENT', [416, PARAMS], 'The requested range is outside the file, which has a size of {size} B.', 'Request a range inside the file, or the whole file.'),
  'file.damaged': row('run', 'EXECUTION_ERROR', [500, UNREACHABLE], 'The stored content of file {file} is incomplete or was changed, so it cannot be downloaded.', 'Upload it again, and ask the operator to check the storage or its backup.'),
  'file.away': row('open', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The file store is not available: {problem}.', 'Try again in a moment, or ask the operator to check the file store.'),
  'vault.closed': row('open', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'New secrets cannot be stored at the moment: {problem}. Existing connections continue to work.', 'Try again when the key service is available, or ask the operator to check the service and the gateway’s permissions in it.'),
  'secret.unresolved': row('open', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'A secret of {connection} cannot be read: {problem}.', 'Check the reference and the secret store. The gateway tries again every few seconds.'),
  'file.full': row('run', 'UNAVAILABLE', [507, UNREACHABLE, 'retry'], 'The file store is full.', 'Ask the operator to free disk space for TOOLWAY_FILES. An upload continues where it stopped.'),

  // Of the stdio bridge, which stands on the client's side of the wire.
  'bridge.unreachable': row('open', 'UNAVAILABLE', [502, INTERNAL, 'retry'], 'No gateway is responding at {address}: {problem}.', 'Start the gateway with `npm start` or `npx toolway start`, or correct --url in the configuration of this client.'),
  'bridge.refused': row('open', 'UNAVAILABLE', [502, INTERNAL], 'The address {address} responds with HTTP {status}: {problem}.', 'Check that --url is the MCP address of a Toolway gateway, and check any proxy in between.'),
  'bridge.key': row('identify', 'UNAUTHENTICATED', [401, INTERNAL], 'The gateway refused the key of this client: {problem}.', 'The bridge reads the key from {source}. Set it in the configuration of this client; `toolway key add NAME` creates a key.'),
  'bridge.lost': row('run', 'EXECUTION_ERROR', [502, INTERNAL], 'The connection to the gateway was lost before the response arrived. The request may have taken effect.', 'Check whether the request took effect before you send it again.'),
  'bridge.busy': row('receive', 'RATE_LIMITED', [503, INTERNAL, 'retry'], 'The bridge has reached its limit of {limit} concurrent requests.', 'Try again when some of them are answered.'),
  'bridge.session': row('open', 'UNAVAILABLE', [502, INTERNAL], 'The gateway no longer has this session, and a new one cannot be opened: {problem}.', 'Restart the Toolway server in the client.'),

  internal: row('run', 'INTERNAL', [500, INTERNAL], 'An internal error occurred in the gateway.', 'Give the operator the correlation ID of this response.'),
} as const satisfies Record<string, FaultRow>

export type FaultCode = keyof typeof FAULTS

type Blank<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Blank<Rest> : never
type BlankOf<Code extends FaultCode> = Blank<(typeof FAULTS)[Code]['say']> | Blank<(typeof FAULTS)[Code]['mend']>
export type FaultFacts<Code extends FaultCode> = Readonly<Record<BlankOf<Code>, string | number>>

export interface FaultExtra {
  /** For the log only; may name addresses, never secrets. */
  readonly cause?: unknown
  /** Machine-readable facts that the JSON-RPC error carries in `data` as they are (for instance `supported`). */
  readonly data?: Readonly<Record<string, unknown>>
  /** The next step, where the row's own step does not exist in this installation. A whole sentence. */
  readonly mend?: string
  /** What happened, where the row's own sentence is not true of this request. A whole sentence. */
  readonly say?: string
}

type FaultArguments<Code extends FaultCode> = [BlankOf<Code>] extends [never]
  ? [facts?: Readonly<Record<string, never>>, extra?: FaultExtra]
  : [facts: FaultFacts<Code>, extra?: FaultExtra]

/** A fact that is a sentence of its own brings its full stop; the row's is left out then. */
const fill = (text: string, facts: Readonly<Record<string, string | number>>) =>
  text.replace(/\{([\w-]+)\}(\.?)/g, (_, name: string, stop: string) => {
    const fact = String(facts[name] ?? '')
    return /[.!?]$/.test(fact) ? fact : fact + stop
  })

export class Fault<Code extends FaultCode = FaultCode> extends Error {
  readonly code: Code
  readonly facts: Readonly<Record<string, string | number>>
  readonly data: Readonly<Record<string, unknown>> | undefined
  readonly #mend: string | undefined

  constructor(code: Code, ...[facts, extra]: FaultArguments<Code>) {
    super(
      extra?.say ?? fill(FAULTS[code].say, facts ?? {}),
      extra?.cause === undefined ? undefined : { cause: extra.cause },
    )
    this.name = 'Fault'
    this.code = code
    this.facts = facts ?? {}
    this.data = extra?.data
    this.#mend = extra?.mend
  }

  get row(): FaultRow {
    return FAULTS[this.code]
  }

  /** The next step, in a sentence for the person who meets the fault. */
  get mend(): string {
    return this.#mend ?? fill(FAULTS[this.code].mend, this.facts)
  }

  /** The same fault in other words, where its row says more than is true of this request. */
  reworded(say: string, mend: string): Fault {
    const { code, facts, cause, data } = this
    const extra: FaultExtra = {
      say,
      mend,
      ...(cause === undefined ? {} : { cause }),
      ...(data === undefined ? {} : { data }),
    }
    return Reflect.construct(Fault, [code, facts, extra]) as Fault
  }

  // Without this, `instanceof` narrows to a Fault of any code at all, and its facts to `any`.
  static override [Symbol.hasInstance](thrown: unknown): thrown is Fault {
    return Function.prototype[Symbol.hasInstance].call(this, thrown)
  }

  /** A fault as it is; anything else is a bug and becomes `internal`, with the thrown thing as its cause. */
  static of(thrown: unknown): Fault {
    return thrown instanceof Fault ? thrown : new Fault('internal', {}, { cause: thrown })
  }
}
