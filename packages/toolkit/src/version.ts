/** The version of this package: the one place that says it is package.json. */
import manifest from '../package.json' with { type: 'json' }

export const VERSION: string = manifest.version
