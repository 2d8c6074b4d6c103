/** Whose record streams are shown: those of the organization, or those of the installation, which have the records of all. */
import {
  addInstallationRecordStream,
  addRecordStream,
  changeInstallationRecordStream,
  changeRecordStream,
  listAllRecordStreams,
  listRecordStreams,
  removeInstallationRecordStream,
  removeRecordStream,
  testInstallationRecordStream,
  testRecordStream,
  type NewRecordStream,
  type RecordStreamChange,
} from '@toolway/contract/admin'
import type { z } from 'zod'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'

export type StreamOwner = 'organization' | 'installation'
type New = z.input<typeof NewRecordStream>
type Change = z.input<typeof RecordStreamChange>

/** The operations on record streams of an owner, each with its path. */
export function useStreamCalls(owner: StreamOwner) {
  const path = { organization: useOrganization() }
  if (owner === 'installation')
    return {
      list: ask('record-streams', listAllRecordStreams),
      add: (body: New) => call(addInstallationRecordStream, { body }),
      change: (stream: string, body: Change) => call(changeInstallationRecordStream, { path: { stream }, body }),
      remove: (stream: string) => call(removeInstallationRecordStream, { path: { stream } }),
      test: (stream: string) => call(testInstallationRecordStream, { path: { stream } }),
    }
  return {
    list: ask('record-streams', listRecordStreams, { path }),
    add: (body: New) => call(addRecordStream, { path, body }),
    change: (stream: string, body: Change) => call(changeRecordStream, { path: { ...path, stream }, body }),
    remove: (stream: string) => call(removeRecordStream, { path: { ...path, stream } }),
    test: (stream: string) => call(testRecordStream, { path: { ...path, stream } }),
  }
}
export type StreamCalls = ReturnType<typeof useStreamCalls>
