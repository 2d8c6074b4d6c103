/** An approval: the call waits until somebody grants it. */
import { z } from 'zod'
import { ROLES } from '../roles.ts'
import { ruleAction } from './action.ts'

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
  beginning: { by: { roles: ['tenant_admin'] }, quorum: 1, wait: 3600, repeat: 0 },
  form: [
    [
      { name: 'by.roles', control: 'several', source: 'roles' },
      { name: 'by.members', control: 'several', source: 'members' },
    ],
    [
      { name: 'by.groups', control: 'several', source: 'groups' },
      { name: 'by.webhooks', control: 'several', source: 'webhooks' },
    ],
    [
      {
        name: 'by.self',
        control: 'switch',
        problemsOf: 'by',
      },
    ],
    [
      {
        name: 'always',
        control: 'switch',
      },
    ],
    [
      {
        name: 'quorum',
        control: 'number',
        min: 1,
      },
      {
        name: 'wait',
        control: 'number',
        min: 10,
      },
      {
        name: 'repeat',
        control: 'number',
        min: 0,
      },
    ],
  ],
  flag: { value: '<tools...>', about: 'require approval by an organization administrator' },
})
