/**
 * Resources of a vendor: addresses whose content one of its read tools answers. The names in braces of a template are inputs of the
 * tool (RFC 6570, levels 1 and 2: `{+path}` keeps its slashes). To read one is to call that tool.
 */
import type { z } from 'zod'
import type { Json, Tool } from './tool.ts'

/** By template, the tool without its prefix. */
export type Resources = Readonly<Record<string, string>>

interface HasResources<T> {
  readonly id: string
  readonly resources: Resources
  readonly tools: ReadonlyMap<string, T>
}

/** The member of `_meta` of a template that names its tool. */
export const TOOL_OF_TEMPLATE = 'dev.toolway/tool'

/** The MCP definitions of the templates. */
export const templatesOf = ({ id, resources, tools }: HasResources<Pick<Tool, 'description'>>): Json[] =>
  Object.entries(resources).map(([uriTemplate, short]) => ({
    uriTemplate,
    name: `${id}_${short.replace(/^(?:get|read)_/, '')}`,
    description: tools.get(`${id}_${short}`)?.description,
    mimeType: 'application/json',
    _meta: { [TOOL_OF_TEMPLATE]: `${id}_${short}` },
  }))

export interface ToolCall {
  readonly name: string
  readonly arguments: Json
}

/** Whether a tool accepts a text as the value of an input. */
type Accepts<T> = (tool: T, input: string, value: string) => boolean

/** The call that reads an address; undefined for an address of no template, and for one that is too long. */
export function callOf<T>(
  { id, resources, tools }: HasResources<T>,
  uri: string,
  accepts: Accepts<T>,
): ToolCall | undefined {
  if (uri.length > LONGEST_ADDRESS) return undefined
  for (const [template, short] of Object.entries(resources)) {
    const values = valuesOf(template, uri)
    const name = `${id}_${short}`
    const tool = tools.get(name)
    if (values === undefined || tool === undefined) continue
    // Addresses have texts; an input that wants a number gets one.
    const typed = [...values].map(([input, value]): [string, unknown] => [
      input,
      /^\d{1,15}$/.test(value) && !accepts(tool, input, value) ? Number(value) : value,
    ])
    return { name, arguments: Object.fromEntries(typed) }
  }
  return undefined
}

/** For tools whose inputs are Zod's. An input that it does not have accepts everything. */
export const acceptsInput: Accepts<Tool> = ({ input }, name, value) => {
  const wants = (input.shape as Readonly<Record<string, z.ZodType | undefined>>)[name]
  return wants === undefined || wants.safeParse(value).success
}

/** The sentence that says why a template, or their number, is unusable; undefined where they are usable. */
export function problemOfTemplates(resources: Resources): string | undefined {
  const templates = Object.keys(resources)
  if (templates.length > MOST_TEMPLATES) return `It has more than ${MOST_TEMPLATES} templates of resources.`
  for (const template of templates) {
    const shown = `The template "${template.slice(0, 100)}"`
    if (template.length > LONGEST_TEMPLATE) return `${shown} is longer than ${LONGEST_TEMPLATE} characters.`
    const parts = partsOf(template)
    if (parts.filter(isVariable).length > MOST_VARIABLES) return `${shown} has more than ${MOST_VARIABLES} variables.`
    if (parts.some((part, at) => isVariable(part) && isVariable(parts[at + 1] ?? '')))
      return `${shown} has variables side by side: nothing shows where one ends and the next begins.`
  }
  return undefined
}

const MOST_TEMPLATES = 100
const MOST_VARIABLES = 10
const LONGEST_TEMPLATE = 500
const LONGEST_ADDRESS = 4_096

interface Variable {
  readonly name: string
  /** Its value may contain slashes. */
  readonly slashes: boolean
}
type Part = string | Variable

const isVariable = (part: Part): part is Variable => typeof part !== 'string'

const partsOf = (template: string): Part[] =>
  template
    .split(/(\{\+?\w+\})/)
    .filter((part) => part !== '')
    .map((part) => {
      const [, plus, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? []
      return name === undefined ? part : { name, slashes: plus === '+' }
    })

/**
 * The values of the variables, each as long as possible, as a regular expression would find them; but in a time that grows with the
 * length of the address and of the template only, whatever both say (CVE-2026-0621).
 */
function valuesOf(template: string, uri: string): ReadonlyMap<string, string> | undefined {
  const parts = partsOf(template)
  const [head] = parts
  if (typeof head === 'string' && !uri.startsWith(head)) return undefined
  const rests = restsOf(parts, uri)
  if (rests[0]?.[0] !== 1) return undefined
  const values = new Map<string, string>()
  let at = 0
  for (const [index, part] of parts.entries()) {
    if (!isVariable(part)) {
      at += part.length
      continue
    }
    let end = at
    for (let next = at + 1; next <= uri.length && isIn(part, uri[next - 1]); next++)
      if (rests[index + 1]?.[next] === 1) end = next
    const value = decoded(uri.slice(at, end))
    if (value === undefined) return undefined
    values.set(part.name, value)
    at = end
  }
  return values
}

/** For each part, at which places of the address it and all parts after it fit: from the end to the beginning. */
function restsOf(parts: readonly Part[], uri: string): readonly Uint8Array[] {
  let after = new Uint8Array(uri.length + 1)
  after[uri.length] = 1
  const rests = [after]
  for (const part of parts.toReversed()) {
    const fits = new Uint8Array(uri.length + 1)
    for (let at = uri.length - 1; at >= 0; at--)
      if (isVariable(part)) fits[at] = isIn(part, uri[at]) && (after[at + 1] === 1 || fits[at + 1] === 1) ? 1 : 0
      else fits[at] = after[at + part.length] === 1 && uri.startsWith(part, at) ? 1 : 0
    rests.unshift(fits)
    after = fits
  }
  return rests
}

const isIn = ({ slashes }: Variable, character = '?'): boolean =>
  character !== '?' && character !== '#' && (slashes || character !== '/')

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
