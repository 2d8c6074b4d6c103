/** `toolway connection refresh`: what a newer OpenAPI document changes; it is kept only with `--apply`. */
import { refreshOpenApi } from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, type Printed } from '../../cli/command.ts'
import { CommandFault, EXIT } from '../../cli/terminal/output.ts'
import { awaitContact, findConnection, type Addressed } from '../../cli/connection/contact.ts'
import { sourceOf } from '../../cli/connection/document.ts'
import { drawDrift } from './draw-preview.command.ts'

interface Refreshing extends Addressed {
  /** Another file or address than the one that the connection has. */
  readonly openapi?: string
  readonly apply?: boolean
}

export const refresh = describeCommand({
  name: 'refresh',
  about: 'show the changes in a newer version of a connection’s OpenAPI document, and apply them with --apply',
  arguments: [new Argument('<alias>')],
  options: [
    new Option('--openapi <source>', 'the document’s new address, file, folder or ZIP archive, if it has changed'),
    new Option('--apply', 'apply the changes'),
  ],
  examples: ['toolway connection refresh shop', 'toolway connection refresh shop --openapi shop.yaml --apply'],
  async call(transport, words: Refreshing, output): Promise<Printed> {
    const { organization, alias, openapi: source, apply = false } = words
    const { openapi } = await findConnection(transport, words)
    if (openapi === null) throw new CommandFault(`The connection "${alias}" does not use an OpenAPI document.`)
    if (source === undefined && openapi.document === null)
      throw new CommandFault(
        `The document for "${alias}" was loaded from a file: specify the file with --openapi FILE.`,
        EXIT.usage,
      )
    const body = { ...(source === undefined ? {} : await sourceOf(source)), apply }
    const { applied, same, drift } = await transport.call(refreshOpenApi, {
      params: { organization, connection: alias },
      body,
    })
    if (applied && !output.json) {
      for (const line of drawDrift(drift)) output.progress(line)
      return awaitContact(transport, { organization, alias, done: 'Refreshed' }, output)
    }
    const last = same
      ? 'The document has not changed.'
      : applied
        ? 'The new document was stored.'
        : 'Nothing has been stored yet: use --apply to store the new document.'
    return { value: { alias, applied, same, drift }, lines: [...drawDrift(drift), last] }
  },
  print: (printed) => printed,
})
