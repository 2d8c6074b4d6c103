/** Steps for an organization itself: that it is there, its settings, and the private places that its connections may reach. */
import {
  addOrganization,
  changeEgress,
  changeOrganization,
  OrganizationSettings,
  type Organization,
} from '@toolway/contract/admin'
import type { Declared } from './declared.ts'
import type { Act } from './call.ts'
import type { KnownOrganization } from './present.ts'
import { fieldsOf, type Step } from './steps.ts'

/** Members of an organization that the file says, in the words of the operations. */
function wordsOf({ name, description, contact_email }: Declared): Readonly<Record<string, string>> {
  const said = Object.entries({ name, description, contact_email })
  return Object.fromEntries(said.flatMap(([member, value]) => (value === undefined ? [] : [[member, value] as const])))
}

/** A section of settings is whole: what it does not say is taken away. */
const settingsOf = (settings: Partial<Organization['settings']>): Record<string, unknown> => ({
  ...Object.fromEntries(Object.keys(OrganizationSettings.shape).map((member) => [member, null])),
  ...settings,
})

export function planSections(declared: Declared, present: KnownOrganization | undefined): Step[] {
  const { slug, settings } = declared
  const words = wordsOf(declared)
  const whole = settings === undefined ? {} : { settings: settingsOf(settings) }
  const step = { organization: slug, thing: 'organization', name: slug } as const
  const change = (body: object): Act => ({ operation: changeOrganization, params: { organization: slug }, body })
  const reach = planEgress(declared, present)
  if (present === undefined) {
    const add = { operation: addOrganization, params: {}, body: { slug, name: slug, ...words } }
    // A new organization begins with settings of its own.
    const acts = settings === undefined ? [add] : [add, change(whole)]
    return [{ ...step, action: 'create', fields: [], acts }, ...reach]
  }
  const { organization } = present
  const fields = Object.entries(words).flatMap(([member, value]) =>
    organization[member as keyof typeof organization] === value ? [] : [member],
  )
  if (settings !== undefined)
    fields.push(...fieldsOf(organization.settings, settings).map((member) => `settings.${member}`))
  return fields.length === 0
    ? reach
    : [{ ...step, action: 'change', fields, acts: [change({ ...words, ...whole })] }, ...reach]
}

function planEgress({ slug, egress }: Declared, present: KnownOrganization | undefined): Step[] {
  if (egress === undefined) return []
  const fields = fieldsOf(present?.egress ?? { networks: [], hosts: [] }, egress)
  const acts = [{ operation: changeEgress, params: { organization: slug }, body: egress }]
  return fields.length === 0
    ? []
    : [{ action: 'change', organization: slug, thing: 'egress', name: slug, fields, acts }]
}
