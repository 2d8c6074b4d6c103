/**
 * The extensions that a client or a server declares, by their ids, and the parts of them that can be expressed in the other era
 * (specification 2026-07-28, extensions; MCP Apps and Tasks extensions).
 *
 * An extension is in force only where both sides declare it; this module does not decide that, it only reads the declarations.
 */
import { isObject, type Json, type JsonObject } from './json.ts'

export const APPS = 'io.modelcontextprotocol/ui'
export const TASKS = 'io.modelcontextprotocol/tasks'

/** The settings that a host declares that shows apps, and that the gateway declares when it lists tools for such hosts. */
export const APPS_SETTINGS: JsonObject = { mimeTypes: ['text/html;profile=mcp-app'] }

/** The declared extensions with their settings; an empty object where there are none. */
export function extensionsOf({ extensions }: JsonObject): JsonObject {
  return isObject(extensions) ? extensions : {}
}

export const declares = (capabilities: JsonObject, extension: string): boolean =>
  isObject(extensionsOf(capabilities)[extension])

/** Capabilities with fewer extensions; as they are where nothing is left out. */
export function keepExtensions(capabilities: JsonObject, keeps: (extension: string) => boolean): JsonObject {
  const declared = Object.entries(extensionsOf(capabilities))
  const supported = declared.filter(([extension]) => keeps(extension))
  if (supported.length === declared.length) return capabilities
  const { extensions: _, ...rest } = capabilities
  return supported.length === 0 ? rest : { ...rest, extensions: Object.fromEntries(supported) }
}

/** Whether a tool is for the app of its server alone: hosts without apps would show it to their model (MCP Apps, visibility). */
export function isAppOnly(definition: JsonObject): boolean {
  const visibility = visibilityOf(definition)
  return visibility.length > 0 && visibility.every((who) => who === 'app')
}

/** Whether the app of its server may call a tool: hosts refuse a page those that are for the model alone (MCP Apps, visibility). */
export function isForApps(definition: JsonObject): boolean {
  const visibility = visibilityOf(definition)
  return visibility.length === 0 || visibility.includes('app')
}

/** Empty where a tool says nothing, which means everybody. */
function visibilityOf({ _meta: meta }: JsonObject): readonly Json[] {
  const ui = isObject(meta) ? meta['ui'] : undefined
  const visibility = isObject(ui) ? ui['visibility'] : undefined
  return Array.isArray(visibility) ? visibility : []
}
