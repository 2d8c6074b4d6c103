/**
 * `toolway approval …`: calls that wait for an approval, and tools that may always be called.
 *
 * The holder of the data directory answers as an administrator of the platform: where a rule asks for a role, and not where it asks
 * for certain people. At a gateway elsewhere the person answers who signed in.
 */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { shownEffectOf, visible } from '@toolway/contract'
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
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { table } from '../../cli/terminal/output.ts'
import { listAll, rewordRefusal } from '../../cli/transport/transport.ts'

interface OrganizationOption {
  readonly organization: string
}
interface ApprovalArgument extends OrganizationOption {
  readonly id: string
}
type State = (typeof APPROVAL_STATES)[number]

const id = new Argument('<id>', '`apr_…`, as shown in the list and in the response to the blocked call')
const paramsOf = ({ organization, id: approval }: ApprovalArgument) => ({ organization, approval })
const unknownApproval = (words: ApprovalArgument) =>
  rewordRefusal(
    `There is no approval "${words.id}"; \`toolway approval list\` shows the pending ones.`,
    'thing.unknown',
  )

const list = describeCommand({
  name: 'list',
  about: 'list the pending approval requests, or those in another state',
  options: [new Option('--state <state>', 'state of the requests').choices(APPROVAL_STATES).default('pending')],
  examples: ['toolway approval list', 'toolway approval list --state denied'],
  call: (transport, { organization, state }: OrganizationOption & { state: State }) =>
    listAll(transport, listApprovals, { params: { organization }, query: { state } }),
  print: (approvals, { state }) => ({
    value: approvals,
    lines:
      approvals.length === 0
        ? [state === 'pending' ? 'No pending approvals.' : `No ${state} approvals.`]
        : table(
            ['ID', 'STATE', 'TOOL', 'EFFECT', 'CALLER', 'UNTIL'],
            approvals.map((approval) => [
              ...[approval.id, approval.state, `${approval.connection ?? '-'} ${visible(approval.tool)}`],
              ...[shownEffectOf(approval), visible(approval.caller), approval.expires_at],
            ]),
          ),
  }),
})

const show = describeCommand({
  name: 'show',
  about: 'show one approval request with the arguments of the call',
  arguments: [id],
  examples: ['toolway approval show apr_01m0000000000000000000000'],
  call: ({ call }, words: ApprovalArgument) =>
    call(getApproval, { params: paramsOf(words) }).catch(unknownApproval(words)),
  print: (approval) => ({ value: approval, lines: linesOf(approval) }),
})

const linesOf = (approval: ApprovalWithArguments): string[] => [
  `${visible(approval.tool)} (${approval.effect_from === 'unknown' ? 'effect unknown' : approval.effect}) on ${approval.connection ?? 'a deleted connection'}, called by ${visible(approval.caller)}`,
  `state     ${approval.state}`,
  `asked     ${approval.created_at}`,
  `until     ${approval.good_until ?? approval.expires_at}`,
  ...approval.rules.map(
    ({ name, reason, asks, granted, quorum }) =>
      `rule      ${name}: ${reason} (asks ${asks}; approvals: ${granted} of ${quorum})`,
  ),
  ...approval.answers.map(
    ({ by, verdict, note }) => `answer    ${by}: ${verdict}${note === null ? '' : ` (${visible(note)})`}`,
  ),
  'arguments:',
  ...JSON.stringify(approval.arguments, undefined, 2).split('\n').map(visible),
]

interface Answering extends ApprovalArgument {
  readonly note?: string
  readonly always?: boolean
}

const answerCommand = (name: 'grant' | 'deny') =>
  describeCommand({
    name,
    about:
      name === 'grant'
        ? 'approve the call, once, with exactly these arguments'
        : 'deny the call; the caller sees your note',
    arguments: [id],
    options: [
      new Option('--note <text>', 'note for the audit log; if you deny the call, the caller sees it too'),
      ...(name === 'grant'
        ? [
            new Option(
              '--always',
              'also approve later calls to this tool by the same caller, until the tool or the rule changes',
            ),
          ]
        : []),
    ],
    examples: [`toolway approval ${name} apr_01m0000000000000000000000`],
    call({ call }, words: Answering) {
      const { note, always = false } = words
      const body = { answer: always ? 'always' : name, note } as const
      return call(answerApproval, { params: paramsOf(words), body }).catch(unknownApproval(words))
    },
    print: (outcome, words) => ({ value: { id: words.id, ...outcome }, lines: [outcomeLine(outcome, words)] }),
  })

function outcomeLine({ state, missing }: { state: State; missing: number }, { always = false }: Answering): string {
  if (state === 'pending')
    return `Your approval was recorded. ${countWithNoun(missing, 'more approval is', 'more approvals are')} needed.`
  if (state !== 'granted') return 'Denied. The caller will see your note, if you added one.'
  return always
    ? 'Approved, including later calls to this tool by the same caller. `toolway approval always` lists standing approvals.'
    : 'Approved. The call will run when the caller repeats it.'
}

const listAlways = describeCommand({
  name: 'always',
  about: 'list standing approvals: the tool, the caller and the approver',
  examples: ['toolway approval always'],
  call: (transport, { organization }: OrganizationOption) =>
    listAll(transport, listLastingApprovals, { params: { organization } }),
  print: (approvals) => ({
    value: approvals,
    lines:
      approvals.length === 0
        ? ['No standing approvals.']
        : table(
            ['ID', 'TOOL', 'CALLER', 'GRANTED BY', 'USES', 'LAST USED'],
            approvals.map((approval) => [
              ...[approval.id, `${approval.connection ?? '-'} ${visible(approval.tool)}`, visible(approval.caller)],
              ...[approval.granted_by, String(approval.uses), approval.used_at ?? '-'],
            ]),
          ),
  }),
})

const end = describeCommand({
  name: 'end',
  about: 'end a standing approval, so that the next call needs approval again',
  arguments: [new Argument('<id>', '`lgr_…`, as shown by `toolway approval always`')],
  examples: ['toolway approval end lgr_01m0000000000000000000000'],
  call: ({ call }, { organization, id: lasting }: ApprovalArgument) =>
    call(endLastingApproval, { params: { organization, lasting } }).catch(
      rewordRefusal(
        `There is no standing approval "${lasting}"; \`toolway approval always\` lists the standing approvals.`,
        'thing.unknown',
      ),
    ),
  print: (_, words) => ({
    value: { id: words.id, ended: true },
    lines: ['Ended. The next call to this tool will need approval again.'],
  }),
})

export const approvalCommand = (finish: Finish) =>
  groupOf(
    'approval',
    'list pending approvals, and approve or deny them',
    [list, show, answerCommand('grant'), answerCommand('deny'), listAlways, end],
    finish,
  )
