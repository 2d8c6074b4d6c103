/** Where unsaved changes are kept in this tab (kept-draft.ts), and their end. */
export const DRAFT_PREFIX = 'toolway.draft.'

/** Called when the user signs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFT_PREFIX)) sessionStorage.removeItem(key)
}
