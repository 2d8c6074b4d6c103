/**
 * Reads the list of a ZIP archive (PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16) and judges all of it before anything is
 * unpacked. An archive that two programs could read in two ways is refused: each entry has to say the same in both of its headers, and no
 * entry may lie over another one.
 */
import type { FileReader } from '../files/file-reader.ts'
import { partsOf } from '../files/paths.ts'
import { LIMITS } from '../limits.ts'
import { Refusal } from '../refusal.ts'

export interface ZipEntry {
  /** Relative, with "/" between folders and none at the end. */
  readonly name: string
  readonly folder: boolean
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly size: number
  /** Where its bytes begin. */
  readonly at: number
}

const END = { signature: 0x06054b50, size: 22 }
const CENTRAL = { signature: 0x02014b50, size: 46 }
const LOCAL = { signature: 0x04034b50, size: 30 }
const LONGEST_COMMENT = 0xffff
const ENCRYPTED = 0b1
const UTF8 = 0b1000_0000_0000
const [STORED, DEFLATED] = [0, 8]
const [FILE_TYPE, REGULAR, FOLDER] = [0o170000, 0o100000, 0o040000]
/** Bytes of the list itself. */
const MOST_LIST_BYTES = 16 * 1024 * 1024
/** How many times larger than the archive all files may be together, where they are more than `SMALL` bytes. */
const MOST_RATIO = 200
const SMALL = 64 * 1024 * 1024
/** Deflate cannot pack more than 1,032 bytes into one. */
const MOST_DEFLATE = 1_032

const refuse = (words: string, code: 'INVALID_ARGUMENT' | 'PAYLOAD_TOO_LARGE' = 'INVALID_ARGUMENT'): never => {
  throw new Refusal(`The archive is refused: ${words}.`, code)
}

/** Throws a `Refusal` for what is no archive or must not be unpacked. */
export async function readZipDirectory(file: FileReader): Promise<readonly ZipEntry[]> {
  const { count, at, size } = await readEnd(file)
  if (count > LIMITS.archive.entries) refuse(`it has more than ${LIMITS.archive.entries} entries`, 'PAYLOAD_TOO_LARGE')
  if (size > MOST_LIST_BYTES) refuse('its list is too long', 'PAYLOAD_TOO_LARGE')
  const listed = parseList(await file.read(at, size), count)
  const entries: ZipEntry[] = []
  for (const item of listed) entries.push(await locateEntry(file, item, at))
  refuseOverlaps(listed, entries, at)
  refuseNames(entries)
  refuseBomb(entries, file.size)
  return entries
}

async function readEnd(file: FileReader) {
  const start = Math.max(0, file.size - END.size - LONGEST_COMMENT)
  const tail = await file.read(start, file.size - start)
  for (let at = tail.length - END.size; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END.signature) continue
    if (at + END.size + tail.readUInt16LE(at + 20) !== tail.length) continue
    const count = tail.readUInt16LE(at + 10)
    if (tail.readUInt32LE(at + 4) !== 0 || tail.readUInt16LE(at + 8) !== count)
      refuse('it is one part of a multi-part archive')
    const [size, begin] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
    if (count === 0xffff || size === 0xffffffff || begin === 0xffffffff) refuse('it is in the format ZIP64')
    if (begin + size !== start + at) refuse('its list is not at the stated position')
    return { count, size, at: begin }
  }
  return refuse('it is not a ZIP archive')
}

interface Listed {
  readonly raw: Buffer
  readonly name: string
  readonly folder: boolean
  readonly method: number
  readonly flags: number
  readonly crc: number
  readonly packed: number
  readonly size: number
  readonly header: number
}

function parseList(list: Buffer, count: number): Listed[] {
  const entries: Listed[] = []
  let at = 0
  while (entries.length < count) {
    if (at + CENTRAL.size > list.length || list.readUInt32LE(at) !== CENTRAL.signature) refuse('its list is damaged')
    const next = at + CENTRAL.size + [28, 30, 32].reduce((sum, field) => sum + list.readUInt16LE(at + field), 0)
    if (next > list.length) refuse('its list is damaged')
    entries.push(parseEntry(list.subarray(at, next)))
    at = next
  }
  if (at !== list.length) refuse('its list has more entries than it states')
  return entries
}

