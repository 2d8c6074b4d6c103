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
  'request.host': row('receive', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The Host header names an address that this gateway does not answer to.', 'Use the address that the gateway printed, or set TOOLWAY_PUBLIC_URL to the address that clients use.'),
  'request.origin': row('receive', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The Origin of this request is not allowed.', 'Call from the gateway\'s own address; other web origins are refused because a browser could be tricked into calling.'),
  'request.repeated': row('receive', 'INVALID_ARGUMENT', [400, INVALID], 'The {header} header is in this request more than once.', 'Send it once. A proxy that adds a header must replace the one that is there.'),
  'request.method': row('receive', 'INVALID_ARGUMENT', [405, INVALID], 'This address does not take {method}.', 'Use one of: {allowed}.'),
  'request.media-type': row('receive', 'INVALID_ARGUMENT', [415, INVALID], 'The Content-Type is not application/json.', 'Send the message with Content-Type: application/json.'),
  'request.not-acceptable': row('receive', 'INVALID_ARGUMENT', [406, INVALID], 'The Accept header allows neither JSON nor an event stream.', 'Send Accept: application/json, text/event-stream.'),
  'request.too-large': row('receive', 'PAYLOAD_TOO_LARGE', [413, INVALID], 'The request body is larger than {limit} bytes.', 'Send less, or ask the operator to raise the limit.'),
  'request.cut-off': row('receive', 'INVALID_ARGUMENT', [400, PARSE, 'retry'], 'The request ended before its body was complete.', 'Send it again.'),
  'request.not-json': row('receive', 'INVALID_ARGUMENT', [400, PARSE], 'The request body is not JSON: {problem}', 'Mend the body at that place.'),
  'request.too-deep': row('receive', 'INVALID_ARGUMENT', [400, INVALID], 'The request nests deeper than {limit} levels at {place}.', 'Flatten the arguments.'),
  'request.shape': row('receive', 'INVALID_ARGUMENT', [400, INVALID], 'The message is not a JSON-RPC 2.0 message: {place} {problem}.', 'Send one object with jsonrpc "2.0", a method, and an id that is a string or an integer.'),
  'request.batch': row('receive', 'INVALID_ARGUMENT', [400, INVALID], 'Batches are not part of protocol revision {revision}.', 'Send one message per request.'),
  'request.batch-size': row('receive', 'PAYLOAD_TOO_LARGE', [400, INVALID], 'A batch holds at most {limit} messages.', 'Send fewer at a time.'),
  'request.binary': row('receive', 'INVALID_ARGUMENT', [415, INVALID], 'A message is a text frame, and this frame is binary.', 'Send the JSON as text.'),

  'batch.too-large': row(
    'shape',
    'PAYLOAD_TOO_LARGE',
    [502, UNREACHABLE],
    'The answers of this batch are larger than {limit} bytes together.',
    'Send fewer requests at a time.',
  ),

  'key.missing': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'This address needs a key, and the request carries none.', 'Send "Authorization: Bearer uru_…"; `toolway key add NAME` makes a key.'),
  'key.unknown': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'The key of this request is not known here.', 'Check for a cut-off copy, or make a new one with `toolway key add NAME`.'),
  'token.unknown': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'The access token of this request is not valid here.', 'Sign in again, with `toolway login` or in the client that sent it.'),
  'token.expired': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'The access token of this request has expired.', 'Renew it with its refresh token, or sign in again.'),

  'login.wrong': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'This email and password do not fit together.', 'Check both, or ask an administrator for a code to choose a new password with.'),
  'login.limit': row('identify', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'Too many sign-ins have failed: the next one is tried in {seconds} s.', 'Wait that long, then try again.'),
  'login.provider': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'The identity provider did not sign you in here: {problem}.', 'Begin again at /sign-in, or ask an administrator to add you.'),
  'login.needed': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This is for people who have signed in themselves; a key cannot do it.', 'Sign in with `toolway login` or at /sign-in.'),
  'refresh.unknown': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'This refresh token is not valid (any more).', 'Sign in again.'),
  'password.wrong': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The current password is not right.', 'Type the password that you signed in with.'),
  'code.unknown': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This code is not valid (any more): each is good once.', 'Check for a typing error; an administrator can make another.'),
  'setup.done': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This installation has its first person: nobody can register by themselves any more.', 'Ask an administrator to add you.'),
  'last.admin': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'This is the last {role} of {place}, and there must be one.', 'Make somebody else one first.'),

  'address.unknown': row('receive', 'NOT_FOUND', [404, NO_METHOD], 'Nothing is served at {path}.', 'MCP clients use /mcp; /health/ready says how the gateway is.'),
  'place.unknown': row('place', 'NOT_FOUND', [404, NO_METHOD], 'There is no such endpoint for this key.', 'Check organization, toolset and connection in the address; `toolway connection list` shows them.'),
  'place.bound': row('place', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The access token of this request is bound to one organization, which is not the one that is addressed.', 'Sign in for the organization that you need, or without binding.'),
  'role.forbidden': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'Your role here, {role}, does not have the permission {permission}.', 'Ask an administrator of the organization for another role.'),
  'key.limit': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This key or token is limited to {limit}.', 'Use one that reaches further; the same person may make it.'),
  'behalf.unknown': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This request is made on behalf of somebody who is no member of the organization.', 'Send the email address of a member, or leave the header out.'),
  'login.old': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'A key is shown again only within {minutes} minutes of a sign-in, or for the password.', 'Send your password with the request, or sign in again.'),
  'key.beyond': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'A key may not do more than whoever makes it: {problem}.', 'Ask for less, or let somebody make it who may do that.'),
  'key.many': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'A member has at most {limit} keys of its own.', 'Remove one that is not needed.'),
  'scope.insufficient': row(
    'admit',
    'PERMISSION_DENIED',
    [403, FORBIDDEN],
    'The tool {tool} is of the kind "{needed}", and this client was allowed less.',
    'Allow the client more: connect it again and choose how far it may go.',
  ),
  'request.csrf': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This request changes something and carries no valid X-CSRF-Token.', 'Send the value of the toolway_csrf cookie in the X-CSRF-Token header.'),
  'body.shape': row('check', 'INVALID_ARGUMENT', [422, PARAMS], 'The request does not fit: {place} {problem}.', 'Mend the value at that place; /api/v1/openapi.json describes all of them.'),
  'thing.unknown': row('find', 'NOT_FOUND', [404, NO_METHOD], 'There is no such {thing} here.', 'List them to see which there are.'),
  'person.unproven': row('check', 'PERMISSION_DENIED', [409, FORBIDDEN], 'The account of {email} was made by another organization, and nothing proves that it is this person\'s.', 'Let them sign in here by the identity provider, or ask a platform administrator to add them with "vouch".'),
  'checkpoint.foreign': row('check', 'EXECUTION_ERROR', [409, INVALID], 'The checkpoint of {organization} at record {seq} is not signed by this installation, so nothing was removed.', 'Verify the records: the report says what else does not fit.'),
  'checkpoint.damaged': row('check', 'EXECUTION_ERROR', [409, INVALID], 'A checkpoint that the gateway keeps in its data directory was damaged, so records cannot be held against it.', 'Find out who changed it. Without that file in the folder checkpoints, the gateway goes on without it.'),
  'thing.taken': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'There is a {thing} "{name}" here already.', 'Choose another name, or change that one.'),
  'toolset.supplied': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The toolset {toolset} is supplied: it cannot be removed.', 'Make one of that name, which then stands in its place.'),
  'thing.declared': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'This {thing} is declared in the file of TOOLWAY_CONFIG.', 'Change it in that file and start the gateway again.'),
  'connector.unknown': row('check', 'NOT_SUPPORTED', [422, PARAMS], 'There is no connector {connector} here.', 'Take one of these: {connectors}.'),
  'url.malformed': row('check', 'INVALID_ARGUMENT', [400, PARAMS], 'This is no address of a server: it {problem}.', 'Give an address that starts with http:// or https://, without a user name or password.'),
  'webhook.limit': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The organization has {limit} webhooks, and can have no more.', 'Remove one that is not needed.'),
  'stream.limit': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'There are {limit} record streams here, and there can be no more.', 'Remove one that is not needed.'),
  'rule.limit': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'There are {limit} rules here, and there can be no more.', 'Remove some that are not needed; one rule can name many tools.'),
  'rule.elsewhere': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'This rule stands in {place}, and is not changed here.', 'Change it there: in the toolset, or as an administrator of the platform.'),
  'process.forbidden': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'A connection that starts a program runs code on the gateway\'s machine: here only a platform administrator may make or change one.', 'Ask a platform administrator to do it, or to set allow_processes for this organization.'),
  'process.path': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The path {path} cannot be allowed: {problem}.', 'Choose a folder below those, or ask whoever runs the gateway to name it in TOOLWAY_SANDBOX_ROOTS.'),
  'private.forbidden': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'Only a platform administrator may let a connection reach a private address.', 'Ask a platform administrator, or use a public address.'),
  'request.stale': row('check', 'INVALID_ARGUMENT', [412, INVALID], 'This {thing} was changed after you looked at it.', 'Get it again, and send the ETag of that answer as If-Match.'),
  'idempotency.mismatch': row('check', 'INVALID_ARGUMENT', [422, INVALID], 'This Idempotency-Key came before with another request.', 'Use a new key for a new request.'),
  'idempotency.unfinished': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The first request with this Idempotency-Key is under way, or broke off.', 'Wait a moment and send it again; if this stays, look whether it took effect, then use a new key.'),
  'limit.address': row('receive', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'This address has used its {limit} requests per minute.', 'Send the request again in {seconds} s; TOOLWAY_LIMIT_ADDRESS says how many there are.'),
  'limit.key': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'This key or account has used its {limit} requests per minute.', 'Send the request again in {seconds} s; TOOLWAY_LIMIT_KEY says how many there are.'),
  'limit.organization': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'The organization has used its {limit} requests per minute.', 'Send the request again in {seconds} s; requests_per_minute of the organization, else TOOLWAY_LIMIT_ORGANIZATION, says how many there are.'),
  'limit.administration': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'The organization has used its {limit} requests per minute to the admin interface.', 'Send the request again in {seconds} s; TOOLWAY_LIMIT_ADMINISTRATION says how many there are.'),
  'limit.connection': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'The connection {connection} has used its {limit} requests per minute.', 'Send the request again in {seconds} s; TOOLWAY_LIMIT_CONNECTION says how many there are.'),
  'limit.unknown': row('place', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'More than {limit} requests per minute name endpoints that are not there.', 'Check organization, toolset and connection in the address, and send the request again in {seconds} s.'),
  'record.unwritable': row(
    'open',
    'UNAVAILABLE',
    [503, UNREACHABLE, 'retry'],
    'No record of this call can be kept ({problem}), and no call goes out without one.',
    'Make room for the folder outbox in the data directory, and let the gateway write there.',
  ),
  'session.unknown': row('admit', 'NOT_FOUND', [404, NO_KEY], 'This session does not exist (any more).', 'Start a new one with initialize.'),
  'session.limit': row('admit', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'The gateway holds {limit} sessions and takes no more.', 'End a session with DELETE, or wait: idle ones end by themselves.'),
  'session.open': row('admit', 'INVALID_ARGUMENT', [400, INVALID], 'This connection has its session already: it opens once.', 'Open another connection for another session.'),
  'channel.limit': row('admit', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'No more than {limit} streams and sockets may be open {scope}.', 'Close one that is not needed.'),
  'channel.busy': row('admit', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'This connection has {limit} requests under way and takes no more.', 'Wait for an answer, or cancel a request.'),

  'stream.gone': row(
    'admit',
    'NOT_FOUND',
    [410, INVALID],
    'The stream cannot be resumed after event {event}: that event, or one that came after it, is not kept (any more).',
    'Open a new stream without Last-Event-ID and list again; look at the effect of a call before you repeat it.',
  ),
  'stream.ended': row(
    'admit',
    'NOT_FOUND',
    [405, INVALID],
    'The stream of event {event} has ended, and that was its last one.',
    'Nothing to do: there is nothing more to come.',
  ),

  'envelope.missing': row('receive', 'INVALID_ARGUMENT', [400, PARAMS], 'A request of revision 2026-07-28 needs {key} in params._meta.', 'Send the protocol version and the client capabilities with every request.'),
  'envelope.version': row('receive', 'NOT_SUPPORTED', [400, VERSION], 'Unsupported protocol version', 'Speak one of the versions in data.supported.'),
  'envelope.header': row('receive', 'INVALID_ARGUMENT', [400, HEADERS], 'Header mismatch: {header} {problem}.', 'Send the header with the same value as the body.'),
  'client.capability': row('check', 'NOT_SUPPORTED', [400, CAPABILITY], 'Missing required client capability', 'Use a client that declares the capabilities in data.requiredCapabilities.'),

  'method.unknown': row('find', 'NOT_SUPPORTED', [404, NO_METHOD], 'Method not found: {method}', 'Use a method that server/discover or initialize announces.'),
  'params.shape': row('check', 'INVALID_ARGUMENT', [200, PARAMS], 'Invalid params: {place} {problem}.', 'Mend the parameter at that place.'),
  'cursor.unknown': row('check', 'INVALID_ARGUMENT', [200, PARAMS], 'Invalid cursor: it was not made by this gateway for this list.', 'List again from the start.'),
  'tool.unknown': row('find', 'TOOL_NOT_FOUND', [200, PARAMS], 'Unknown tool: {tool}', 'List the tools again; it may have been removed or renamed.'),
  'tool.unlisted': row('find', 'TOOL_NOT_FOUND', [200, PARAMS], 'There is no tool {tool} here{nearest}.', 'Use a name as it was found or listed; search again if it may have been removed or renamed.'),
  'tool.ambiguous': row('check', 'INVALID_ARGUMENT', [409, PARAMS], 'Several connections have a tool {tool}: {names}.', 'Use one of these names, or name the app in X-App-Context.'),
  'tools.not-ready': row('find', 'TOOLS_NOT_READY', [409, UNREACHABLE, 'retry'], 'The tools are still being loaded: this is version {version} of them.', 'Ask again in a moment.'),
  'tool.held': row('admit', 'POLICY_VIOLATION', [403, FORBIDDEN], 'The tool {tool} is held back: its server changed it, and nobody has accepted the change.', 'Ask an administrator of the organization to look at the change (`toolway lock show`), or use another tool.'),
  'platform.person': row('decide', 'APPROVAL_REQUIRED', [403, FORBIDDEN], 'The tool {tool} is carried out only after a person approved the call, and no rule asks for an approval of it.', 'Ask an administrator to make this change, or for a rule that asks for the approval of this tool.'),
  'agent.unset': row('open', 'NOT_FOUND', [409, INVALID], 'This organization has set no model for its agent.', 'Have an administrator of the organization set one, with the address and the key of its server.'),
  'agent.member': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The agent works for members of the organization, with what they may, and you are none.', 'Sign in as a member, or use a key that belongs to one.'),
  'agent.busy': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], '{limit} runs of the agent go on for you at once, and no more may.', 'Wait until one of them ends, or stop one.'),
  'agent.model': row('run', 'UNAVAILABLE', [502, UNREACHABLE], 'The model of the agent failed: {problem}.', 'Try it again, or have an administrator check the address, the key and the name of the model.'),
  'policy.blocked': row('decide', 'POLICY_VIOLATION', [403, FORBIDDEN], 'A rule blocks the tool {tool}: {reason}.', 'Use another tool, or ask an administrator; `toolway policy explain` shows them why.'),
  'policy.rejected': row('decide', 'POLICY_VIOLATION', [403, FORBIDDEN], 'A rule does not allow the value at {place}: {problem} ({reason}).', 'Call it again with a value that is allowed.'),
  'approval.required': row('decide', 'APPROVAL_REQUIRED', [503, FORBIDDEN, 'retry'], 'The tool {tool} needs the approval of somebody else, and nothing was sent: {reason}. The question is {approval}, to be answered at {link}', 'Wait until it is answered, then make the very same call again. To be asked less: answer "always for this tool", have an administrator say what the tool does (`toolway lock effect`) or trust its server (`toolway lock trust`), or change the setting (`toolway org change --approvals`).'),
  'approval.unconfirmed': row('decide', 'APPROVAL_REQUIRED', [403, FORBIDDEN], 'The tool {tool} has a side effect that somebody has to confirm, and {problem}; nothing was sent.', 'Call it from a client with elicitation (MCP 2025-06-18 or later); or let the operator name {tool} under side_effects_allowlist in the policy file of this toolset, or set confirm_side_effects: false there.'),
  'approval.denied': row('decide', 'POLICY_VIOLATION', [403, FORBIDDEN], 'The approval of this call of {tool} was refused{why}.', 'Do something else; the same call would be asked about again.'),
  'approval.expired': row('decide', 'POLICY_VIOLATION', [403, FORBIDDEN], 'Nobody answered in time whether this call of {tool} may be made, which counts as no.', 'Ask somebody who may approve it to be there, then call again. An administrator can change what is asked about: `toolway lock effect`, `toolway lock trust`, or `toolway org change --approvals`.'),
  'approval.limit': row('decide', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], '{limit} calls {whose} wait for an approval, and no more may.', 'Have some of them answered at {link}, or wait: they end by themselves.'),
  'approval.over': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'This question cannot be answered any more: it is {state}.', 'Make the call again, which asks anew.'),
  'approval.forbidden': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'This question is not yours to answer: {problem}.', 'Ask one of those whom the rule names; the page of the question shows them.'),
  'broker.signature': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'This event is not signed by the server of a connection here: {problem}.', 'Set the webhook secret of the server as the header webhook-secret of the connection, and send to the address of that connection.'),
  'approval.signature': row('identify', 'UNAUTHENTICATED', [401, NO_KEY], 'This answer is not signed by a webhook that may give it: {problem}.', 'Sign id, second and body with the secret of a webhook that the rule names, within five minutes, each message once.'),
  'arguments.invalid': row('decide', 'INVALID_ARGUMENT', [200, PARAMS], 'The arguments do not fit the tool {tool}: {problems}', 'Mend them as the input schema of the tool says.'),
  'arguments.ambiguous': row('decide', 'INVALID_ARGUMENT', [400, PARAMS], 'Some servers read the argument at {place} as {name}: a name that differs from it only by case or Unicode form is refused, because a rule names an argument of this tool.', 'Use the names of the input schema exactly as they are written there, each once.'),
  'arguments.too-large': row('decide', 'PAYLOAD_TOO_LARGE', [413, PARAMS], 'The arguments have {bytes} bytes, and {limit} are allowed: {reason}.', 'Send less.'),
  'schema.unusable': row('decide', 'NOT_SUPPORTED', [502, UNREACHABLE], 'The input schema of the tool {tool} cannot be used to check a call: {problem}.', 'Ask whoever runs that server to mend its schema.'),
  'metadata.unavailable': row('decide', 'METADATA_UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'What the arguments are to be checked by cannot be loaded from the connection {connection}, and nothing was sent.', 'Try again in a moment; `toolway connection test {connection}` shows what it says.'),
  'limit.rule': row('admit', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'A rule allows {limit} calls of this kind in {period} s: {reason}.', 'Call it again in {seconds} s.'),
  'prompt.unknown': row('find', 'NOT_FOUND', [200, PARAMS], 'Unknown prompt: {prompt}', 'List the prompts again.'),
  'resource.unwatched': row('find', 'NOT_SUPPORTED', [200, PARAMS], 'The connection {connection} does not tell of changes of {uri}.', 'Read it again when you need it.'),
  'listen.limit': row('admit', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'This caller has {limit} listen streams open, and can have no more.', 'End one of them, or name more in one.'),
  'task.unknown': row('find', 'NOT_FOUND', [200, PARAMS], 'Unknown task.', 'Call the tool again; the task may have run out.'),
  'resource.unknown': row('find', 'NOT_FOUND', [200, PARAMS], 'Resource not found: {uri}', 'List the resources again.'),

  'openapi.unreadable': row('check', 'INVALID_ARGUMENT', [422, PARAMS], 'This is no OpenAPI document that can be used: {problem}.', 'Mend the document, or take another version of it; 2.0, 3.0 and 3.1 are read, as JSON or YAML.'),
  'openapi.unfetched': row('check', 'UNAVAILABLE', [502, UNREACHABLE, 'retry'], 'The OpenAPI document could not be fetched: {problem}.', 'Check its address from where the gateway runs, or give the document itself.'),
  'openapi.address': row('check', 'INVALID_ARGUMENT', [422, PARAMS], 'Where the calls of this document go cannot be used: the address {problem}.', 'Say the base address yourself, as url.'),
  'openapi.empty': row('check', 'INVALID_ARGUMENT', [422, PARAMS], 'None of the operations of this document becomes a tool: {problem}.', 'Look at the preview: it says why for each, and what a selection leaves out.'),
  'openapi.missing': row('open', 'UNAVAILABLE', [503, UNREACHABLE], 'The OpenAPI document of connection {connection} is not here.', 'Give it anew with `toolway connection refresh {connection}`.'),
  'openapi.outside': row('run', 'POLICY_VIOLATION', [200, PARAMS], 'These arguments of {tool} lead outside the address of connection {connection}; nothing was sent.', 'Call it with plain values: no parts of addresses.'),

  'upstream.disabled': row('open', 'UNAVAILABLE', [503, UNREACHABLE], 'The connection {connection} is switched off.', 'Switch it on, or use another tool.'),
  'upstream.unreachable': row('open', 'UNAVAILABLE', [502, UNREACHABLE, 'retry'], 'The connection {connection} cannot be reached: {problem}.', '`toolway connection test {connection}` shows what it says.'),
  'upstream.resting': row(
    'open',
    'UNAVAILABLE',
    [503, UNREACHABLE, 'retry'],
    'The connection {connection} cannot be reached ({problem}): after {failures} failures in a row nothing is sent to it for {seconds} s, until {until}.',
    'Call again after that; `toolway connection test {connection}` shows what it says.',
  ),
  'upstream.given-up': row(
    'open',
    'UNAVAILABLE',
    [503, UNREACHABLE],
    'The connection {connection} is not started any more after {failures} failures in a row: {problem}.',
    'Mend the cause, then `toolway connection restart {connection}`.',
  ),
  'upstream.start': row('start', 'TIMEOUT', [504, UNREACHABLE, 'retry'], 'The program of connection {connection} did not answer within {seconds} s of its start.', 'Look at its log: it may be waiting for a network, a package or a setting.'),
  'upstream.needs-auth': row('open', 'NEEDS_AUTH', [502, UNREACHABLE], 'The server of connection {connection} does not let the gateway in ({problem}).', 'Connect an account with `toolway connection login {connection}`, or give the connection a valid key.'),
  'upstream.lost': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The connection {connection} broke off before it answered; it may have acted.', 'Look at the effect before you call again.'),
  'upstream.error': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The connection {connection} answered with an error: {problem}.', 'Check what the server needs to answer: its key, its settings and its network.'),
  'upstream.malformed': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The connection {connection} answered with something that is not MCP: {problem}.', '`toolway connection test {connection}` shows what it says.'),
  'contract.malformed': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The backend of connection {connection} answers otherwise than its contracts say: {problem}.', '`toolway connection test {connection}` shows what it says.'),
  'backend.malformed': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The server of connection {connection} answers in another form than its API describes: {problem}.', 'Check the address of the connection and the version of its server, then test the connection.'),
  'function.failed': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The function {tool} failed: {problem}.', 'Mend what it says, or ask whoever runs the backend.'),
  'connector.arguments': row('run', 'INVALID_ARGUMENT', [200, PARAMS], '{vendor} refused the arguments of {tool}: {problem}.', 'Mend what it says; the input schema of the tool describes each argument.'),
  'connector.forbidden': row('run', 'PERMISSION_DENIED', [200, UNREACHABLE], '{vendor} does not let this account do {tool}: {problem}.', 'Use an account that may, or ask an administrator at {vendor}.'),
  'connector.missing': row('run', 'NOT_FOUND', [200, UNREACHABLE], '{vendor} did not find what {tool} names: {problem}.', 'Check the names and numbers; what an account may not see is not found either.'),
  'connector.unsupported': row('run', 'NOT_SUPPORTED', [200, UNREACHABLE], '{tool} is not possible: {problem}.', 'Use another tool.'),
  'connector.too-large': row('run', 'PAYLOAD_TOO_LARGE', [200, UNREACHABLE], '{tool} is about more than {vendor} takes or gives at once: {problem}.', 'Ask for less.'),
  'connector.failed': row('run', 'EXECUTION_ERROR', [200, UNREACHABLE], '{vendor} failed at {tool}: {problem}.', 'Look at what it says before you call again.'),
  'connector.partly': row('run', 'EXECUTION_ERROR', [200, UNREACHABLE], '{tool} was done in part: a later step failed ({problem}).', 'Look at the effect at {vendor} before you call again.'),
  'upstream.timeout': row('run', 'TIMEOUT', [504, UNREACHABLE], 'The connection {connection} did not answer within {seconds} s.', 'Call again with less to do, or raise the limit of the connection.'),
  'upstream.busy': row('open', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], 'The connection {connection} is still working off earlier requests.', 'Call again in a moment.'),
  'upstream.ended': row('run', 'EXECUTION_ERROR', [502, UNREACHABLE], 'The connection {connection} broke off before it answered: {problem}. It may have acted.', 'Ask it for less, or raise TOOLWAY_CHILD_MEMORY or TOOLWAY_STDIO_LINE_LIMIT, whichever was reached; look at the effect before you call again.'),
  'upstream.limited': row('open', 'RATE_LIMITED', [429, UNREACHABLE, 'retry'], 'The server of connection {connection} takes no more requests for now (HTTP 429).', 'Call again in {seconds} s.'),
  'upstream.question': row('run', 'NOT_SUPPORTED', [501, UNREACHABLE], 'The connection {connection} asks the client a question that this client\'s protocol revision cannot carry.', 'Use a client of the upstream\'s own revision ({revision}).'),
  'question.limit': row(
    'open',
    'RATE_LIMITED',
    [503, UNREACHABLE, 'retry'],
    'This caller has {limit} calls that wait for its answers, and can have no more.',
    'Answer one of them, or wait: they end by themselves.',
  ),
  'state.unknown': row(
    'check',
    'INVALID_ARGUMENT',
    [200, PARAMS],
    'Invalid or expired requestState.',
    'Make the call again from the start; it may have acted.',
  ),
  'state.elsewhere': row(
    'check',
    'NOT_FOUND',
    [200, PARAMS],
    'The call that this requestState continues is not held by this gateway: it ended, or another gateway behind the same address holds it.',
    'Look at its effect, then make the call again from the start; where there are several gateways, its operator leads requests with the same Authorization header to the same one.',
  ),
  'upstream.rounds': row(
    'run',
    'EXECUTION_ERROR',
    [502, UNREACHABLE],
    'The connection {connection} asked for more input {rounds} times and gave no answer.',
    'Look at the server; it may have acted.',
  ),
  'client.answer': row(
    'run',
    'EXECUTION_ERROR',
    [502, UNREACHABLE],
    'The client did not answer {method}, which the connection {connection} asked for: {problem}.',
    'Answer the question, or use another tool.',
  ),
  'egress.refused': row('open', 'PERMISSION_DENIED', [502, UNREACHABLE], 'The address of connection {connection} does not resolve, or lies in a network that it may not reach.', 'Check the name. For a private address, ask an operator to allow it for this connection or organization.'),
  'credential.needed': row('open', 'NEEDS_AUTH', [401, UNREACHABLE], 'The connection {connection} has no account to act for here: {problem}.', 'Open {link} within {minutes} minutes to connect one, then call again.'),
  'credential.declined': row('open', 'NEEDS_AUTH', [403, UNREACHABLE], 'The connection {connection} has no account to act for here, and its person {action} to connect one.', 'Call again to ask once more, or use another tool.'),
  'credential.brought-shape': row('check', 'INVALID_ARGUMENT', [400, PARAMS], 'The token that was brought with the call {problem}.', 'Bring the token that the server itself takes, or leave it out.'),
  'credential.account': row('check', 'INVALID_ARGUMENT', [400, PARAMS], 'The connection {connection} has no account "{account}" for this caller.', 'Name one of these as account: {accounts}.'),
  'credential.ambiguous': row('check', 'INVALID_ARGUMENT', [400, PARAMS], 'The connection {connection} has several accounts for this caller, and none is the default.', 'Name one of these as account: {accounts}.'),
  'credential.brought': row('admit', 'PERMISSION_DENIED', [403, FORBIDDEN], 'The connection {connection} does not take a token with the call.', 'Leave the token out, or ask an administrator to allow it for this connection.'),
  'credential.busy': row('open', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The account of connection {connection} is being renewed, and that takes long: {problem}.', 'Call again in a moment.'),
  'authority.unreachable': row('open', 'UNAVAILABLE', [502, UNREACHABLE, 'retry'], 'The authorization server of {connection} cannot be reached: {problem}.', 'Try again in a moment; if it stays, ask whoever runs it.'),
  'authority.malformed': row('open', 'UNAVAILABLE', [502, UNREACHABLE], 'The authorization server of {connection} does not say what it must: {problem}.', 'Ask whoever runs it; `toolway connection test {connection}` shows each step.'),
  'authority.refused': row('open', 'NEEDS_AUTH', [502, UNREACHABLE], 'The authorization server of {connection} refuses: {problem}.', 'Connect the account anew; if it stays, an administrator looks at the client that is registered there.'),
  'authority.client': row('open', 'NEEDS_AUTH', [409, UNREACHABLE], 'The authorization server of {connection} takes no client that it does not know, and lets none register itself.', 'Register a client there with the redirect address {redirect}, and give its id and secret to this connection.'),
  'flow.refused': row('admit', 'PERMISSION_DENIED', [400, INVALID], 'This way back from an authorization server is not taken: {problem}.', 'Connect the account once more from where you began.'),
  'flow.unfit': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'No account can be connected to {connection}: {problem}.', 'An administrator of the organization can change the connection.'),
  'result.too-large': row('shape', 'PAYLOAD_TOO_LARGE', [502, UNREACHABLE], 'The answer of connection {connection} is larger than {limit} bytes.', 'Ask for less.'),
  'call.cancelled': row('run', 'CANCELLED', [499, UNREACHABLE], 'The call was cancelled by the client.', 'Nothing to do.'),

  'gateway.draining': row('receive', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The gateway is shutting down.', 'Call again in a moment.'),
  'gateway.draining-cut': row('run', 'UNAVAILABLE', [503, UNREACHABLE], 'The gateway was stopped before the answer was there; the call may have acted.', 'Look at the effect before you call again.'),
  'gateway.not-ready': row('receive', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The gateway is not ready: {problem}.', 'Call again in a moment.'),
  'database.unavailable': row('receive', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The database of the gateway cannot be used: {problem}. Nothing was stored.', 'Try again in a moment; if it stays, the operator finds the cause in the log of the gateway.'),
  // Not to be sent again unseen, so `retry` is not set.
  'database.interrupted': row('receive', 'UNAVAILABLE', [503, UNREACHABLE], 'The database of the gateway broke off while a change was stored, which may have taken effect.', 'Look at the effect before you send it again.'),
  'file.unknown': row('find', 'NOT_FOUND', [404, PARAMS], 'There is no file {file} here.', 'It may have expired or been removed: list your files, or upload it again.'),
  'file.link': row('find', 'NOT_FOUND', [404, NO_METHOD], 'This address of a file is not valid (any more).', 'Ask for another one: each is good for one transfer and for a short time.'),
  'file.off': row('open', 'NOT_SUPPORTED', [501, UNREACHABLE], 'This installation keeps no files.', 'Ask the operator to set TOOLWAY_FILES, with TOOLWAY_STORE=database.'),
  'file.too-large': row('check', 'PAYLOAD_TOO_LARGE', [413, PARAMS], 'A file may have {limit} bytes, and this one has more.', 'Send a smaller one, or ask the operator to raise TOOLWAY_FILES_LIMIT.'),
  'file.quota': row('check', 'PAYLOAD_TOO_LARGE', [507, PARAMS], 'The organization may keep {quota} bytes of files, {used} are taken, and this file needs {bytes}.', 'Remove files that are not needed, or ask the operator to raise TOOLWAY_FILES_QUOTA.'),
  'file.many': row('check', 'INVALID_ARGUMENT', [409, PARAMS], 'You have {limit} uploads that are not complete, and can have no more.', 'Complete or remove some of them.'),
  'file.mismatch': row('check', 'INVALID_ARGUMENT', [422, PARAMS], 'The content does not have the {fact} that was declared for it, and nothing was kept.', 'Upload it again, with the {fact} of the content.'),
  'file.offset': row('check', 'INVALID_ARGUMENT', [409, INVALID], 'The upload goes on at byte {offset}.', 'Ask with HEAD where it goes on, and send the bytes from there.'),
  'file.busy': row('admit', 'RATE_LIMITED', [423, UNREACHABLE, 'retry'], 'Another request is sending this upload.', 'Ask with HEAD again in {seconds} s.'),
  'file.crowded': row('admit', 'RATE_LIMITED', [503, UNREACHABLE, 'retry'], '{limit} transfers of files are under way here, and no more are taken at a time.', 'Try again when some of them are over.'),
  'file.slow': row('receive', 'TIMEOUT', [408, UNREACHABLE, 'retry'], 'No byte arrived for {seconds} s.', 'Ask with HEAD where the upload goes on, and send the rest.'),
  'file.range': row('check', 'INVALID_ARGUMENT', [416, PARAMS], 'The file has {size} bytes, and that range is not among them.', 'Ask for a range inside of it, or for all of it.'),
  'file.damaged': row('run', 'EXECUTION_ERROR', [500, UNREACHABLE], 'The stored content of file {file} is incomplete or was changed, so it is not given out.', 'Upload it again, and have the operator check the storage or its backup.'),
  'file.away': row('open', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'The file store cannot be used: {problem}.', 'Try again in a moment, or have the operator check the file store.'),
  'vault.closed': row('open', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'No new secret is taken at the moment: {problem}. Calls go on.', 'Try again when the key service answers, or have the operator check it and the rights of the gateway there.'),
  'secret.unresolved': row('open', 'UNAVAILABLE', [503, UNREACHABLE, 'retry'], 'A secret of {connection} cannot be read: {problem}.', 'Check the reference and the place where the secret is kept; it is tried again every few seconds.'),
  'file.full': row('run', 'UNAVAILABLE', [507, UNREACHABLE, 'retry'], 'The file store has no room for this content.', 'Have the operator make room on the disk of TOOLWAY_FILES; an upload goes on where it stopped.'),

  // Of the stdio bridge, which stands on the client's side of the wire.
  'bridge.unreachable': row('open', 'UNAVAILABLE', [502, INTERNAL, 'retry'], 'No gateway answers at {address}: {problem}.', 'Start it with `npm start` or `npx toolway start`, or correct --url in the configuration of this client.'),
  'bridge.refused': row('open', 'UNAVAILABLE', [502, INTERNAL], 'The address {address} answers HTTP {status}: {problem}.', 'Check that --url is the MCP address of a Toolway gateway, and what stands between it and this machine.'),
  'bridge.key': row('identify', 'UNAUTHENTICATED', [401, INTERNAL], 'The gateway refuses the key of this client: {problem}.', 'The bridge takes it from {source}: set that in the configuration of this client; `toolway key add NAME` makes a key.'),
  'bridge.lost': row('run', 'EXECUTION_ERROR', [502, INTERNAL], 'The connection to the gateway broke before the answer was there; the request may have been carried out.', 'Look at the effect before you send it again.'),
  'bridge.busy': row('receive', 'RATE_LIMITED', [503, INTERNAL, 'retry'], 'The bridge has {limit} requests under way and takes no more.', 'Send it again when some are answered.'),
  'bridge.session': row('open', 'UNAVAILABLE', [502, INTERNAL], 'The gateway no longer knows this session, and a new one cannot be opened: {problem}.', 'Restart this server in the client.'),

  internal: row('run', 'INTERNAL', [500, INTERNAL], 'Something went wrong inside the gateway.', 'Give the operator the correlation id of this answer.'),
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
    super(fill(FAULTS[code].say, facts ?? {}), extra?.cause === undefined ? undefined : { cause: extra.cause })
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

  // Without this, `instanceof` narrows to a Fault of any code at all, and its facts to `any`.
  static override [Symbol.hasInstance](thrown: unknown): thrown is Fault {
    return Function.prototype[Symbol.hasInstance].call(this, thrown)
  }

  /** A fault as it is; anything else is a bug and becomes `internal`, with the thrown thing as its cause. */
  static of(thrown: unknown): Fault {
    return thrown instanceof Fault ? thrown : new Fault('internal', {}, { cause: thrown })
  }
}
