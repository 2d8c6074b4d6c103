/** An organization in a declaration file: its settings, its way out of the guard, and its webhooks. */
import { EgressExceptions } from '@toolway/contract'
import { NewWebhook, OrganizationSettings } from '@toolway/contract/admin'
import { z } from 'zod'

export const DeclaredWebhook = NewWebhook.extend({
  url: z.url({ protocol: /^https?$/, error: 'must be an address that starts with https:// or http://' }),
})
export type DeclaredWebhook = z.output<typeof DeclaredWebhook>

/** Members of an organization beside its connections, toolsets, keys, groups and rules. A section that is absent is left alone. */
export const ORGANIZATION_MEMBERS = {
  name: z.string().trim().min(1).max(100).optional(),
  description: z.string().max(2_000).optional(),
  contact_email: z.email('must be an address').max(255).optional(),
  /** All of them: a setting that is absent is as the gateway says. */
  settings: OrganizationSettings.optional(),
  egress: EgressExceptions.optional(),
  webhooks: z
    .array(DeclaredWebhook)
    .max(10)
    .refine((all) => new Set(all.map(({ url }) => url)).size === all.length, 'must contain each address only once')
    .optional(),
}
const Members = z.object(ORGANIZATION_MEMBERS).omit({ name: true })
export type OrganizationWords = z.output<typeof Members>

/** Names that a member can have. */
export const ORGANIZATION_NAMES: readonly string[] = [
  ...Object.keys(ORGANIZATION_MEMBERS),
  ...[OrganizationSettings, EgressExceptions, DeclaredWebhook].flatMap((shape) => Object.keys(shape.shape)),
]

/** The sections that the file has; absent ones are absent. */
export const organizationWordsOf = (members: OrganizationWords): OrganizationWords =>
  Object.fromEntries(Object.entries(Members.strip().parse(members)).filter(([, value]) => value !== undefined))
