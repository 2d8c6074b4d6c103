/** The reach of a program as it stands in a form: its network, its hosts and its paths, one on each line. Pure. */
import { namedPaths, notAllowed, type ChildAccess } from '@toolway/contract'
import type { Connection } from '@toolway/contract/admin'

export interface AccessDraft {
  readonly network: NonNullable<ChildAccess['network']>
  readonly hosts: string
  readonly paths: string
}

export const DEFAULT_ACCESS: AccessDraft = { network: 'public', hosts: '', paths: '' }

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

type Kept = Partial<Pick<Connection, 'network' | 'allow_hosts' | 'allow_paths'>>

export const accessDraftOf = ({ network, allow_hosts: hosts, allow_paths: paths }: Kept): AccessDraft => ({
  network: network ?? 'public',
  hosts: (hosts ?? []).join('\n'),
  paths: (paths ?? []).join('\n'),
})

/** For a request; hosts of another network than `listed` are kept as they are. */
export const accessWords = ({ network, hosts, paths }: AccessDraft): Required<ChildAccess> => ({
  network,
  allow_hosts: linesOf(hosts),
  allow_paths: linesOf(paths),
})

/** A line of the paths that is no absolute path. */
export const relativePath = ({ paths }: AccessDraft): string | undefined =>
  linesOf(paths).find((line) => !line.startsWith('/'))

/** The program itself: the gateway finds its folder and lets it be read. */
const SCRIPT = /\.(?:[cm]?[jt]sx?|pyz?|go|rb|php|pl|lua|sh|jar|dll|wasm)$/i

/** Paths that arguments name and that are not allowed. Arguments that are masked name none. */
export const pathsToAllow = (args: readonly string[], { paths }: AccessDraft): readonly string[] =>
  notAllowed(namedPaths(args.filter((arg) => !arg.includes('•••') && !SCRIPT.test(arg))), linesOf(paths))

export const withPath = (access: AccessDraft, path: string): AccessDraft => ({
  ...access,
  paths: [...linesOf(access.paths), path].join('\n'),
})
