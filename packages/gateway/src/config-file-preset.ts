/**
 * An organization of a declaration file that is configured as a preset (`preset: uru`): what the preset declares, from the variables of
 * the process or from those that stand beside it. What the file itself says of the organization counts for more.
 */
import { z } from 'zod'
import { ConfigFault } from './config/fault.ts'
import type { Complain } from './config-file-fault.ts'
import { createFill, Values } from './config-file-value.ts'
import type { Lookup } from './preset-variables.ts'
import { PRESET_NAMES, presetOf } from './presets.ts'

export const PRESET_MEMBERS = {
  preset: z.enum(PRESET_NAMES).optional(),
  /** Variables of the preset, for this organization alone. */
  variables: Values.optional(),
}
const Members = z.looseObject(PRESET_MEMBERS)
const Named = z.record(z.string(), z.unknown())

export interface PresetsParts {
  readonly path: string
  readonly lookup: Lookup
  readonly complain: Complain
}

/** The organization at the top of a file. */
const TOP = 'default'

export function createPresets({ path, lookup, complain }: PresetsParts) {
  const lookups = new Map<string, Lookup>()

  function expandOne(slug: string, place: readonly string[], input: unknown): unknown {
    const members = Members.safeParse(input)
    // What does not fit is worded where the whole file is checked.
    if (!members.success) return input
    const { preset, variables = {} } = members.data
    if (preset === undefined && members.data.variables !== undefined)
      throw complain([...place, 'variables'], 'belong to a preset: specify which one')
    if (preset === undefined) return input
    const fill = createFill({ path, place, lookup, complain })
    const own = new Map(Object.entries(variables).map(([name, value]) => [name, fill(value, 'variables', name)]))
    const find: Lookup = (name) => own.get(name) ?? lookup(name)
    lookups.set(slug, find)
    try {
      const { organization, organizationSettings } = presetOf(preset)
      const settings = organizationSettings === undefined ? {} : { settings: organizationSettings }
      return merged({ ...settings, ...organization(find) }, members.data)
    } catch (thrown) {
      if (thrown instanceof ConfigFault) throw complain([...place, 'preset'], thrown.message.replace(/\.$/, ''))
      throw thrown
    }
  }

  return {
    /** The file with what its presets declare. Throws ConfigFault. */
    expand(file: unknown): unknown {
      const whole = Named.safeParse(expandOne(TOP, [], file))
      if (!whole.success) return file
      const organizations = Named.safeParse(whole.data['organizations'])
      if (!organizations.success) return whole.data
      const expanded = Object.entries(organizations.data).map(
        ([slug, value]) => [slug, expandOne(slug, ['organizations', slug], value)] as const,
      )
      return { ...whole.data, organizations: Object.fromEntries(expanded) }
    },
    /** The variables of an organization. */
    lookupOf: (slug: string): Lookup => lookups.get(slug) ?? lookup,
  }
}

/** Connections, toolsets and the like are joined by their names; anything else that the file says stands in place of the preset's. */
function merged(preset: Readonly<Record<string, unknown>>, input: Readonly<Record<string, unknown>>): object {
  const joined = Object.entries(input).map(([name, value]) => {
    const [theirs, ours] = [Named.safeParse(preset[name]), Named.safeParse(value)]
    return [name, theirs.success && ours.success ? { ...theirs.data, ...ours.data } : value] as const
  })
  return { ...preset, ...Object.fromEntries<unknown>(joined) }
}
