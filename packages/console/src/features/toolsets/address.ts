/** Where a toolset is, as clients are given it. */
export const addressOfToolset = (organization: string, slug: string): string =>
  `${window.location.origin}/o/${organization}/t/${slug}/mcp`
