/** The refusal of a start by its settings: one error for the environment, the declaration file, policy files and presets. */

/** Start-up cannot go on; the message is one sentence that names the cause and the mend. */
export class ConfigFault extends Error {}
