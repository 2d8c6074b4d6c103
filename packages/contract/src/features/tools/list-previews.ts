/** The listing that a caller gets at an endpoint: the exact answer, without being that caller. */
import { z } from 'zod'
import { REVISIONS } from '../../revisions.ts'
import { ROLES } from '../../roles.ts'
import { DISCOVERY_MODES } from '../../toolset-words.ts'
import { inOrganization, operation } from '../../admin/operation.ts'

/** The caller to preview; default: the caller of this operation. */
const Who = z.strictObject({
  /** The address of a member. */
  as: z.email().max(254).optional(),
  /** Name or id of a key of the organization. */
  key: z.string().min(1).max(200).optional(),
  /** Somebody of whom nothing but that role is known. */
  role: z.enum(ROLES).optional(),
  toolset: z.string().min(1).max(100).optional(),
  /** Alias or id: its own endpoint. */
  connection: z.string().min(1).max(100).optional(),
  revision: z.enum(REVISIONS).default('2026-07-28'),
  /** The name that the client reports, which rules may check. */
  client: z.string().min(1).max(200).optional(),
})

export const ListPreview = z.strictObject({
  /** Why there is no list; the endpoint then answers like one that does not exist. */
  refused: z.strictObject({ code: z.string(), message: z.string(), mend: z.string() }).nullable(),
  /** Its role; null where it has none there. */
  role: z.string().nullable(),
  /** Whether it may call what is listed. */
  may_call: z.boolean(),
  discovery: z.enum(DISCOVERY_MODES),
  /** As they are listed, of all pages together. */
  tools: z.array(z.record(z.string(), z.unknown())),
  pages: z.int(),
  /** Of the definitions as JSON. */
  bytes: z.int(),
  tokens: z.int(),
  /** Of the first page, which is all that clients read who follow no cursors. */
  first_page: z.strictObject({ tools: z.int(), tokens: z.int() }),
  /** Numbers of tools above which clients are known to leave some out, as far as the list is longer. */
  exceeds: z.array(z.int()),
})
export type ListPreview = z.output<typeof ListPreview>

export const previewList = operation({
  id: 'previewList',
  at: 'POST /api/v1/organizations/{organization}/tools/preview',
  summary:
    'Show what tools/list returns to a caller of the organization at an endpoint. No tool is called and nothing is recorded.',
  needs: inOrganization('tool_configure'),
  body: Who.refine(({ as, key, role }) => [as, key, role].filter((item) => item !== undefined).length <= 1, {
    error: 'must specify one caller: a member, a key or a role',
  }),
  answer: ListPreview,
})
