/** Makes a small PDF (ISO 32000-2): one line of text on each page. */
import { deflateSync } from 'node:zlib'

export interface PdfOptions {
  readonly title?: string
  /** The bytes of each page's content in place of its text, before compression. */
  readonly content?: Buffer
}

export function pdfOf(pages: readonly string[], { title, content }: PdfOptions = {}): Buffer {
  const streams = pages.map((text) => deflateSync(content ?? `BT /F1 18 Tf 72 700 Td (${text}) Tj ET`, { level: 9 }))
  const pageAt = (at: number) => 4 + 2 * at
  const objects: (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, at) => `${pageAt(at)} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...streams.flatMap((stream, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${pageAt(at) + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      Buffer.concat([
        Buffer.from(`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`),
        stream,
        Buffer.from('\nendstream'),
      ]),
    ]),
    `<< ${title === undefined ? '' : `/Title (${title}) `}/CreationDate (D:20260102030405Z) >>`,
  ]
  let file = Buffer.from('%PDF-1.7\n')
  const offsets = objects.map((object, at) => {
    const offset = file.length
    file = Buffer.concat([file, Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>`
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n${trailer}\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.concat([file, Buffer.from(end)])
}
