/** Stands where an organization would for what belongs to the whole installation. No ID of an organization is like it. */
export const INSTALLATION = 'platform'
