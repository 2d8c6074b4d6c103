/** `toolway scim …`: tokens of an organization's identity provider, and people who left. */
import {
  addScimToken,
  getProvisioning,
  listLeavers,
  removeLeaver,
  removeScimToken,
  rotateScimToken,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { table } from '../../cli/terminal/output.ts'
import { listAll } from '../../cli/transport/transport.ts'

interface Words {
  readonly organization: string
}
interface Lasting extends Words {
  readonly days: string
}

const id = () => new Argument('<id>', 'token ID, as shown by `toolway scim show`')
const days = () => new Option('--days <days>', 'how long the token is valid').default('365')

const made = ({ name, secret, expires_at: end }: { name: string; secret: string; expires_at: string }) => [
  `The secret of ${name}, valid until ${end}, is shown only once: ${secret}`,
]

const show = describeCommand({
  name: 'show',
  about: 'show the SCIM address, its tokens, and how many people and groups are provided',
  examples: ['toolway scim show -o acme'],
  call: ({ call }, { organization }: Words) => call(getProvisioning, { params: { organization } }),
  print: (state) => ({
    value: state,
    lines: [
      `Address: ${state.address}`,
      `${state.people} people (${state.suspended} suspended) and ${state.groups} groups; last request: ${state.last_request_at ?? 'none'}`,
      ...table(
        ['ID', 'NAME', 'ENDS WITH', 'VALID UNTIL', 'LAST USED'],
        state.tokens.map((token) => [
          ...[token.id, token.name, token.hint, token.expires_at, token.last_used_at ?? 'never'],
        ]),
      ),
    ],
  }),
})

const add = describeCommand({
  name: 'add-token',
  about: 'create a token for the identity provider',
  arguments: [new Argument('<name>', 'a name, such as that of the identity provider')],
  options: [days()],
  examples: ['toolway scim add-token okta -o acme'],
  call: ({ call }, { organization, name, days: lasts }: Lasting & { name: string }) =>
    call(addScimToken, { params: { organization }, body: { name, expires_in_days: Number(lasts) } }),
  print: (row) => ({ value: row, lines: made(row) }),
})

const rotate = describeCommand({
  name: 'rotate-token',
  about: 'create a token in place of another one, which stays valid for some hours more',
  arguments: [id()],
  options: [days(), new Option('--overlap <hours>', 'how long the other token stays valid').default('72')],
  examples: ['toolway scim rotate-token sct_01jd0000000000000000000000 --overlap 24'],
  call: ({ call }, { organization, id: token, days: lasts, overlap }: Lasting & { id: string; overlap: string }) =>
    call(rotateScimToken, {
      params: { organization, token },
      body: { expires_in_days: Number(lasts), overlap_hours: Number(overlap) },
    }),
  print: (row) => ({ value: row, lines: made(row) }),
})

const remove = describeCommand({
  name: 'remove-token',
  about: 'remove a token, which is invalid from then on',
  arguments: [id()],
  examples: ['toolway scim remove-token sct_01jd0000000000000000000000'],
  async call({ call }, { organization, id: token }: Words & { id: string }) {
    await call(removeScimToken, { params: { organization, token } })
    return token
  },
  print: (token) => ({ value: { removed: token }, lines: [`Removed ${token}.`] }),
})

const leavers = describeCommand({
  name: 'leavers',
  about: 'list people who were suspended or removed, and what they owned',
  examples: ['toolway scim leavers -o acme'],
  call: (transport, { organization }: Words) => listAll(transport, listLeavers, { params: { organization } }),
  print: (rows) => ({
    value: rows,
    lines:
      rows.length === 0
        ? ['Nobody has left.']
        : table(
            ['ID', 'EMAIL', 'STATE', 'SINCE', 'OWNED'],
            rows.map((row) => [
              ...[row.user_id, row.email, row.suspended ? 'suspended' : 'removed', row.left_at],
              row.owned.map(({ kind, name }) => `${kind} ${name}`).join(', ') || 'nothing',
            ]),
          ),
  }),
})

const settle = describeCommand({
  name: 'settle',
  about: 'remove a person from the list of leavers, when what they owned has been taken over',
  arguments: [new Argument('<user>', 'user ID, as shown by `toolway scim leavers`')],
  examples: ['toolway scim settle usr_01jd0000000000000000000000'],
  async call({ call }, { organization, user }: Words & { user: string }) {
    await call(removeLeaver, { params: { organization, user } })
    return user
  },
  print: (user) => ({ value: { removed: user }, lines: [`${user} is no longer in the list of leavers.`] }),
})

export const scimCommand = (finish: Finish) =>
  groupOf(
    'scim',
    'let an identity provider create, suspend and remove members and fill groups (SCIM)',
    [show, add, rotate, remove, leavers, settle],
    finish,
  )
