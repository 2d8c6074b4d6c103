/** The first number of the locks that say who listens to the database; the second is a hash of the name. */
export const ALIVE = 8_665_931
