/**
 * Entries and files of clients' settings as people have them: credentials, limits on tools, placeholders, what cannot be read. Each with
 * what becomes of it; the golden files of whole clients lie in `packages/gateway/src/cli/import/clients`. Origins: the clients named there.
 */
import type { Json } from '../../../packages/protocol/src/json.ts'

type Members = Readonly<Record<string, Json>>
export const SETTINGS_URL = 'https://x.example/mcp'
/** The value of the variable KEY, and of no other. */
export const VARIABLES: Readonly<Record<string, string>> = { KEY: 'v', EMPTY: '' }

/** Members of a remote server, and the headers that they become. */
export const CREDENTIALS: readonly (readonly [members: Members, headers: Readonly<Record<string, string>>])[] = [
  [{ bearerToken: 'abc' }, { Authorization: 'Bearer abc' }],
  [{ bearer_token: 'Bearer abc' }, { Authorization: 'Bearer abc' }],
  [{ authorization_token: 'abc' }, { Authorization: 'Bearer abc' }],
  [{ bearer_token_env_var: 'KEY' }, { Authorization: 'Bearer v' }],
  [{ http_headers: { 'X-Key': 'abc' } }, { 'X-Key': 'abc' }],
  [{ env_http_headers: { 'X-Key': 'KEY' } }, { 'X-Key': 'v' }],
  [{ requestInit: { headers: { 'X-Key': 'abc' } } }, { 'X-Key': 'abc' }],
  [{ requestOptions: { headers: { 'X-Key': 'abc' } } }, { 'X-Key': 'abc' }],
  [{ transport: { type: 'sse', headers: { 'X-Key': 'abc' } } }, { 'X-Key': 'abc' }],
  [{ apiKey: 'abc' }, { Authorization: 'Bearer abc' }],
  [{ apiKey: { key: 'abc', authorization_type: 'basic' } }, { Authorization: 'Basic abc' }],
  [{ bearerToken: 'abc', headers: { authorization: 'Basic x' } }, { authorization: 'Basic x' }],
]
/** Such as cannot be read: the server is held back. */
export const UNREADABLE_CREDENTIALS: readonly (readonly [members: Members, words: RegExp])[] = [
  [{ bearerToken: { from: 'x' } }, /thing\.bearerToken must be a string/],
  [{ http_headers: ['a'] }, /thing\.http_headers must be an object with string values/],
  [{ apiKey: { source: 'user' } }, /put the key in "headers"/],
]

type Limit = { readonly only?: readonly string[]; readonly except?: readonly string[] }
/** Members of a server, the limit that they become, and the note; it is never more than the file allowed. */
export const TOOL_LIMITS: readonly (readonly [
  members: Members,
  tools: Limit | undefined,
  words: RegExp | undefined,
])[] = [
  [{ tools: ['a'] }, { only: ['a'] }, /Only these tools are on, as in the file: a\./],
  [{ tools: ['*'] }, undefined, undefined],
  [{ tools: [] }, { only: [] }, /All its tools are off, as in the file/],
  [{ includeTools: ['a', 'b'], excludeTools: ['b'] }, { only: ['a'] }, /Only these tools are on, as in the file: a\./],
  [{ excludeTools: ['b'] }, { except: ['b'] }, /These tools are off, as in the file: b\./],
  [{ enabled_tools: ['a'] }, { only: ['a'] }, /Only these tools are on/],
  [{ enabledTools: ['a'] }, { only: ['a'] }, /Only these tools are on/],
  [{ allowedTools: ['a'], enabled_tools: ['a', 'b'] }, { only: ['a'] }, /Only these tools are on, as in the file: a\./],
  [{ allowed_tools: 'a, b' }, { only: ['a', 'b'] }, /Only these tools are on, as in the file: a, b\./],
  [{ disabledTools: ['b', 'c'] }, { except: ['b', 'c'] }, /These tools are off, as in the file: b, c\./],
  [{ disabled_tools: ['b'] }, { except: ['b'] }, /These tools are off/],
  [{ available_tools: [] }, undefined, undefined],
  [{ tools: { a: true, b: false, c: { enabled: false } } }, { except: ['b', 'c'] }, /These tools are off/],
  [{ disabledTools: ['b*'] }, { only: [] }, /its limit on tools \(b\*\) is not a list of names/],
  [{ includeTools: ['a', 'get_*'] }, { only: ['a'] }, /Only these tools are on.*: a\./],
  [{ tools: 7 }, { only: [] }, /All its tools are off, since its limit on tools/],
]

/** The text of a variable, and its value. */
export const FILLED_PLACEHOLDERS: readonly (readonly [text: string, value: string])[] = [
  ['$KEY', 'v'],
  ['Bearer $KEY', 'Bearer v'],
  ['$env:KEY', 'v'],
  ['${KEY}', 'v'],
  ['${env:KEY}', 'v'],
  ['${env.KEY}', 'v'],
  ['${KEY:-x}', 'v'],
  ['${NONE:-x}', 'x'],
  ['${EMPTY:-x}', 'x'],
  ['${env:NONE:-x}', 'x'],
  ['%KEY%', 'v'],
  ['{env:KEY}', 'v'],
  ['{{KEY}}', 'v'],
  ['${{ secrets.KEY }}', 'v'],
  ['~', '/home/ada'],
  ['~/data', '/home/ada/data'],
  ['--dir=~/data', '--dir=/home/ada/data'],
  ['$HOME/data', '/home/ada/data'],
  ['%USERPROFILE%\\data', '/home/ada\\data'],
  ['${userHome}/data', '/home/ada/data'],
]
/** Without a value: the server is held back. */
export const OPEN_PLACEHOLDERS: readonly (readonly [text: string, words: RegExp])[] = [
  ['$NONE', /uses the variable NONE, which is not set/],
  ['%NONE%', /uses the variable NONE, which is not set/],
  ['{env:NONE}', /uses the variable NONE, which is not set/],
  ['{file:~/key}', /uses \$\{file:…\}, which has no meaning outside its client/],
  ['{{NONE}}', /uses the variable NONE, which is not set/],
  ['${{ secrets.NONE }}', /uses the variable NONE, which is not set/],
  ['${NONE:?set it}', /uses the variable NONE, which is not set/],
  ['${command:x}', /uses \$\{command:…\}, which has no meaning outside its client/],
]
/** What looks like one and is none. */
export const NO_PLACEHOLDERS: readonly string[] = [
  'pa$$WORD',
  'a$WORD',
  '100%',
  '50%OFF%x',
  'a~b',
  '~user',
  '{"a":1}',
  '$5',
  '{name}',
  '$(KEY)',
  'https://x.example/%AB%CD',
]

