/** Where the console calls tools, and where everybody else reaches the same: all of an organization, a toolset, one connection. */

export interface Endpoint {
  readonly organization: string
  readonly toolset?: string | undefined
  /** Its alias. */
  readonly connection?: string | undefined
}

/** The console's own way, by its sign-in (docs/adr/0042). */
export function consoleAddress({ organization, toolset, connection }: Endpoint): string {
  const place =
    connection !== undefined ? `/connectors/${part(connection)}` : toolset !== undefined ? `/t/${part(toolset)}` : ''
  return `/api/v1/console/${part(organization)}${place}/mcp`
}

/** The ordinary one, for clients with a key. */
export const publicAddress = ({ organization, toolset, connection }: Endpoint): string =>
  connection === undefined
    ? `/o/${part(organization)}/t/${part(toolset ?? 'default')}/mcp`
    : `/api/v1/${part(organization)}/connectors/${part(connection)}/mcp`

const part = encodeURIComponent
