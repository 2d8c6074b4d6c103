/** The refusal of a caller whose role is not enough: who is refused, in words that name a role only where there is one, and who can help. */
import { Fault, type Permission, type Role } from '@toolway/contract'

/** `platform`: the permission is that over the whole installation, which no administrator of an organization can give. */
type Place = 'organization' | 'platform'

const REMEDIES: Readonly<Record<Place, string>> = {
  organization: 'Ask an administrator of the organization for another role.',
  platform:
    'Ask a platform administrator, or use a platform administrator’s key (`toolway key add NAME --role platform_admin` on the gateway host).',
}

/** `role`: undefined for a caller who has none there. */
export const roleForbidden = (
  role: Role | undefined,
  permission: Permission,
  place: Place = 'organization',
): Fault<'role.forbidden'> =>
  forbidden(role === undefined ? 'This account has no role here, so it' : `Your role ${role}`, permission, place)

/** For a key or a sign-in that is bound to one organization: it has no permission over the installation, whatever its role is. */
export const boundForbidden = (permission: Permission): Fault<'role.forbidden'> =>
  forbidden('This key or sign-in belongs to one organization, so it', permission, 'platform')

/** For a sign-in that the provider of one organization made: it says nothing of the account itself. */
export const accountForbidden = (): Fault<'role.forbidden'> =>
  new Fault('role.forbidden', {
    holder: 'This sign-in, which the provider of one organization has made,',
    permission: 'to change how the account signs in',
    remedy: 'Sign in to the account without that provider.',
  })

const forbidden = (holder: string, permission: Permission, place: Place): Fault<'role.forbidden'> =>
  new Fault('role.forbidden', {
    holder,
    permission: place === 'platform' ? `${permission} for the platform` : permission,
    remedy: REMEDIES[place],
  })
