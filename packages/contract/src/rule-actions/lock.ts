/** A fixed argument, or a default for one. */
import { z } from 'zod'
import { ruleAction } from './action.ts'
import { parameterField, ParameterPath, valueOf } from './parameters.ts'

/** `search:region=eu` always sends it; `search:region?=eu` where nothing is said. */
const FLAG = /^([^:]+):(.+?)(\?)?=([^]*)$/

export const lock = ruleAction({
  action: 'lock',
  parameters: z.strictObject({
    parameter: ParameterPath,
    /** JSON, as deep as an argument may be locked to. */
    value: z.json(),
    /** `fixed`: whatever is said, this is sent, and the schema does not show it. `default`: sent where nothing is said. */
    as: z.enum(['fixed', 'default']).default('fixed'),
  }),
  beginning: { parameter: '', as: 'fixed' },
  form: [
    [parameterField, { name: 'value', control: 'json' }],
    [
      {
        name: 'as',
        control: 'switch',
        values: ['fixed', 'default'],
      },
    ],
  ],
  flag: {
    value: '<value>',
    about: 'fix an argument (TOOL:PARAMETER=VALUE) or set its default (TOOL:PARAMETER?=VALUE)',
    reads: "TOOL:PARAMETER=VALUE, or TOOL:PARAMETER?=VALUE for a default, as in 'search:region=eu'",
    read(text) {
      const [, tool, parameter, mark, value] = FLAG.exec(text) ?? []
      if (tool === undefined || parameter === undefined || value === undefined) return undefined
      return { tool, parameters: { parameter, value: valueOf(value), as: mark === undefined ? 'fixed' : 'default' } }
    },
  },
})