function parseEntry(entry: Buffer): Listed {
  const raw = entry.subarray(CENTRAL.size, CENTRAL.size + entry.readUInt16LE(28))
  const name = nameOf(raw, entry.readUInt16LE(8))
  const [flags, method] = [entry.readUInt16LE(8), entry.readUInt16LE(10)]
  const [crc, packed, size] = [entry.readUInt32LE(16), entry.readUInt32LE(20), entry.readUInt32LE(24)]
  const type = Math.floor(entry.readUInt32LE(38) / 2 ** 16) & FILE_TYPE
  const header = entry.readUInt32LE(42)
  const folder = name.endsWith('/')
  if ([packed, size, header].includes(0xffffffff)) refuse(`${quoteName(name)} is in the format ZIP64`)
  if ((flags & ENCRYPTED) !== 0) refuse(`${quoteName(name)} is encrypted`)
  if (method !== STORED && method !== DEFLATED)
    refuse(`${quoteName(name)} is compressed with an unknown method (${method})`)
  if (type !== 0 && type !== (folder ? FOLDER : REGULAR)) refuse(`${quoteName(name)} is a link or not a file`)
  if (folder && size !== 0) refuse(`${quoteName(name)} is a folder with content`)
  if (method === STORED && packed !== size) refuse(`${quoteName(name)} has two sizes`)
  return { raw, name: folder ? name.slice(0, -1) : name, folder, method, flags, crc, packed, size, header }
}

function nameOf(raw: Buffer, flags: number): string {
  if ((flags & UTF8) === 0 && raw.some((byte) => byte > 0x7e)) refuse('a name has an unknown encoding')
  let name
  try {
    name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
  } catch {
    return refuse('a name is not UTF-8 text')
  }
  if (name.startsWith('/')) refuse(`the name ${quoteName(name)} is absolute`)
  const parts = (() => {
    try {
      return partsOf(name)
    } catch (thrown) {
      return refuse(`the name ${quoteName(name)} is not valid. ${thrown instanceof Error ? thrown.message : ''}`)
    }
  })()
  if (parts.length === 0 || parts.join('/') !== name.replace(/\/$/, ''))
    refuse(`the name ${quoteName(name)} is not a plain path`)
  return name
}

/** Where the bytes of an entry lie, by its own header, which has to agree with the list. */
async function locateEntry(file: FileReader, { raw, flags, ...entry }: Listed, end: number): Promise<ZipEntry> {
  const head = await file.read(entry.header, LOCAL.size + raw.length)
  const own = head.subarray(LOCAL.size)
  const agrees =
    head.length === LOCAL.size + raw.length &&
    head.readUInt32LE(0) === LOCAL.signature &&
    head.readUInt16LE(6) === flags &&
    head.readUInt16LE(8) === entry.method &&
    head.readUInt16LE(26) === raw.length &&
    own.equals(raw)
  if (!agrees) refuse(`${quoteName(entry.name)} has two headers that contradict each other`)
  const at = entry.header + LOCAL.size + raw.length + head.readUInt16LE(28)
  if (at + entry.packed > end) refuse(`${quoteName(entry.name)} is outside the archive`)
  return { ...entry, at }
}

function refuseOverlaps(listed: readonly Listed[], entries: readonly ZipEntry[], end: number): void {
  const spans = entries.map(({ at, packed, name }, index) => ({
    name,
    from: listed[index]?.header ?? 0,
    to: at + packed,
  }))
  spans.sort((span, other) => span.from - other.from)
  spans.forEach(({ name, to }, index) => {
    if (to > (spans[index + 1]?.from ?? end)) refuse(`${quoteName(name)} overlaps another entry`)
  })
}

/** Names that are one name to some file system, and files that would be folders too. */
function refuseNames(entries: readonly ZipEntry[]): void {
  const known = new Map<string, boolean>()
  for (const { name, folder } of entries) {
    const plain = plainOf(name)
    if (known.has(plain)) refuse(`the name ${quoteName(name)} appears twice`)
    known.set(plain, folder)
  }
  for (const { name } of entries) {
    const parts = plainOf(name).split('/')
    for (let deep = 1; deep < parts.length; deep++)
      if (known.get(parts.slice(0, deep).join('/')) === false) refuse(`${quoteName(name)} is inside a file`)
  }
}

const plainOf = (name: string): string => name.normalize('NFKC').toLowerCase()

function refuseBomb(entries: readonly ZipEntry[], archive: number): void {
  const bytes = entries.reduce((sum, { size }) => sum + size, 0)
  if (bytes > LIMITS.archive.bytes)
    refuse(`its files have more than ${LIMITS.archive.bytes} bytes`, 'PAYLOAD_TOO_LARGE')
  if (bytes > SMALL && bytes > archive * MOST_RATIO)
    refuse(`its files are more than ${MOST_RATIO} times its size`, 'PAYLOAD_TOO_LARGE')
  for (const { name, size, packed } of entries)
    if (size > packed * MOST_DEFLATE) refuse(`${quoteName(name)} cannot have the size that it states`)
}

const quoteName = (name: string): string => JSON.stringify(name.slice(0, 200))
