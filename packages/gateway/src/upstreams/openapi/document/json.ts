/** Whether something is an object of JSON. Said here anew, so that the thread that reads a document loads nothing else of the house. */
import type { JsonObject } from '@toolway/protocol'

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
