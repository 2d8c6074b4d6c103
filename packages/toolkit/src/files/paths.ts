/**
 * Two kinds of paths that are never mixed (ledger S4-FS-01): a local one names a file on this machine within the roots of a session, a
 * remote one a file of the workbench, under `/home/user`. Each kind is made in one place, the compiler refuses one in place of the other,
 * and at run time text of the wrong kind is a refusal.
 */
import { Refusal } from '../refusal.ts'
import { isPartName } from './part-names.ts'

declare const kind: unique symbol
/** Absolute, on this machine, within a root. */
export type LocalPath = string & { readonly [kind]: 'local' }
/** Absolute, in the workbench. */
export type RemotePath = string & { readonly [kind]: 'remote' }
/** Text that a caller gives for a path of that kind: anything but a path of the other kind. */
export type LocalText = string & { readonly [kind]?: 'local' }
export type RemoteText = string & { readonly [kind]?: 'remote' }

export const REMOTE_HOME = '/home/user'
const LONGEST = 4_096
/** Bytes of one name (ext4, NTFS and APFS take no more). */
const MOST_NAME_BYTES = 255
/** Names of devices on Windows, whatever their extension (https://learn.microsoft.com/windows/win32/fileio/naming-a-file). */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Throws a `Refusal` for what is no path, on any system: a file that is written here can be taken to another one. */
export function partsOf(path: string): string[] {
  if (path.length > LONGEST) throw new Refusal(`The path has more than ${LONGEST} characters.`)
  if (CONTROL.test(path)) throw new Refusal('The path contains a control character.')
  if (path.includes('\\')) throw new Refusal('The path contains a backslash: separate folders with "/".')
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  for (const part of parts) refuseName(part)
  return parts
}

function refuseName(part: string): void {
  if (part === '..') throw new Refusal('The path contains "..".')
  if (!part.isWellFormed()) throw new Refusal('A name in the path is not valid Unicode.')
  refuseLookAlike(part)
  if (isPartName(part))
    throw new Refusal(`The name ${JSON.stringify(part)} is the name of a file that is still being written.`)
  if (Buffer.byteLength(part) > MOST_NAME_BYTES)
    throw new Refusal(`A name in the path has more than ${MOST_NAME_BYTES} bytes.`)
  if (part.includes(':')) throw new Refusal(`The name ${JSON.stringify(part)} contains a colon.`)
  if (/[. ]$/.test(part)) throw new Refusal(`The name ${JSON.stringify(part)} ends with a dot or a space.`)
  if (DEVICE.test(part)) throw new Refusal(`The name ${JSON.stringify(part)} is the name of a device on Windows.`)
}

/** Names that some system, or a reader, takes for another one: `．．`, `a／b`, and text that runs backwards. */
function refuseLookAlike(part: string): void {
  if (/[\u202a-\u202e\u2066-\u2069]/.test(part))
    throw new Refusal(`The name ${JSON.stringify(part)} contains a character that changes the direction of text.`)
  const plain = part.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  if (plain !== part && (/^\.*$/.test(plain) || /[\\/]/.test(plain) || DEVICE.test(plain)))
    throw new Refusal(`The name ${JSON.stringify(part)} looks like ${JSON.stringify(plain)}, but is different.`)
}

/** A path of the workbench: absolute and below `/home/user`. Throws a `Refusal`. */
export function remotePath(path: RemoteText): RemotePath {
  const parts = partsOf(path)
  const [home, user, ...rest] = parts
  if (!path.startsWith('/') || home !== 'home' || user !== 'user' || rest.length === 0)
    throw new Refusal(`${JSON.stringify(path)} is not a workbench path: those begin with ${REMOTE_HOME}/.`)
  return `/${parts.join('/')}` as RemotePath
}
