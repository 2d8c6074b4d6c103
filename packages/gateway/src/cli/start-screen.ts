/** The one screen of a start: where the gateway is, the key that is shown once, what to paste where, the first call to make. */
import { clientConfigurations, type Reached } from './clients/client-configurations.ts'

const FIRST_CALL = `npx toolway call demo__world_clock '{"zones": ["Europe/Berlin", "America/New_York", "Asia/Tokyo"]}'`

const FIRST_CONNECTION = 'npx toolway connection add memory -- npx -y @modelcontextprotocol/server-memory'

const indentLines = (text: string) =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')

export interface SignUp {
  /** Where the gateway is, without a path. */
  readonly address: string
  readonly setUpCode: string | undefined
  /** Whether nobody has signed up yet. */
  readonly empty: boolean
  /** Where key and code were written, as the output goes to no terminal; they are then left out of what is printed. */
  readonly secretsFile: string | undefined
}

/** Stands in printed configurations where the key would be. */
const PLACEHOLDER = 'YOUR_KEY'

const AGAIN = '`npx toolway user setup-code` creates a new one.'

/** Where a browser goes, and what it takes to get in. */
const consoleOf = ({ address, setUpCode, empty, secretsFile }: SignUp): string[] => {
  if (setUpCode !== undefined && secretsFile !== undefined)
    return [
      `  Console   ${address}`,
      `            Sign up there with the setup code in ${secretsFile}`,
      `            Or run: npx toolway user add YOU@EXAMPLE.COM --setup-code CODE`,
      `            The code can be used once. ${AGAIN}`,
    ]
  if (setUpCode !== undefined)
    return [
      `  Console   ${address}`,
      `            Sign up there with this setup code: ${setUpCode}`,
      `            Or run: npx toolway user add YOU@EXAMPLE.COM --setup-code ${setUpCode}`,
      `            The code can be used once. ${AGAIN}`,
    ]
  const first = empty ? [`            Nobody has signed up yet. Signing up requires a setup code; ${AGAIN}`] : []
  return [`  Console   ${address}`, ...first]
}

/** @param demo whether there is a demo connection to call */
export function firstScreen({ url, key: made, bridge }: Reached, demo: boolean, people: SignUp): string[] {
  const key = people.secretsFile === undefined ? made : PLACEHOLDER
  const firstCall = demo
    ? ['  First call, in a second terminal:', '', `    ${FIRST_CALL}`]
    : ['  First connection, in a second terminal:', '', `    ${FIRST_CONNECTION}`]
  return [
    '',
    '  Toolway is ready.',
    '',
    ...consoleOf(people),
    '',
    `  Address   ${url}`,
    ...keyLines(made, people.secretsFile),
    '',
    ...firstCall,
    '',
    '  Connect a client:',
    ...clientConfigurations({ url, key, bridge }).flatMap(({ client, where, text }) => [
      '',
      `  ${client}: ${where}`,
      '',
      indentLines(text),
    ]),
    '',
    '  Next: `npx toolway connection add --help` shows how to add a server; `npx toolway import FILE` imports an mcp.json.',
    '  Ctrl+C stops Toolway.',
    '',
  ]
}

function keyLines(key: string, secretsFile: string | undefined): string[] {
  const another = '`npx toolway key add NAME` creates another.'
  if (secretsFile === undefined) return [`  Key       ${key}`, `            It is shown only once. ${another}`]
  return [
    `  Key       in ${secretsFile} (readable only by its owner), because this output does not go to a terminal.`,
    `            Replace ${PLACEHOLDER} below with the key, and delete the file. ${another}`,
  ]
}

export function laterScreen(people: SignUp): string[] {
  return [
    '',
    `  Toolway is ready at ${people.address}/mcp`,
    '  Keys are shown once; `npx toolway key add NAME` creates another. Ctrl+C stops Toolway.',
    ...consoleOf(people),
    '',
  ]
}
