/** `toolway org egress …`: which private networks and names connections of an organization may reach, on the local store. */
import { EgressExceptions } from '@toolway/contract'
import { refusePublic } from '../../admin/organizations/organization-egress.ts'
import { changeEgress } from '../../organizations/organizations.ts'
import { recordChange } from '../../records/change.ts'
import { ownActor } from '../own-actor.ts'
import { withInstallation } from '../store.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { checked, getOrganization, worded } from './org.ts'

export interface EgressWords {
  readonly allow?: readonly string[]
  readonly forbid?: readonly string[]
}

/** What was there, with what is allowed and without what is forbidden. */
function changed(held: EgressExceptions, { allow = [], forbid = [] }: EgressWords): EgressExceptions {
  const known = [...held.networks, ...held.hosts]
  const unknown = forbid.find((place) => !known.includes(place))
  if (unknown !== undefined) throw new CommandFault(`${unknown} is not allowed as it is: nothing was changed.`)
  const [networks, hosts] = [(place: string) => place.includes('/'), (place: string) => !place.includes('/')]
  const next = (places: readonly string[], kind: (place: string) => boolean) => [
    ...new Set([...places.filter((place) => !forbid.includes(place)), ...allow.filter(kind)]),
  ]
  return checked(EgressExceptions, { networks: next(held.networks, networks), hosts: next(held.hosts, hosts) })
}

export const egress = (slug: string, words: EgressWords, output: Output): Promise<number> =>
  withInstallation(async ({ db }) => {
    const row = await db.system(async (sql) => {
      const held = await getOrganization(sql, slug)
      if (words.allow === undefined && words.forbid === undefined) return held
      const next = changed(held.egress, words)
      worded(() => refusePublic(next))
      const detail = { networks: next.networks, hosts: next.hosts }
      const record = { action: 'organization.egress', resource: 'organization', id: held.id, detail }
      await recordChange(sql, ownActor(), held.id, record)
      return changeEgress(sql, held.id, next)
    })
    const places = [...row.egress.networks, ...row.egress.hosts]
    output.result({ organization: row.slug, ...row.egress }, [
      places.length === 0
        ? `Connections of ${row.slug} reach public addresses only, and those that a platform administrator made private.`
        : `Connections of ${row.slug} may also reach: ${places.join(', ')}.`,
    ])
    return EXIT.ok
  })
