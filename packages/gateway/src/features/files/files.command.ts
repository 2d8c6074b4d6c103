/**
 * `toolway file …`: upload, list, download and remove files. Content goes between the disk and the running gateway; everything else is
 * operations, as for other commands.
 */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { basename, join } from 'node:path'
import { stat } from 'node:fs/promises'
import { visible } from '@toolway/contract'
import {
  addDownloadLink,
  addFile,
  type FileEntry,
  getFile,
  getFileUsage,
  listFiles,
  removeFile,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { CommandFault, EXIT, table, type Output } from '../../cli/terminal/output.ts'
import { listAll, rewordRefusal, type Transport } from '../../cli/transport/transport.ts'
import { hashOfFile, receiveContent, sendContent, sizeOfFile } from './transfer.command.ts'

interface OrganizationOption {
  readonly organization: string
}
interface FileArgument extends OrganizationOption {
  readonly file: string
}

const file = new Argument('<file>', '`file_…` or `toolway://files/file_…`')
const paramsOf = ({ organization, file: text }: FileArgument) => ({
  organization,
  file: text.replace(/^toolway:\/\/files\//, ''),
})
const unknownFile = (words: FileArgument) =>
  rewordRefusal(`You have no file "${words.file}"; \`toolway file list\` lists your files.`, 'thing.unknown')

const sizeText = (bytes: number | null) => {
  if (bytes === null) return '-'
  const steps = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), steps.length - 1)
  return `${Number((bytes / 1024 ** step).toFixed(1))} ${steps[step]}`
}

const rowOf = (item: FileEntry) => [
  ...[item.id, visible(item.name), sizeText(item.size), item.media_type, item.state],
  ...[item.owner_email ?? item.owner, item.expires_at],
]

const list = describeCommand({
  asCaller: true,
  name: 'list',
  about: 'list your files, or all files in the organization with --everybody',
  options: [
    new Option('--everybody', 'files of all members (administrators only)'),
    new Option('--search <text>', 'part of the name'),
  ],
  examples: ['toolway file list', 'toolway file list --everybody --search report'],
  async call(transport, words: OrganizationOption & { everybody?: true; search?: string }) {
    const { organization, everybody, search } = words
    const query = { whose: everybody ? ('everybody' as const) : ('own' as const), search }
    const files = await listAll(transport, listFiles, { params: { organization }, query })
    return { files, usage: await transport.call(getFileUsage, { params: { organization } }) }
  },
  print: ({ files, usage: { used, quota } }) => ({
    value: files,
    lines:
      files.length === 0
        ? ['No files: `toolway file put PATH` uploads one.']
        : table(['ID', 'NAME', 'SIZE', 'TYPE', 'STATE', 'OWNER', 'EXPIRES'], files.map(rowOf)),
    notes: [`The organization uses ${sizeText(used)} of ${sizeText(quota)}.`],
  }),
})

const show = describeCommand({
  asCaller: true,
  name: 'show',
  about: 'show one file, without its content',
  arguments: [file],
  examples: ['toolway file show file_01m0000000000000000000000'],
  call: ({ call }, words: FileArgument) => call(getFile, { params: paramsOf(words) }).catch(unknownFile(words)),
  print: (item) => ({
    value: item,
    lines: [
      ...[`${visible(item.name)} (${item.media_type})`, `uri       ${item.uri}`, `state     ${item.state}`],
      ...[
        `size      ${item.size === null ? '-' : countWithNoun(item.size, 'byte')}`,
        `sha256    ${item.sha256 ?? '-'}`,
      ],
      ...[
        `owner     ${item.owner_email ?? item.owner}`,
        `origin    ${item.origin}${item.tool === null ? '' : ` of ${visible(item.tool)}`}`,
      ],
      ...[`created   ${item.created_at}`, `expires   ${item.expires_at}`],
    ],
  }),
})

/** Content goes to a gateway that runs. */
async function refuseNoGateway({ remote, isServing }: Transport): Promise<void> {
  if (remote !== undefined || (await isServing())) return
  throw new CommandFault(
    'No gateway is running to transfer the content: start one with `npx toolway start`.',
    EXIT.unreachable,
  )
}

