/** An approval: the call waits until somebody grants it. */
import { z } from 'zod'
import { ROLES } from '../roles.ts'
import { ruleAction, type DraftParameters } from './action.ts'
import { listIn, OPEN, or, recordIn } from './parameters.ts'

/** The approvers. A user qualifies who has one of the roles, is one of the members, or belongs to one of the groups. */
export const Approvers = z.strictObject({
  roles: z.array(z.enum(ROLES)).min(1).optional(),
  /** Addresses of members. */
  members: z.array(z.email()).min(1).optional(),
  groups: z.array(z.string().min(1)).min(1).optional(),
  /** Ids of webhooks whose signed answers count. */
  webhooks: z.array(z.string().min(1)).min(1).optional(),
  /** Whether whoever calls may grant its own call, where a person is behind it. */
  self: z.boolean().default(false),
})
export type Approvers = z.output<typeof Approvers>

const ROLE_WORDS: Readonly<Record<string, string>> = {
  platform_admin: 'a platform administrator',
  tenant_admin: 'an administrator of the organization',
  tenant_member: 'a member',
  tenant_viewer: 'a viewer',
}

export const approve = ruleAction({
  action: 'approve',
  parameters: z
    .strictObject({
      by: Approvers.prefault({ roles: ['tenant_admin'] }),
      /** How many different people have to grant it. */
      quorum: z.int().min(1).max(10).default(1),
      /** Seconds until an unanswered question is a refusal. */
      wait: z.int().min(10).max(604_800).default(3600),
      /** Seconds for which the same call with the same arguments needs no new grant; 0: each call needs its own. */
      repeat: z.int().min(0).max(604_800).default(0),
      /** Whether the answer may be "always for this tool": for that caller, the tool as it is defined, and never for what destroys. */
      always: z.boolean().default(false),
    })
    .prefault({}),
  outcome: 'waits',
  title: 'Require approval',
  about: 'Calls wait until an approver approves them',
  follows(parameters) {
    const [who, quorum] = [approversIn(parameters), Number(parameters['quorum'] ?? 1)]
    return quorum > 1 ? `calls wait for ${quorum} approvals, each by ${who}` : `calls wait for approval by ${who}`
  },
  beginning: { by: { roles: ['tenant_admin'] }, quorum: 1, wait: 3600, repeat: 0 },
  form: [
    [
      { name: 'by.roles', control: 'several', source: 'roles', label: 'Approvers by role' },
      { name: 'by.members', control: 'several', source: 'members', label: 'Approvers by name' },
    ],
    [
      { name: 'by.groups', control: 'several', source: 'groups', label: 'Approver groups' },
      { name: 'by.webhooks', control: 'several', source: 'webhooks', label: 'Approver webhooks' },
    ],
    [
      {
        name: 'by.self',
        control: 'switch',
        problemsOf: 'by',
        label: 'Callers may approve their own calls',
        hint: 'Applies to calls made by a person. When off, nobody can approve their own calls.',
      },
    ],
    [
      {
        name: 'always',
        control: 'switch',
        label: 'Allow “Always for this tool” as an answer',
        hint: 'For one caller, until the tool changes. Not available for destructive tools.',
      },
    ],
    [
      {
        name: 'quorum',
        control: 'number',
        label: 'Required approvals',
        hint: 'From different people. One denial is enough to refuse the call.',
        min: 1,
      },
      {
        name: 'wait',
        control: 'number',
        label: 'Expires after (seconds)',
        hint: 'Unanswered requests are denied.',
        min: 10,
      },
      {
        name: 'repeat',
        control: 'number',
        label: 'Valid for (seconds)',
        hint: '0: every call needs its own approval.',
        min: 0,
      },
    ],
  ],
  flag: { value: '<tools...>', about: 'require approval by an organization administrator' },
})

function approversIn(parameters: DraftParameters): string {
  const by = recordIn(parameters, 'by')
  const who = [
    ...listIn(by, 'roles').map((role) => ROLE_WORDS[role] ?? role),
    ...listIn(by, 'members'),
    ...listIn(by, 'groups').map((group) => `a member of the group ${group}`),
    ...listIn(by, 'webhooks').map((id) => `the webhook ${id}`),
    ...(by['self'] === true ? ['the caller'] : []),
  ]
  return who.length === 0 ? OPEN : or(who)
}
