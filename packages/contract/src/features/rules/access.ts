/** Who reaches which connections through which toolsets: a map for administrators. */
import { z } from 'zod'
import { LIMITS } from '../../effects.ts'
import { inOrganization, operation } from '../../admin/operation.ts'

export const AccessCaller = z.strictObject({
  kind: z.enum(['role', 'group', 'member', 'key']),
  /** Name of the role, slug of the group, email address of the member, id of the key. */
  id: z.string(),
  name: z.string(),
  /** Members with the role or in the group; null for a member and for a key. */
  members: z.int().nullable(),
  /** The most that its calls may do. */
  limit: z.enum(LIMITS),
  /** Slugs of the toolsets that it can use; none where it may not call tools. */
  toolsets: z.array(z.string()),
})
export type AccessCaller = z.output<typeof AccessCaller>

export const AccessMap = z.strictObject({
  callers: z.array(AccessCaller),
  toolsets: z.array(
    z.strictObject({
      /** `default`: the endpoint of the organization itself. */
      slug: z.string(),
      title: z.string(),
      /** Whether it is available to everyone in the organization. */
      everyone: z.boolean(),
      /** By alias. */
      connections: z.array(z.strictObject({ alias: z.string(), tools: z.int() })),
    }),
  ),
  connections: z.array(
    z.strictObject({
      alias: z.string(),
      title: z.string(),
      enabled: z.boolean(),
      /** Tools that it provides, those that are switched off too. */
      tools: z.int(),
    }),
  ),
})
export type AccessMap = z.output<typeof AccessMap>

export const getAccessMap = operation({
  id: 'getAccessMap',
  at: 'GET /api/v1/organizations/{organization}/access',
  summary:
    'Show which connections each role, group and key can reach through which toolsets, or only those of one member or key. Rules can still block individual calls.',
  needs: inOrganization('policy_manage'),
  query: z.strictObject({
    /** The email address of a member: only that member. */
    as: z.email().max(254).optional(),
    /** Id or name of a key: only that key; with `as`, the member with that key. */
    key: z.string().min(1).max(200).optional(),
  }),
  answer: AccessMap,
})