/** Says how far a transfer is, once for each tenth of it. */
function progressOf(output: Output, verb: string, size: number) {
  let shown = 0
  return (done: number) => {
    const tenth = size === 0 ? 10 : Math.floor((done / size) * 10)
    if (tenth <= shown) return
    shown = tenth
    output.progress(`${verb} ${sizeText(done)} of ${sizeText(size)}`)
  }
}

interface PutWords extends OrganizationOption {
  readonly path: string
  readonly name?: string
  readonly type?: string
  readonly expires?: string
}

const put = describeCommand({
  asCaller: true,
  name: 'put',
  about: 'upload a file and print the reference that tools accept',
  arguments: [new Argument('<path>', 'a file on this machine')],
  options: [
    new Option('--name <name>', 'name of the stored file (default: the file name in the path)'),
    new Option('--type <type>', 'media type of the file'),
    new Option('--expires <seconds>', 'seconds until the file expires'),
  ],
  examples: ['toolway file put report.pdf --type application/pdf'],
  async call(transport, { organization, path, name, type, expires }: PutWords, output) {
    const size = await sizeOfFile(path)
    await refuseNoGateway(transport)
    const body = {
      ...{ name: name ?? basename(path), media_type: type, size, sha256: await hashOfFile(path), link_seconds: 86_400 },
      ...(expires === undefined ? {} : { expires_in: Number(expires) }),
    }
    const { upload, ...made } = await transport.call(addFile, { params: { organization }, body })
    await sendContent(upload.url, path, size, progressOf(output, 'sent', size))
    return transport.call(getFile, { params: { organization, file: made.id } })
  },
  print: (item) => ({
    value: item,
    lines: [item.uri],
    notes: [`Uploaded ${visible(item.name)}, ${sizeText(item.size)}.`],
  }),
})

const get = describeCommand({
  asCaller: true,
  name: 'get',
  about: 'download one of your files',
  arguments: [file, new Argument('[path]', 'destination: a folder or a file name').default('.')],
  examples: ['toolway file get file_01m0000000000000000000000 report.pdf'],
  async call(transport, words: FileArgument & { readonly path: string }, output) {
    const params = paramsOf(words)
    const found = await transport.call(getFile, { params }).catch(unknownFile(words))
    const { size, sha256, name } = found
    if (found.state !== 'ready' || size === null || sha256 === null)
      throw new CommandFault(`The upload of ${visible(name)} is not complete.`, EXIT.failed)
    await refuseNoGateway(transport)
    const isFolder = (await stat(words.path).catch(() => undefined))?.isDirectory() === true
    const path = isFolder ? join(words.path, name) : words.path
    const address = async () => (await transport.call(addDownloadLink, { params }).catch(unknownFile(words))).url
    await receiveContent(path, { size, sha256, address }, progressOf(output, 'received', size))
    return { path, size, sha256 }
  },
  print: (value) => ({ value, lines: [`${value.path}: ${sizeText(value.size)}`] }),
})

const link = describeCommand({
  asCaller: true,
  name: 'link',
  about: 'print a link that downloads a file once, without a key',
  arguments: [file],
  options: [new Option('--seconds <number>', 'lifetime of the link in seconds').default('900')],
  examples: ['toolway file link file_01m0000000000000000000000'],
  call: ({ call }, words: FileArgument & { readonly seconds: string }) =>
    call(addDownloadLink, { params: paramsOf(words), body: { link_seconds: Number(words.seconds) } }).catch(
      unknownFile(words),
    ),
  print: (value) => ({
    value,
    lines: [value.url],
    notes: [`The link can be used once and expires at ${value.expires_at}.`],
  }),
})

const remove = describeCommand({
  asCaller: true,
  name: 'remove',
  about: 'remove a file',
  arguments: [file],
  examples: ['toolway file remove file_01m0000000000000000000000'],
  call: ({ call }, words: FileArgument) => call(removeFile, { params: paramsOf(words) }).catch(unknownFile(words)),
  print: (_, words) => ({ value: { removed: paramsOf(words).file }, lines: [`Removed ${words.file}.`] }),
})

export const fileCommand = (finish: Finish) =>
  groupOf('file', 'upload, list, download and remove files', [list, show, put, get, link, remove], finish)
