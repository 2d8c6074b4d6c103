/** What the command of a client suite and the driver say to each other. */

export interface Asked {
  readonly scenario: string
  /** JSON. */
  readonly context: string
  /** The address of the scenario's server. */
  readonly server: string
}

/** The driver's answer where the story was told to its end; any other is what went wrong, and none is a driver that ended. */
export const TOLD = 'told to its end'
