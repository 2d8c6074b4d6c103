/** A document that was read, as people are shown it before anything is kept. */
import type { OpenApiPreview } from '@toolway/contract/admin'
import { proposedName } from '../connections/index.ts'
import { UNTITLED } from '../../upstreams/openapi/document/read-document.ts'
import type { ReadApart } from '../../upstreams/openapi/document/read-apart.ts'

/** The title of a document, as its connection is called where nobody says otherwise. */
export const titleOf = ({ title }: Pick<ReadApart, 'title'>): string => proposedName(title) ?? UNTITLED

export function previewOf(reading: ReadApart, base: string | undefined): OpenApiPreview {
  const { version, format, servers, schemes, operations, leftOut, unselected, notes } = reading
  const count = (effect: string) => operations.filter((operation) => operation.effect === effect).length
  return {
    title: titleOf(reading),
    version,
    format,
    url: base ?? null,
    servers: [...servers],
    security: schemes.map(({ name, kind, place = null, scopes, authorize = null }) => ({
      name,
      kind,
      place,
      scopes: [...scopes],
      authorize,
    })),
    counts: {
      tools: operations.length,
      read: count('read'),
      write: count('write'),
      destructive: count('destructive'),
      deprecated: operations.filter(({ deprecated }) => deprecated).length,
      left_out: leftOut.length,
      unselected,
    },
    operations: operations.map(({ tag = null, notes: ownNotes, ...operation }) => ({
      ...operation,
      tag,
      notes: [...ownNotes],
    })),
    left_out: leftOut.map(({ operation, method, path, reason }) => ({ operation, method, path, reason })),
    notes: [...notes, ...adviceOn(operations.length)],
  }
}

/** More than a model chooses well among. */
const MANY = 100

const adviceOn = (tools: number): string[] =>
  tools > MANY
    ? [`${tools} tools are more than a model can choose from reliably: select some of them, or create toolsets.`]
    : []
