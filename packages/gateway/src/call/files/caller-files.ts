/** The files of a caller for one call of an upstream: what the call refers to is opened, and what the server gives is stored. */
import { Fault } from '@toolway/contract'
import { fileIdOf, ownerOf, type StoredFile } from '../../snapshot/ports/file-store.ts'
import type { CallerFiles, FileFacts } from '../../upstreams/caller-files.ts'
import type { Call } from '../steps/step.ts'
import type { CallParts } from '../call-parts.ts'

export const factsOf = ({ id, uri, name, mediaType, size }: StoredFile): FileFacts => ({
  id,
  uri,
  name,
  mediaType,
  size,
})

/** Undefined where no files are kept, and for kinds of connections that know nothing of them. */
export function callerFiles(call: Call, { files }: Pick<CallParts, 'files'>): CallerFiles | undefined {
  const { target, requestContext, audit, decided, name: tool } = call
  if (files === undefined || target.usesFiles !== true) return undefined
  const owner = ownerOf(requestContext.principal, requestContext.organizationId)
  const idOf = (uri: string) => {
    const id = fileIdOf(uri)
    if (id === undefined) throw new Fault('file.unknown', { file: uri.slice(0, 100) })
    return id
  }
  const reads = {
    async find(uri: string) {
      const file = await files.find(owner, idOf(uri))
      if (file === undefined) throw new Fault('file.unknown', { file: uri })
      return factsOf(file)
    },
    open: async (uri: string) => (await files.open(owner, idOf(uri))).content,
  }
  // A member that a rule takes out of the result must not be found in a file.
  const reduces = decided?.verdict.sizes.some(
    ({ parameters: { result } }) => result?.redact !== undefined || result?.fields !== undefined,
  )
  if (reduces === true) return reads
  return {
    ...reads,
    async put({ name, mediaType, size }, content) {
      const stored = await files.put(owner, { name, mediaType, size, origin: { kind: 'download', tool } }, content)
      audit.note({ madeFiles: [...(audit.facts.madeFiles ?? []), madeOf(stored)] })
      return factsOf(stored)
    },
  }
}

/** As a record holds it. */
export const madeOf = ({ id, name, mediaType, size, sha256 }: StoredFile) => ({
  ...{ file: id, name, media_type: mediaType, size, sha256 },
})
