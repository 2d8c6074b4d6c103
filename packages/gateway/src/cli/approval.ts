/**
 * `toolway approval …`: calls that wait for an approval, and tools that may always be called.
 *
 * The holder of the data directory answers as an administrator of the platform: where a rule asks for a role, and not where it asks
 * for certain people. At a gateway elsewhere the person answers who signed in.
 */
import { visible } from '@toolway/contract'
import {
  answerApproval,
  APPROVAL_STATES,
  endLastingApproval,
  getApproval,
  listApprovals,
  listLastingApprovals,
  type ApprovalWithArguments,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { described, groupOf, type Finish } from './command.ts'
import { table } from './terminal/output.ts'
import { listAll, reworded } from './transport/transport.ts'

interface OrganizationOption {
  readonly organization: string
}
interface ApprovalArgument extends OrganizationOption {
  readonly id: string
}
type State = (typeof APPROVAL_STATES)[number]

const id = new Argument('<id>', '`apr_…`, as the list and the refused call show it')
const paramsOf = ({ organization, id: approval }: ApprovalArgument) => ({ organization, approval })
const unknown = (words: ApprovalArgument) =>
  reworded(`There is no approval "${words.id}"; \`toolway approval list\` shows those that wait.`, 'thing.unknown')

const list = described({
  name: 'list',
  about: 'list the questions that wait for an answer, or those in another state',
  options: [new Option('--state <state>', 'in which state').choices(APPROVAL_STATES).default('pending')],
  examples: ['toolway approval list', 'toolway approval list --state denied'],
  call: (transport, { organization, state }: OrganizationOption & { state: State }) =>
    listAll(transport, listApprovals, { params: { organization }, query: { state } }),
  print: (approvals, { state }) => ({
    value: approvals,
    lines:
      approvals.length === 0
        ? [state === 'pending' ? 'No call waits for an approval.' : `No approval is ${state}.`]
        : table(
            ['ID', 'STATE', 'TOOL', 'EFFECT', 'CALLER', 'UNTIL'],
            approvals.map((one) => [
              ...[one.id, one.state, `${one.connection ?? '-'} ${visible(one.tool)}`],
              ...[one.effect, visible(one.caller), one.expires_at],
            ]),
          ),
  }),
})

const show = described({
  name: 'show',
  about: 'show one question with the arguments of the call, as they would be sent',
  arguments: [id],
  examples: ['toolway approval show apr_01m0000000000000000000000'],
  call: ({ call }, words: ApprovalArgument) => call(getApproval, { params: paramsOf(words) }).catch(unknown(words)),
  print: (approval) => ({ value: approval, lines: linesOf(approval) }),
})

const linesOf = (approval: ApprovalWithArguments): string[] => [
  `${visible(approval.tool)} (${approval.effect}) at ${approval.connection ?? 'a connection that is gone'}, called by ${visible(approval.caller)}`,
  `state     ${approval.state}`,
  `asked     ${approval.created_at}`,
  `until     ${approval.good_until ?? approval.expires_at}`,
  ...approval.rules.map(
    ({ name, reason, asks, granted, quorum }) => `rule      ${name}: ${reason} (asks ${asks}; ${granted} of ${quorum})`,
  ),
  ...approval.answers.map(
    ({ by, verdict, note }) => `answer    ${by}: ${verdict}${note === null ? '' : ` (${visible(note)})`}`,
  ),
  'arguments, as they would be sent:',
  ...JSON.stringify(approval.arguments, undefined, 2).split('\n').map(visible),
]

interface Answering extends ApprovalArgument {
  readonly note?: string
  readonly always?: boolean
}

const answering = (name: 'grant' | 'deny') =>
  described({
    name,
    about:
      name === 'grant'
        ? 'let the call be made, once, with these very arguments'
        : 'refuse the call; its caller is told why',
    arguments: [id],
    options: [
      new Option('--note <text>', 'kept on record; the reason of a no is told to who calls'),
      ...(name === 'grant'
        ? [new Option('--always', 'also later calls of its caller to this tool, until the tool or the rule is another')]
        : []),
    ],
    examples: [`toolway approval ${name} apr_01m0000000000000000000000`],
    call({ call }, words: Answering) {
      const { note, always = false } = words
      const body = { answer: always ? 'always' : name, note } as const
      return call(answerApproval, { params: paramsOf(words), body }).catch(unknown(words))
    },
    print: (outcome, words) => ({ value: { id: words.id, ...outcome }, lines: [outcomeLine(outcome, words)] }),
  })

function outcomeLine({ state, missing }: { state: State; missing: number }, { always = false }: Answering): string {
  if (state === 'pending') return `Noted; ${missing} more ${missing === 1 ? 'person has' : 'people have'} to grant it.`
  if (state !== 'granted') return 'Denied: its caller is told so.'
  return always
    ? 'Granted, this call and later ones of its caller to this tool: `toolway approval always` lists them.'
    : 'Granted: the very same call is made when its caller repeats it.'
}

const listAlways = described({
  name: 'always',
  about: 'list the tools that may always be called, by whom and by whose word',
  examples: ['toolway approval always'],
  call: (transport, { organization }: OrganizationOption) =>
    listAll(transport, listLastingApprovals, { params: { organization } }),
  print: (approvals) => ({
    value: approvals,
    lines:
      approvals.length === 0
        ? ['Nobody said "always" of a tool.']
        : table(
            ['ID', 'TOOL', 'CALLER', 'GRANTED BY', 'USES', 'LAST USED'],
            approvals.map((one) => [
              ...[one.id, `${one.connection ?? '-'} ${visible(one.tool)}`, visible(one.caller)],
              ...[one.granted_by, String(one.uses), one.used_at ?? '-'],
            ]),
          ),
  }),
})

const end = described({
  name: 'end',
  about: 'end one of those: the next such call is asked about again',
  arguments: [new Argument('<id>', '`lgr_…`, as `toolway approval always` shows it')],
  examples: ['toolway approval end lgr_01m0000000000000000000000'],
  call: ({ call }, { organization, id: lasting }: ApprovalArgument) =>
    call(endLastingApproval, { params: { organization, lasting } }).catch(
      reworded(
        `There is no lasting approval "${lasting}"; \`toolway approval always\` shows those that there are.`,
        'thing.unknown',
      ),
    ),
  print: (_, words) => ({
    value: { id: words.id, ended: true },
    lines: ['Ended: the next such call is asked about again.'],
  }),
})

export const approvalCommand = (finish: Finish) =>
  groupOf(
    'approval',
    'look at calls that wait for an approval, and answer them',
    [list, show, answering('grant'), answering('deny'), listAlways, end],
    finish,
  )
