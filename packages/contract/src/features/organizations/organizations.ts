/** Organizations over the admin interface (ledger S3-ADM-01); its paths say tenant, as the source system does. */
import { z } from 'zod'
import { Slug } from '../../connections.ts'
import { EgressExceptions } from '../../egress.ts'
import { APPROVAL_PRESETS } from '../../tool-lock.ts'
import { Flag, inOrganization, operation, pageOf, Paging, platform } from '../../admin/operation.ts'
import { AvailabilityTarget } from '../usage/service-levels.ts'

const RequestsPerMinute = z.int().min(1).max(1_000_000)

/** Bytes of all files of an organization. */
const FilesQuota = z.int().min(0).max(1_125_899_906_842_624)

const ApprovalPreset = z.enum(APPROVAL_PRESETS)

/** Whether its members need a second factor. */
const SecondFactorRule = z.enum(['optional', 'required'])
/** How old a sign-in may be, and how long it may rest; OAuth clients have none. */
const SignInHours = z.int().min(1).max(8_760)
const SignInIdleMinutes = z.int().min(5).max(525_600)

/** The settings of an organization; for an absent one, the gateway's settings apply. */
export const OrganizationSettings = z.strictObject({
  requests_per_minute: RequestsPerMinute.optional(),
  /** The most that the organization may give itself; the platform's to say. */
  max_requests_per_minute: RequestsPerMinute.optional(),
  /** Whether its own administrators may make connections that start programs here, which is code; the platform's to say. */
  allow_processes: z.boolean().optional(),
  /** Bytes that its files may have together; the platform's to say. */
  files_quota_bytes: FilesQuota.optional(),
  /**
   * The calls that need approval by the caller or an administrator before they run; rules can be more precise. Absent: none, as
   * for organizations that were created before `ask-destructive` became the default of new ones.
   */
  approvals: ApprovalPreset.optional(),
  /** Per cent of the calls of each connection that are to be answered (`findServiceLevels`). */
  availability_target: AvailabilityTarget.optional(),
  second_factor: SecondFactorRule.optional(),
  sign_in_hours: SignInHours.optional(),
  sign_in_idle_minutes: SignInIdleMinutes.optional(),
})
export type OrganizationSettings = z.output<typeof OrganizationSettings>

