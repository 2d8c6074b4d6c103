/** Large members of structured content that stand in a stored file: the file is named in their place. */
import { isObject, type JsonObject } from '@toolway/protocol'
import type { FileFacts } from '../../upstreams/caller-files.ts'
import { shownOf } from './store-content.ts'

/** Characters of JSON. */
const LARGE = 65_536

export function withoutLargeMembers(result: JsonObject, file: FileFacts | undefined): JsonObject {
  const { structuredContent } = result
  if (file === undefined || !isObject(structuredContent)) return result
  const members = Object.entries(structuredContent).map(([name, value]) =>
    JSON.stringify(value).length > LARGE ? [name, { file: shownOf(file) }] : [name, value],
  )
  return { ...result, structuredContent: Object.fromEntries(members) as JsonObject }
}
