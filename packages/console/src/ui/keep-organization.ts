/** The parameter of an address that a link takes along: the organization that is looked at. Filters of one screen stay with it. */
export const keepOrganization = (before: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  before['org'] === undefined ? {} : { org: before['org'] }
