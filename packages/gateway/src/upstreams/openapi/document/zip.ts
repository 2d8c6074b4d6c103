/**
 * The files of a ZIP archive (PKWARE APPNOTE 6.3.10), as far as documents need it: stored and deflated files, no encryption, no ZIP64.
 *
 * An archive comes from somebody else: the number of its files and their unpacked bytes are bounded before anything is unpacked, and each
 * file again while it is. Paths that lead out of the archive and symbolic links are refused. Files are unpacked when they are read.
 */
import { posix } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import { DocumentProblem } from './parse-document.ts'

export interface ZipLimits {
  readonly files: number
  /** Unpacked, of all files together. */
  readonly bytes: number
}

/** Files by their paths. Unpacking one throws DocumentProblem where it is damaged or packed in another way. */
export type ZipFiles = ReadonlyMap<string, () => Uint8Array>

const END = 0x06_05_4b_50
const CENTRAL = 0x02_01_4b_50
const LOCAL = 0x04_03_4b_50
const END_LENGTH = 22
const CENTRAL_LENGTH = 46
const LOCAL_LENGTH = 30
const MOST_COMMENT = 0xff_ff
/** A value that stands in a ZIP64 record. */
const ZIP64_MARK_16 = 0xff_ff
const ZIP64_MARK_32 = 0xff_ff_ff_ff
const ENCRYPTED = 1
const STORED = 0
const DEFLATED = 8
/** Systems whose files have a Unix mode (APPNOTE 4.4.2). */
const UNIX: ReadonlySet<number> = new Set([3, 19])
const FILE_TYPE = 0o17_0000
const LINK = 0o12_0000
/** What macOS adds for itself. */
const IGNORED_PATHS = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|\._[^/]*$)/

export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && ((bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6))

/** Throws DocumentProblem. */
export function openZip(bytes: Uint8Array, limits: ZipLimits): ZipFiles {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return filesIn(archive, limits)
  } catch (thrown) {
    // Reading beyond the end.
    if (thrown instanceof RangeError) throw damagedArchive()
    throw thrown
  }
}

const damagedArchive = () => new DocumentProblem('its ZIP archive is damaged or incomplete')

interface Entry {
  readonly path: string
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly bytes: number
  readonly at: number
}

function filesIn(archive: Buffer, limits: ZipLimits): ZipFiles {
  const end = endOf(archive)
  const count = archive.readUInt16LE(end + 10)
  const begin = archive.readUInt32LE(end + 16)
  if (count === ZIP64_MARK_16 || begin === ZIP64_MARK_32)
    throw new DocumentProblem('its ZIP archive is one of ZIP64, which is not supported: pack fewer files')
  const files = new Map<string, () => Uint8Array>()
  let bytes = 0
  let at = begin
  for (let index = 0; index < count; index++) {
    if (archive.readUInt32LE(at) !== CENTRAL) throw damagedArchive()
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset))
    const next = at + CENTRAL_LENGTH + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0)
    const entry = entryAt(archive, at)
    at = next
    if (entry === undefined) continue
    bytes += entry.bytes
    if (bytes > limits.bytes)
      throw new DocumentProblem(`its ZIP archive unpacks to more than the maximum of ${limits.bytes} bytes`)
    if (files.size === limits.files)
      throw new DocumentProblem(`its ZIP archive contains more than the maximum of ${limits.files} files`)
    if (files.has(entry.path))
      throw new DocumentProblem(`its ZIP archive contains ${quotedPath(entry.path)} twice: remove one of them`)
    files.set(entry.path, () => unpackEntry(archive, entry))
  }
  return files
}

/** The record at the end, before a comment of any length. */
function endOf(archive: Buffer): number {
  const least = Math.max(0, archive.length - END_LENGTH - MOST_COMMENT)
  for (let at = archive.length - END_LENGTH; at >= least; at--) if (archive.readUInt32LE(at) === END) return at
  throw damagedArchive()
}

/** Undefined for a folder, and for what macOS adds. */
function entryAt(archive: Buffer, at: number): Entry | undefined {
  const [system, flags] = [archive.readUInt8(at + 5), archive.readUInt16LE(at + 8)]
  const name = archive.subarray(at + CENTRAL_LENGTH, at + CENTRAL_LENGTH + archive.readUInt16LE(at + 28))
  const path = pathOf(name)
  if (path.endsWith('/') || IGNORED_PATHS.test(path)) return undefined
  const mode = archive.readUInt32LE(at + 38) >>> 16
  if (UNIX.has(system) && (mode & FILE_TYPE) === LINK)
    throw new DocumentProblem(
      `its ZIP archive contains the symbolic link ${quotedPath(path)}: pack the file that it leads to in its place`,
    )
  if ((flags & ENCRYPTED) !== 0)
    throw new DocumentProblem('its ZIP archive is encrypted: pack it again without a password')
  const [packed, bytes, local] = [20, 24, 42].map((offset) => archive.readUInt32LE(at + offset))
  if (packed === undefined || bytes === undefined || local === undefined) throw damagedArchive()
  if ([packed, bytes, local].includes(ZIP64_MARK_32))
    throw new DocumentProblem('its ZIP archive is one of ZIP64, which is not supported: pack smaller files')
  const method = archive.readUInt16LE(at + 10)
  return { path, method, crc: archive.readUInt32LE(at + 16), packed, bytes, at: local }
}

/** Throws DocumentProblem for a path that leads out of the archive. */
function pathOf(name: Buffer): string {
  const written = decodeName(name).replaceAll('\\', '/')
  const isOutside = /^(?:\/|[a-z]:)/i.test(written) || written.split('/').includes('..') || written.includes('\0')
  if (isOutside)
    throw new DocumentProblem(
      `its ZIP archive contains the path ${quotedPath(written)}, which leads out of it: pack the files with relative paths`,
    )
  return posix.normalize(written)
}

/** Older programs write names in a code page of their system; such a name is shown differently and still unique. */
function decodeName(name: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(name)
  } catch {
    return name.toString('latin1')
  }
}

function unpackEntry(archive: Buffer, { path, method, crc, packed, bytes, at }: Entry): Uint8Array {
  const damagedEntry = () => new DocumentProblem(`its file ${quotedPath(path)} is damaged in the ZIP archive`)
  if (method !== STORED && method !== DEFLATED)
    throw new DocumentProblem(`its file ${quotedPath(path)} is packed by method ${method}, which is not supported`)
  if (at + LOCAL_LENGTH > archive.length || archive.readUInt32LE(at) !== LOCAL) throw damagedEntry()
  const begin = at + LOCAL_LENGTH + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28)
  const content = archive.subarray(begin, begin + packed)
  if (content.length !== packed) throw damagedEntry()
  let plain: Uint8Array = content
  try {
    // What it says of its size was counted: it unpacks to no more.
    if (method === DEFLATED) plain = inflateRawSync(content, { maxOutputLength: Math.max(1, bytes) })
  } catch {
    throw damagedEntry()
  }
  if (plain.length !== bytes || crc32(plain) !== crc) throw damagedEntry()
  return plain
}

/** Safe in a message: names come from the archive. */
const quotedPath = (path: string) => JSON.stringify(path.replaceAll(/\p{C}/gu, '\u{FFFD}').slice(0, 100))
