/** `toolway record-stream …`: push records and alerts to a destination, of one organization or of the whole installation. */
import { readFile } from 'node:fs/promises'
import {
  addInstallationRecordStream,
  addRecordStream,
  changeInstallationRecordStream,
  changeRecordStream,
  listAllRecordStreams,
  listRecordStreams,
  NewRecordStream,
  removeInstallationRecordStream,
  removeRecordStream,
  testInstallationRecordStream,
  testRecordStream,
  type RecordStream,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { CommandFault, EXIT, table } from '../../cli/terminal/output.ts'
import type { Transport } from '../../cli/transport/transport.ts'

interface Words {
  readonly organization: string
  /** The whole installation, in place of an organization. */
  readonly all?: boolean
}
interface Named extends Words {
  readonly id: string
}

const allOption = () => new Option('--all', 'for the whole installation: every organization and the platform')
const id = () => new Argument('<id>', 'stream ID, as shown by `toolway record-stream list`')

/** Throws CommandFault for a file that is none. */
async function describedIn(path: string): Promise<typeof NewRecordStream._output> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(path, 'utf8'))
  } catch (thrown) {
    throw new CommandFault(`${path} cannot be read as JSON: ${thrown instanceof Error ? thrown.message : ''}`)
  }
  const parsed = NewRecordStream.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new CommandFault(`${path}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim())
}

const add = describeCommand({
  name: 'add',
  about: 'stream records to the destination described in a file, which also contains its secrets',
  arguments: [new Argument('<file>', 'JSON: name, destination, secrets, private, alerts, from')],
  options: [allOption()],
  examples: ['toolway record-stream add siem.json -o acme', 'toolway record-stream add archive.json --all'],
  async call({ call }, { file, organization, all: whole = false }: Words & { file: string }) {
    const body = await describedIn(file)
    return whole
      ? call(addInstallationRecordStream, { body })
      : call(addRecordStream, { params: { organization }, body })
  },
  print: (row) => ({
    value: row,
    lines: [
      `Records are pushed to ${row.name} (${row.destination.kind}) from now on: ${row.id}.`,
      ...(row.secret === null
        ? []
        : [`Its messages are signed with this secret, which is shown only once: ${row.secret}`]),
    ],
  }),
})

const rowsOf = async ({ call }: Transport, { organization, all: whole = false }: Words): Promise<RecordStream[]> =>
  (whole ? await call(listAllRecordStreams, {}) : await call(listRecordStreams, { params: { organization } })).items

const stateOf = ({ enabled, behind_since: behind, last_problem: problem }: RecordStream): string => {
  if (!enabled) return 'off'
  if (behind !== null) return `behind since ${behind}: ${problem ?? 'the destination is slow'}`
  return problem ?? 'ok'
}

const list = describeCommand({
  name: 'list',
  about: 'list record streams and their progress',
  options: [allOption()],
  examples: ['toolway record-stream list', 'toolway record-stream list --all'],
  call: rowsOf,
  print: (rows) => ({
    value: rows,
    lines:
      rows.length === 0
        ? ['No record streams yet. To add one, see `toolway record-stream add --help`.']
        : table(
            ['ID', 'NAME', 'KIND', 'WAITING', 'LAST DELIVERY', 'STATE'],
            rows.map((row) => [
              ...[row.id, row.name, row.destination.kind, String(row.waiting)],
              ...[row.delivered_at ?? 'none', stateOf(row)],
            ]),
          ),
  }),
})

const switchCommand = (name: 'enable' | 'disable') =>
  describeCommand({
    name,
    about:
      name === 'enable' ? 'resume a record stream where it stopped' : 'pause a record stream; it keeps its position',
    arguments: [id()],
    options: [allOption()],
    examples: [`toolway record-stream ${name} str_01jd0000000000000000000000`],
    call({ call }, { id: stream, organization, all: whole = false }: Named) {
      const body = { enabled: name === 'enable' }
      return whole
        ? call(changeInstallationRecordStream, { params: { stream }, body })
        : call(changeRecordStream, { params: { organization, stream }, body })
    },
    print: (row) => ({ value: row, lines: [`${row.name} is ${row.enabled ? 'on' : 'off'}.`] }),
  })

const test = describeCommand({
  name: 'test',
  about: 'send a test item, and show the result',
  arguments: [id()],
  options: [allOption()],
  examples: ['toolway record-stream test str_01jd0000000000000000000000'],
  call: ({ call }, { id: stream, organization, all: whole = false }: Named) =>
    whole
      ? call(testInstallationRecordStream, { params: { stream } })
      : call(testRecordStream, { params: { organization, stream } }),
  print: (answer) => ({
    value: answer,
    lines: [
      answer.delivered
        ? 'The destination accepted the test item.'
        : `The destination did not accept the test item: ${answer.problem ?? ''}.`,
    ],
    code: answer.delivered ? EXIT.ok : EXIT.failed,
  }),
})

const remove = describeCommand({
  name: 'remove',
  about: 'remove a record stream and its position',
  arguments: [id()],
  options: [allOption()],
  examples: ['toolway record-stream remove str_01jd0000000000000000000000'],
  async call({ call }, { id: stream, organization, all: whole = false }: Named) {
    await (whole
      ? call(removeInstallationRecordStream, { params: { stream } })
      : call(removeRecordStream, { params: { organization, stream } }))
    return stream
  },
  print: (stream) => ({ value: { removed: stream }, lines: [`Removed ${stream}.`] }),
})

export const recordStreamCommand = (finish: Finish) =>
  groupOf(
    'record-stream',
    'stream records and alerts to a SIEM or a data store, in order and at least once',
    [add, list, switchCommand('enable'), switchCommand('disable'), test, remove],
    finish,
  )
