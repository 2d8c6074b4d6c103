/** `toolway user …`: the people of an installation. */
import {
  addPasswordCode,
  addSetUpCode,
  addUser,
  listUsers,
  logout,
  register,
  removeUser,
  setPassword,
  type TokenPair,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { CommandFault, table } from '../../cli/terminal/output.ts'
import { readNewPassword } from '../../cli/terminal/terminal.ts'
import { listAll, Refusal, type Transport } from '../../cli/transport/transport.ts'
import { checkEmail, getUser } from './find-person.command.ts'

interface UserArgument {
  readonly email: string
}
interface Adding extends UserArgument {
  readonly name?: string
  readonly platformAdmin?: boolean
  readonly setupCode?: string
  readonly passwordStdin?: boolean
}

const email = new Argument('<email>', 'email address of the person')
const stdin = new Option('--password-stdin', 'read the password from standard input')

const codeLines = ({ code, expires_at: until }: { code: string; expires_at: string }): string[] => [
  `Code: ${code}`,
  `With this code, the user can set a password once at /sign-in/code, until ${until.slice(0, 16)}Z.`,
]

type Person = Pick<TokenPair['user'], 'email' | 'platform_admin'>
type Added =
  | { readonly first: Person }
  | { readonly user: Person; readonly invitation: Parameters<typeof codeLines>[0] | null }

/** The first person signs up; the sign-in that comes with it is ended, as nobody uses it. */
async function signUp({ call }: Transport, words: Adding, code: string): Promise<Added> {
  const { email: address, name = address.split('@')[0] ?? address, passwordStdin = false } = words
  const password = await readNewPassword(passwordStdin)
  const tokens = await call(register, { body: { setup_code: code, email: address, name, password } })
  if (tokens.refresh_token !== undefined) await call(logout, { body: { refresh_token: tokens.refresh_token } })
  return { first: tokens.user }
}

const add = describeCommand({
  name: 'add',
  about: 'add a person, who sets a password with a one-time code',
  arguments: [email],
  options: [
    new Option('--name <name>', 'display name'),
    new Option('--platform-admin', 'make the person a platform administrator'),
    new Option(
      '--setup-code <code>',
      'sign up as the first person, with the setup code shown when the gateway first started',
    ),
    stdin,
  ],
  examples: ['toolway user add ada@example.com', 'toolway user add ada@example.com --setup-code XXXX-XXXX-XXXX-XXXX'],
  async call(transport, words: Adding): Promise<Added> {
    const { email: address, name, platformAdmin: platform_admin, setupCode, passwordStdin = false } = words
    checkEmail(address)
    if (setupCode !== undefined) return signUp(transport, words, setupCode)
    const password = passwordStdin ? await readNewPassword(true) : undefined
    return transport.call(addUser, { body: { email: address.trim(), name, platform_admin, password } })
  },
  print(added) {
    if ('first' in added)
      return {
        value: { email: added.first.email, platform_admin: true },
        lines: [`Added ${added.first.email} as administrator of this installation and of the default organization.`],
      }
    const { user, invitation } = added
    return {
      value: { email: user.email, platform_admin: user.platform_admin, code: invitation?.code ?? null },
      lines: [
        `Added ${user.email}.`,
        ...(invitation === null ? [] : codeLines(invitation)),
        `\`toolway member add ${user.email}\` adds them to an organization.`,
      ],
    }
  },
})

const list = describeCommand({
  name: 'list',
  about: 'list the users of this installation',
  examples: ['toolway user list'],
  call: (transport) => listAll(transport, listUsers),
  print: (people) => ({
    value: people.map(({ id: _, created_at: __, ...rest }) => rest),
    lines: table(
      ['EMAIL', 'NAME', 'PLATFORM', 'ACTIVE', 'SIGNS IN WITH', 'LAST SIGN-IN'],
      people.map((person) => [
        ...[person.email, person.name, person.platform_admin ? 'admin' : '', person.is_active ? 'yes' : 'no'],
        ...[person.provider, person.signed_in_at ?? 'never'],
      ]),
    ),
  }),
})

const remove = describeCommand({
  name: 'remove',
  about: 'remove a person and their memberships, keys and sign-ins',
  arguments: [email],
  examples: ['toolway user remove ada@example.com'],
  async call(transport, { email: address }: UserArgument) {
    const { id: user } = await getUser(transport, address)
    return transport.call(removeUser, { params: { user } })
  },
  print: (_, { email: address }) => ({
    value: { removed: address },
    lines: [`Removed ${address} and their memberships, keys and sign-ins.`],
  }),
})

const password = describeCommand({
  name: 'password',
  about: 'set a new password, or create a one-time code for the person to set one',
  arguments: [email],
  options: [new Option('--code', 'create a one-time code instead of setting a password'), stdin],
  examples: ['toolway user password ada@example.com --code'],
  async call(transport, words: UserArgument & { code?: boolean; passwordStdin?: boolean }) {
    const { id: user } = await getUser(transport, words.email)
    if (words.code === true) return transport.call(addPasswordCode, { params: { user } })
    const next = await readNewPassword(words.passwordStdin === true)
    return transport.call(setPassword, { params: { user }, body: { password: next } })
  },
  print: (made, { email: address }) =>
    made === undefined
      ? {
          value: { email: address },
          lines: [`${address} has a new password. All earlier sign-ins were ended.`],
        }
      : { value: { email: address, code: made.code }, lines: codeLines(made) },
})

const setUpCode = describeCommand({
  name: 'setup-code',
  about: 'create a new setup code for the first sign-up',
  examples: ['toolway user setup-code'],
  call: ({ call }) =>
    call(addSetUpCode).catch((thrown: unknown) => {
      throw thrown instanceof Refusal && thrown.is('setup.done')
        ? new CommandFault('A user has already signed up: `toolway user add EMAIL --platform-admin` adds another.')
        : thrown
    }),
  print: ({ code }) => ({
    value: { code },
    lines: [code],
    notes: ['The first person can use the code once to sign up, at /sign-in or with `toolway user add --setup-code`.'],
  }),
})

export const userCommand = (finish: Finish) =>
  groupOf(
    'user',
    'add, list and remove the users of this installation',
    [add, list, remove, password, setUpCode],
    finish,
  )
