/** YAML as a person wrote it, JSON being some of it: what it says, and how to say where something does not fit. */
import { LineCounter, parseDocument } from 'yaml'
import { ConfigFault } from './config/fault.ts'
import { createComplain, type Complain } from './config-file-fault.ts'

export interface Yaml {
  readonly value: unknown
  readonly complain: Complain
}

/** The key at a place, in quotes where it is written so. */
const NAME = /^(?:"[^"]{0,100}"|'[^']{0,100}'|[^\s:,{}[\]]{1,100})/

/** Throws ConfigFault with the place. `isNot` says what a text is that cannot be read. */
export function readYaml(path: string, text: string, isNot = 'not YAML'): Yaml {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
  const [broken] = document.errors
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0])
    if (broken.code === 'DUPLICATE_KEY') {
      const [name = 'a name'] = NAME.exec(text.slice(broken.pos[0])) ?? []
      throw new ConfigFault(`${path}:${line}:${col}: ${name} appears twice here: remove one, or give it another name.`)
    }
    // The parser's own words end with the place, which stands in front here.
    const problem = broken.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '')
    throw new ConfigFault(`${path}:${line}:${col}: this is ${isNot}: ${problem}.`)
  }
  try {
    // Anchors and aliases are followed only now: an alias may have no anchor, or a few of them may unfold without end.
    return { value: document.toJS(), complain: createComplain(path, document, lines) }
  } catch (thrown) {
    throw new ConfigFault(`${path}: an alias cannot be followed: ${(thrown as Error).message}.`)
  }
}
