/**
 * Files that a person opens: one text, or an OpenAPI document with the files that it refers to, as a ZIP archive.
 *
 * Several files and folders become an archive here, and so does a long document, which a request would not hold as it is. The gateway
 * alone opens archives. The library for them is loaded when it is needed.
 */
/** An OpenAPI document with its files, as a ZIP archive. */
export interface Archive {
  /** As its file or folder is called. */
  readonly name: string
  readonly base64: string
}

export type Upload =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'archive'; readonly archive: Archive }
  | { readonly kind: 'refused'; readonly why: 'none' | 'many' | 'large' }

/** What the gateway takes at most, unpacked. */
const MOST_FILES = 2_000
const MOST_BYTES = 64 * 1024 * 1024
/** Characters of a document that goes into a request, and into a field, as it is. */
const SHORT_CHARACTERS = 300_000
const DOCUMENT = /(?:^[ \t]*|[{,]\s{0,99})["']?(?:openapi|swagger)["']?\s*:\s*["']?\d/m

/** With its path in the folder that was opened, where it was one. */
const pathOf = (file: File): string => file.webkitRelativePath || file.name

export async function uploadOf(opened: readonly File[]): Promise<Upload> {
  const [first] = opened
  if (first !== undefined && opened.length === 1 && first.webkitRelativePath === '') return ofOne(first)
  const files = opened.filter((file) => isWanted(pathOf(file)))
  if (files.length === 0) return { kind: 'refused', why: 'none' }
  return archiveOf(files, nameOf(files))
}

/** Not what an editor, Git or a package registry puts into a folder. */
const isWanted = (path: string) => /\.(?:ya?ml|json)$/i.test(path) && !/(?:^|\/)(?:\.|node_modules\/)/.test(path)

/** The folder that was opened, or the first file and how many there are. */
function nameOf([first, ...others]: readonly File[]): string {
  if (first === undefined) return ''
  const [folder] = first.webkitRelativePath.split('/')
  return folder || [first.name, ...(others.length > 0 ? [`+${others.length}`] : [])].join(' ')
}

async function ofOne(file: File): Promise<Upload> {
  if (file.size > MOST_BYTES) return { kind: 'refused', why: 'large' }
  const begin = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  if (begin[0] === 0x50 && begin[1] === 0x4b)
    return { kind: 'archive', archive: { name: file.name, base64: await base64Of(file) } }
  const text = await file.text()
  return text.length > SHORT_CHARACTERS && DOCUMENT.test(text) ? archiveOf([file], file.name) : { kind: 'text', text }
}

async function archiveOf(files: readonly File[], name: string): Promise<Upload> {
  if (files.length > MOST_FILES) return { kind: 'refused', why: 'many' }
  if (files.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) return { kind: 'refused', why: 'large' }
  const { zipSync } = await import('fflate')
  const contents: Record<string, Uint8Array> = {}
  for (const file of files) contents[pathOf(file)] = new Uint8Array(await file.arrayBuffer())
  const packed = new Blob([new Uint8Array(zipSync(contents))])
  return { kind: 'archive', archive: { name, base64: await base64Of(packed) } }
}

const base64Of = (content: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file cannot be read')))
    reader.readAsDataURL(content)
  })
