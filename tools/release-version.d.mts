/** The folders whose manifests carry the version of the product. */
export const VERSIONED: readonly string[]
/** What differs from the version of the tag, in sentences. */
export function differences(
  tag: string,
  found: { readonly changelog: string; readonly versions: Readonly<Record<string, string>> },
): string[]