export const Organization = z.strictObject({
  id: z.string(),
  slug: Slug,
  name: z.string(),
  description: z.string().nullable(),
  contact_email: z.string().nullable(),
  is_active: z.boolean(),
  settings: OrganizationSettings,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type Organization = z.output<typeof Organization>

const Name = z.string().trim().min(1).max(100)
const Description = z.string().max(2_000)
const Email = z.email().max(255)

export const NewOrganization = z.strictObject({
  slug: Slug,
  name: Name,
  description: Description.nullable().optional(),
  contact_email: Email.nullable().optional(),
  is_active: z.boolean().default(true),
  settings: OrganizationSettings.default({}),
})

/** Absent fields keep their value; null removes one. */
export const OrganizationChange = z.strictObject({
  /** May be repeated, and never changes: addresses, keys and sign-ins hold it. */
  slug: Slug.optional(),
  name: Name.optional(),
  description: Description.nullable().optional(),
  contact_email: Email.nullable().optional(),
  is_active: z.boolean().optional(),
  settings: z
    .strictObject({
      requests_per_minute: RequestsPerMinute.nullable().optional(),
      max_requests_per_minute: RequestsPerMinute.nullable().optional(),
      allow_processes: z.boolean().nullable().optional(),
      files_quota_bytes: FilesQuota.nullable().optional(),
      approvals: ApprovalPreset.nullable().optional(),
      availability_target: AvailabilityTarget.nullable().optional(),
      second_factor: SecondFactorRule.nullable().optional(),
      sign_in_hours: SignInHours.nullable().optional(),
      sign_in_idle_minutes: SignInIdleMinutes.nullable().optional(),
    })
    .optional(),
})
export type OrganizationChange = z.output<typeof OrganizationChange>

/** The fields of an organization that its own administrators see, and may change. */
export const OwnSettings = z.strictObject({
  id: z.string(),
  slug: Slug,
  name: z.string(),
  description: z.string().nullable(),
  contact_email: z.string().nullable(),
  /** In force now. */
  requests_per_minute: z.int(),
  max_requests_per_minute: z.int(),
  allow_processes: z.boolean(),
  approvals: ApprovalPreset,
  /** Per cent of the calls of each connection that are to be answered. */
  availability_target: AvailabilityTarget,
  second_factor: SecondFactorRule,
  /** Null: as long as the tokens of the installation last. */
  sign_in_hours: SignInHours.nullable(),
  sign_in_idle_minutes: SignInIdleMinutes.nullable(),
  /** The same as `updated_at` while nobody changed anything. */
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export const OwnSettingsChange = z.strictObject({
  name: Name.optional(),
  description: Description.nullable().optional(),
  contact_email: Email.nullable().optional(),
  /** At most `max_requests_per_minute`; null: as the platform says. */
  requests_per_minute: RequestsPerMinute.nullable().optional(),
  approvals: ApprovalPreset.optional(),
  availability_target: AvailabilityTarget.optional(),
  second_factor: SecondFactorRule.optional(),
  /** Null: no limit. */
  sign_in_hours: SignInHours.nullable().optional(),
  sign_in_idle_minutes: SignInIdleMinutes.nullable().optional(),
})

/** The private addresses that its connections may reach; link-local addresses and cloud metadata are never included. */
export const Egress = EgressExceptions.extend({ updated_at: z.iso.datetime() })

export const TENANTS = '/api/v1/admin/tenants'
export const TENANT = `${TENANTS}/{organization}`
export const listOrganizations = operation({
  id: 'listOrganizations',
  at: `GET ${TENANTS}`,
  summary: 'List the organizations of this installation.',
  needs: platform('tenant_read'),
  query: Paging.extend({
    /** Part of slug or name. */
    search: z.string().max(100).optional(),
    is_active: Flag.optional(),
  }),
  answer: pageOf(Organization),
})
export const addOrganization = operation({
  id: 'addOrganization',
  at: `POST ${TENANTS}`,
  summary: 'Create an organization. The person who creates it becomes its administrator.',
  needs: platform('tenant_create'),
  body: NewOrganization,
  answer: Organization,
  status: 201,
})
export const getOrganization = operation({
  id: 'getOrganization',
  at: `GET ${TENANT}`,
  summary: 'Get one organization, by slug or ID.',
  needs: platform('tenant_read'),
  answer: Organization,
})
export const changeOrganization = operation({
  id: 'changeOrganization',
  at: `PUT ${TENANT}`,
  summary: 'Update an organization. All addresses of an inactive organization respond as if it did not exist.',
  needs: platform('tenant_update'),
  body: OrganizationChange,
  answer: Organization,
})
export const removeOrganization = operation({
  id: 'removeOrganization',
  at: `DELETE ${TENANT}`,
  summary: 'Delete an organization with everything that belongs to it. Its records are kept.',
  needs: platform('tenant_delete'),
})
export const getSettings = operation({
  id: 'getOrganizationSettings',
  at: `GET ${TENANT}/settings`,
  summary: 'Show the settings of an organization.',
  needs: inOrganization('tenant_read'),
  answer: OwnSettings,
})
export const changeSettings = operation({
  id: 'changeOrganizationSettings',
  at: `PUT ${TENANT}/settings`,
  summary: 'Update the settings of an organization.',
  needs: inOrganization('tenant_update'),
  body: OwnSettingsChange,
  answer: OwnSettings,
})
export const getEgress = operation({
  id: 'getOrganizationEgress',
  at: `GET ${TENANT}/egress`,
  summary: 'Get the private networks and host names that connections of an organization may reach.',
  needs: inOrganization('tenant_read'),
  answer: Egress,
})
export const changeEgress = operation({
  id: 'changeOrganizationEgress',
  at: `PUT ${TENANT}/egress`,
  summary:
    'Set the private networks and host names that connections of an organization may reach. All others are blocked.',
  needs: platform('tenant_update'),
  body: EgressExceptions,
  answer: Egress,
})
