/** Settings of a kind of connection between what is kept and what is typed. Pure. */

export type OwnSettings = Readonly<Record<string, unknown>>

/** The settings that differ. A text or number that was taken away is left out: it cannot be unsaid. */
export const ownChange = (stored: OwnSettings, draft: OwnSettings): OwnSettings =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([name, value]) => value !== '' && value !== undefined && JSON.stringify(value) !== JSON.stringify(stored[name]),
    ),
  )
