/**
 * Resources of a vendor: addresses whose content one of its read tools answers. The names in braces of a template are inputs of the
 * tool (RFC 6570, levels 1 and 2: `{+path}` keeps its slashes). To read one is to call that tool.
 */
import type { z } from 'zod'
import type { Json, Tool } from './tool.ts'

/** By template, the tool without its prefix. */
export type Resources = Readonly<Record<string, string>>

interface HasResources {
  readonly id: string
  readonly resources: Resources
  readonly tools: ReadonlyMap<string, Tool>
}

/** The member of `_meta` of a template that names its tool. */
export const TOOL_OF_TEMPLATE = 'dev.toolway/tool'

/** The MCP definitions of the templates. */
export const templatesOf = ({ id, resources, tools }: HasResources): Json[] =>
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

/** The call that reads an address; undefined for an address of no template. */
export function callOf({ id, resources, tools }: HasResources, uri: string): ToolCall | undefined {
  for (const [template, short] of Object.entries(resources)) {
    const values = valuesOf(template, uri)
    const tool = tools.get(`${id}_${short}`)
    if (values !== undefined && tool !== undefined) return { name: `${id}_${short}`, arguments: typed(tool, values) }
  }
  return undefined
}

function valuesOf(template: string, uri: string): ReadonlyMap<string, string> | undefined {
  const names: string[] = []
  const pattern = template.split(/(\{\+?\w+\})/).map((part) => {
    const [, plus, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? []
    if (name === undefined) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    names.push(name)
    return plus === '+' ? '([^?#]+)' : '([^/?#]+)'
  })
  const found = new RegExp(`^${pattern.join('')}$`, 'u').exec(uri)
  if (found === null) return undefined
  try {
    return new Map(names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]))
  } catch {
    return undefined
  }
}

/** Addresses hold texts; an input that wants a number gets one. */
const typed = ({ input }: Tool, values: ReadonlyMap<string, string>): Json =>
  Object.fromEntries(
    [...values].map(([name, value]) => {
      const wants = (input.shape as Readonly<Record<string, z.ZodType | undefined>>)[name]
      const isNumber = wants !== undefined && /^\d{1,15}$/.test(value) && !accepts(wants, value)
      return [name, isNumber ? Number(value) : value]
    }),
  )

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success