const TOO_MANY = { mcpServers: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`s${at}`, {}])) }
/** Whole files, under a name where they are long. */
export const UNREADABLE_FILES: readonly (readonly [behaviour: string, text: string, words: RegExp])[] = [
  ['nothing', '', /^The file is empty/],
  ['a byte order mark and blanks', '\uFEFF  \n', /^The file is empty/],
  ['[]', '[]', /must contain an object in braces/],
  ['{}', '{}', /^No servers found: expected "mcpServers"/],
  ['mcpServers as a number', '{"mcpServers": 7}', /mcpServers must be an object/],
  ['context_servers as a text', '{"context_servers": "x"}', /context_servers must be an object/],
  ['settings without servers', '{"theme": "dark"}', /^No servers found/],
  ['201 servers', JSON.stringify(TOO_MANY), /contains 201 servers/],
  ['a megabyte', ' '.repeat(1_000_001), /larger than/],
  [
    'a server twice',
    '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}',
    /mcpServers contains the server "a" twice: remove one of them/,
  ],
  [
    'a server twice, one level down',
    '{"mcp": {"servers": {"a": {"command": "x"}, "a": {"command": "x"}}}}',
    /mcp\.servers contains the server "a" twice/,
  ],
  [
    'a server twice, without a level',
    '{"a": {"command": "x"}, "b": {"command": "y"}, "a": {"command": "z"}}',
    /the file contains the server "a" twice/i,
  ],
  ['TOML with a member twice', '[mcp_servers.a]\ncommand = "x"\ncommand = "y"', /^The file is not TOML\. Line 3/],
  ['YAML that breaks off', 'mcpServers:\n  a: { command: "s3cret\n', /^The file is not YAML\. Line/],
  [
    'YAML with a server twice',
    'mcpServers:\n  a: { command: x }\n  a: { command: y }\n',
    /^The file is not YAML\. Line 3, .*twice/,
  ],
  ['YAML with an alias of nothing', 'mcpServers:\n  a: *nothing\n', /^The file is not YAML/],
  ['YAML without servers', 'a: b\n', /^No servers found/],
]

/** Entries of servers that cannot be added: their neighbours can. */
export const UNUSABLE_SERVERS: readonly (readonly [
  entry: Json,
  kind: 'http' | 'process' | 'unusable',
  code: string,
  words: string,
])[] = [
  [{ type: 'grpc', url: 'https://x.example' }, 'http', 'unsupported-transport', 'mcpServers.thing.type must be'],
  [{ url: 'unix:///run/x.sock' }, 'http', 'bad-url', 'must begin with https://'],
  [{ url: 'https://ada:pw@x.example/mcp' }, 'http', 'bad-url', 'must not contain a user name or password'],
  [{ url: 'not an address' }, 'http', 'bad-url', 'mcpServers.thing.url is not a valid address'],
  [{ url: 'https://x.example', headers: { 'X Y': '1' } }, 'http', 'bad-header', "'X Y' is not a valid header name"],
  [
    { url: 'https://x.example', headers: { A: 'a\r\nB: c' } },
    'http',
    'bad-header',
    "the value of 'A' contains a control character",
  ],
  [{ command: 'a', args: 'b' }, 'process', 'wrong-shape', 'mcpServers.thing.args must be a list of strings'],
  [
    { command: 'a', env: ['A=1'] },
    'process',
    'wrong-shape',
    'mcpServers.thing.env must be an object with string values',
  ],
  [{ command: 'a', env: { A: {} } }, 'process', 'wrong-shape', 'mcpServers.thing.env.A must be a string'],
  [{ command: '' }, 'process', 'wrong-shape', 'mcpServers.thing.command must be a string'],
  [{}, 'unusable', 'wrong-shape', 'mcpServers.thing has no "command" or "url"'],
  [{ type: 'http', command: 'x' }, 'unusable', 'wrong-shape', 'mcpServers.thing has no "url"'],
  ['npx thing', 'unusable', 'wrong-shape', 'mcpServers.thing must be an object'],
  [null, 'unusable', 'wrong-shape', 'mcpServers.thing must be an object'],
  [
    { command: '${workspaceFolder}/run' },
    'process',
    'unknown-variable',
    'in the file, replace this variable with the path to that folder',
  ],
  [{ command: 'x', args: ['${command:pick}'] }, 'process', 'unknown-variable', '${command:…}, which has no meaning'],
  [
    { command: 'x', args: ['${constructor}', '${input:toString}'] },
    'process',
    'unknown-variable',
    'variable constructor',
  ],
]
