/**
 * The addresses of the console: the first part of each path that it has a screen for. The gateway serves its page at these and at
 * `/`, and nowhere else, so that what does not exist is answered as such.
 */
export const CONSOLE_PLACES = [
  'connections',
  'tools',
  'toolsets',
  'clients',
  'playground',
  'rules',
  'approvals',
  'records',
  'usage',
  'runtime',
  'people',
  'keys',
  'settings',
  'organizations',
  'users',
  'me',
] as const

/** Where a way to a vendor ends (ledger S3-OAU-02); what else begins with `/oauth/` is no screen. */
const ALONE = '/oauth/success'
const SCREENS = ['/', ALONE, ...CONSOLE_PLACES.flatMap((place) => [`/${place}`, `/${place}/*`])]

/** In front of the address of a screen: the organization that is looked at. Without it, it is the one that the browser remembers. */
export const CONSOLE_PREFIX = '/o/'

/** Every path at which the page of the console is served, as patterns: `*` for the rest, `:organization` for one part. */
export const CONSOLE_PATHS: readonly string[] = [
  ...SCREENS,
  ...SCREENS.map((path) => `${CONSOLE_PREFIX}:organization${path === '/' ? '' : path}`),
]
