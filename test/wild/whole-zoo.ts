/** One server with every definition and every result of the tables, beside a tool without a fault. */
import { isObject, type Json } from '../../packages/protocol/src/json.ts'
import { LEFT_OUT_DEFINITIONS, OBJECT, REPAIRED_DEFINITIONS } from './rows/definitions.ts'
import { MENDED_RESULTS } from './rows/results.ts'
import type { Era } from './rows/row.ts'
import type { Shown } from './zoo-messages.ts'

export const GOOD = { name: 'good', inputSchema: OBJECT }
export const RESULTS = MENDED_RESULTS.filter(([, method]) => method === 'tools/call')
const repairedTools = REPAIRED_DEFINITIONS.filter(([, kind]) => kind === 'tool')
/** How many of its tools have a meaning, and how many have none: two of the latter are no objects. */
export const COUNTS = {
  repaired: repairedTools.length,
  leftOut: LEFT_OUT_DEFINITIONS.filter(([, kind]) => kind === 'tool').length + 2,
}

/** The rows of a kind, each under a name of its own where it has one. */
const definitionsOf = (kind: string): Json[] =>
  [...REPAIRED_DEFINITIONS, ...LEFT_OUT_DEFINITIONS]
    .filter(([, of]) => of === kind)
    .map(([, , given], at) =>
      typeof given['name'] === 'string' && given['name'] !== '' ? { ...given, name: `${kind}${at}` } : given,
    )

/** What fits the output schema of a row, which a client holds against it. */
function structured(name: string, era: Era) {
  const schema = repairedTools[Number(/^tool(\d+)$/.exec(name)?.[1] ?? -1)]?.[2]['outputSchema']
  const isList = era === 'modern' && isObject(schema) && schema['type'] === 'array'
  return { content: [{ type: 'text', text: name }], structuredContent: isList ? [] : {} }
}

export const wholeZoo = (era: Era): Shown => ({
  era,
  tools: [
    GOOD,
    ...definitionsOf('tool'),
    null,
    'none',
    ...RESULTS.map((_, at) => ({ name: `result${at}`, inputSchema: OBJECT })),
  ],
  resources: [{ uri: 'good://a', name: 'a' }, ...definitionsOf('resource')],
  templates: definitionsOf('template'),
  prompts: [{ name: 'good' }, ...definitionsOf('prompt')],
  result: (name) => RESULTS[Number(/^result(\d+)$/.exec(name)?.[1] ?? -1)]?.[2] ?? structured(name, era),
})
