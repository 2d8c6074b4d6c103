/** Brings the packages of a folder's lock file; resolves to what went wrong, in a sentence with the remedy. */
export function ensureInstalled(
  root: string,
  wants: { readonly production: boolean },
): Promise<{ readonly sentence: string; readonly code: number } | undefined>
