/** `toolway member import` and `export`: members from a CSV file and as one. */
import { csvTextOf } from '@toolway/contract'
import {
  exportMembers,
  importMembers,
  previewMemberImport,
  type ImportedMember,
  type ImportProblem,
  type MemberImport,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { describeCommand } from '../../cli/command.ts'
import { CommandFault, EXIT, table } from '../../cli/terminal/output.ts'
import { filterOf, filterOptions, type Filtering, type OrganizationOption } from './member-filter.command.ts'

interface Importing extends OrganizationOption {
  readonly file: string
  readonly preview?: boolean
  readonly invite?: boolean
}

const SENTENCES: Readonly<Record<ImportProblem, (about: string) => string>> = {
  quote: () => 'a quotation mark has no counterpart',
  cells: (about) => `the line has ${about} cells, more than the first line`,
  email: (about) => `"${about}" is not an email address`,
  name: (about) => `"${about}" is not a valid name`,
  role: (about) => `"${about}" is not a role`,
  group: (about) => `no group is called "${about}"`,
  declared: (about) => `the group ${about} is defined in a file`,
  duplicate: (about) => `line ${about} has the same address`,
  unproven: () => 'the account was created by another organization, and its address has not been verified',
  'last-admin': () => 'this is the last administrator of the organization',
  changed: () => 'this person or their group changed at the same time',
}

/** Why a line is left out. */
const reasonOf = ({ problem, about }: ImportedMember): string =>
  problem === null ? '' : SENTENCES[problem](about ?? '')

async function readCsv(path: string): Promise<string> {
  const bytes = await readFile(path).catch((thrown: NodeJS.ErrnoException) => {
    throw new CommandFault(`${path} cannot be read (${thrown.code}): check its path.`, EXIT.usage)
  })
  const csv = csvTextOf(bytes)
  if (csv !== undefined) return csv
  throw new CommandFault(`${path} is not UTF-8: save it as "CSV UTF-8" in your spreadsheet program.`, EXIT.usage)
}

function summaryOf({ counts: { add, change, same, refuse } }: MemberImport, preview: boolean): string {
  const numbers = `${add} added, ${change} changed, ${same} unchanged, ${refuse} left out`
  return preview ? `Preview: ${numbers}. Nothing was changed.` : `Imported: ${numbers}.`
}

export const importFile = describeCommand({
  name: 'import',
  about: 'add members from a CSV file with the columns name, email, role and groups',
  arguments: [new Argument('<file>', 'a CSV file in UTF-8')],
  options: [
    new Option('--preview', 'show what would happen, and change nothing'),
    new Option('--invite', 'create a one-time code for each new person to choose a password'),
  ],
  examples: ['toolway member import people.csv --preview', 'toolway member import people.csv'],
  async call({ call }, { organization, file, preview = false, invite = false }: Importing) {
    const csv = await readCsv(file)
    const params = { organization }
    return preview
      ? call(previewMemberImport, { params, body: { csv } })
      : call(importMembers, { params, body: { csv, invite } })
  },
  print(result, { preview = false }) {
    const refused = result.items.filter(({ problem }) => problem !== null)
    const invited = result.items.flatMap(({ email, code }) => (code === null ? [] : [[email, code]]))
    return {
      value: result,
      lines: [
        summaryOf(result, preview),
        ...(result.ignored_columns.length === 0 ? [] : [`Columns not read: ${result.ignored_columns.join(', ')}.`]),
        ...refused.map((row) => `Line ${row.line}: ${reasonOf(row)}.`),
        ...(invited.length === 0 ? [] : table(['EMAIL', 'CODE'], invited)),
      ],
      notes:
        invited.length === 0 ? [] : ['The codes are shown only once, and are valid for three days at /sign-in/code.'],
    }
  },
})

export const exportFile = describeCommand({
  name: 'export',
  about: 'write the members of an organization to standard output as CSV',
  options: [...filterOptions],
  examples: ['toolway member export > people.csv', 'toolway member export --group finance > finance.csv'],
  async call({ stream }, words: Filtering) {
    const query = filterOf(words)
    for await (const part of await stream(exportMembers, { params: { organization: words.organization }, query }))
      if (!process.stdout.write(part)) await once(process.stdout, 'drain')
  },
  print: () => ({ value: undefined, lines: [] }),
})
