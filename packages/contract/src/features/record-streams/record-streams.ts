/**
 * Record streams: destinations that the records and alerts of an organization, or of the whole installation, are pushed to in
 * order, at least once. Secrets of a destination are sealed and are in no answer; the secret of a webhook is in the answer that
 * makes it.
 */
import { z } from 'zod'
import { inOrganization, listOf, operation, platform } from '../../admin/operation.ts'
import { TENANT } from '../organizations/organizations.ts'
import { StreamDestination, StreamSecrets } from './destinations.ts'

const Name = z.string().trim().min(1).max(100)

export const RecordStream = z.strictObject({
  id: z.string(),
  name: z.string(),
  destination: StreamDestination,
  /** Whether the address may lie in a private network. */
  private: z.boolean(),
  alerts: z.boolean(),
  enabled: z.boolean(),
  /** Records that are still to be delivered. */
  waiting: z.int(),
  delivered_at: z.iso.datetime().nullable(),
  failed_at: z.iso.datetime().nullable(),
  last_problem: z.string().nullable(),
  /** Since when it is behind; null where it keeps up. */
  behind_since: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type RecordStream = z.output<typeof RecordStream>
const NewRecordStreamAnswer = RecordStream.extend({ secret: z.string().nullable() })

export const NewRecordStream = z.strictObject({
  name: Name,
  destination: StreamDestination,
  secrets: StreamSecrets.default({}),
  /** A platform administrator's to say. */
  private: z.boolean().optional(),
  /** Whether alerts are sent too. */
  alerts: z.boolean().default(true),
  /** Records from now on, or all that are kept. */
  from: z.enum(['now', 'start']).default('now'),
})
/** A destination is changed with its secrets; what is not named stays. */
export const RecordStreamChange = z.strictObject({
  name: Name.optional(),
  destination: StreamDestination.optional(),
  secrets: StreamSecrets.optional(),
  private: z.boolean().optional(),
  alerts: z.boolean().optional(),
  enabled: z.boolean().optional(),
})

const List = listOf(RecordStream)
const Tried = z.strictObject({ delivered: z.boolean(), problem: z.string().nullable() })
const STREAMS = `${TENANT}/record-streams`
const STREAM = `${STREAMS}/{stream}`
const ALL_STREAMS = '/api/v1/admin/record-streams'
const ONE_OF_ALL = `${ALL_STREAMS}/{stream}`

export const listRecordStreams = operation({
  id: 'listRecordStreams',
  at: `GET ${STREAMS}`,
  summary: 'List the record streams of an organization and their progress.',
  needs: inOrganization('tenant_update'),
  answer: List,
})
export const addRecordStream = operation({
  id: 'addRecordStream',
  at: `POST ${STREAMS}`,
  summary: 'Add a record stream: push the records and alerts of an organization to a destination.',
  needs: inOrganization('tenant_update'),
  lasting: true,
  body: NewRecordStream,
  answer: NewRecordStreamAnswer,
  status: 201,
})
export const changeRecordStream = operation({
  id: 'changeRecordStream',
  at: `PUT ${STREAM}`,
  summary: 'Update a record stream, or pause or resume it. A resumed stream continues where it stopped.',
  needs: inOrganization('tenant_update'),
  lasting: true,
  body: RecordStreamChange,
  answer: RecordStream,
})
export const removeRecordStream = operation({
  id: 'removeRecordStream',
  at: `DELETE ${STREAM}`,
  summary: 'Delete a record stream and its position in the records.',
  needs: inOrganization('tenant_update'),
})
export const testRecordStream = operation({
  id: 'testRecordStream',
  at: `POST ${STREAM}/test`,
  summary: 'Send one test item to a record stream now, and show the result.',
  needs: inOrganization('tenant_update'),
  answer: Tried,
})
export const listAllRecordStreams = operation({
  id: 'listAllRecordStreams',
  at: `GET ${ALL_STREAMS}`,
  summary:
    'List the record streams of the installation, which contain the records of every organization and of the platform.',
  needs: platform('tenant_update'),
  answer: List,
})
export const addInstallationRecordStream = operation({
  id: 'addInstallationRecordStream',
  at: `POST ${ALL_STREAMS}`,
  summary:
    'Add a record stream of the installation: push the records and alerts of every organization and of the platform to a destination.',
  needs: platform('tenant_update'),
  lasting: true,
  body: NewRecordStream,
  answer: NewRecordStreamAnswer,
  status: 201,
})
export const changeInstallationRecordStream = operation({
  id: 'changeInstallationRecordStream',
  at: `PUT ${ONE_OF_ALL}`,
  summary: 'Update a record stream of the installation, or pause or resume it.',
  needs: platform('tenant_update'),
  lasting: true,
  body: RecordStreamChange,
  answer: RecordStream,
})
export const testInstallationRecordStream = operation({
  id: 'testInstallationRecordStream',
  at: `POST ${ONE_OF_ALL}/test`,
  summary: 'Send one test item to a record stream of the installation now, and show the result.',
  needs: platform('tenant_update'),
  answer: Tried,
})
export const removeInstallationRecordStream = operation({
  id: 'removeInstallationRecordStream',
  at: `DELETE ${ONE_OF_ALL}`,
  summary: 'Delete a record stream of the installation and its positions in the records.',
  needs: platform('tenant_update'),
})
