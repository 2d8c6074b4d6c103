/**
 * Files of Office Open XML (ECMA-376): an empty workbook and an empty presentation, and the slides of a presentation.
 * A file is a ZIP archive of XML parts.
 */
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { refusal, type Json } from '../kit/index.ts'

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006/main'
const SLIDES = 'http://schemas.openxmlformats.org/presentationml/2006/main'
const SHEETS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

type Parts = Readonly<Record<string, string>>

/** `application/vnd.openxmlformats-officedocument.` is the beginning of all types. */
const contentTypes = (parts: Parts): string =>
  `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${Object.entries(
    parts,
  )
    .map(
      ([name, type]) =>
        `<Override PartName="/${name}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
    )
    .join('')}</Types>`

/** Relationships by identifier, each with its type and target. */
const relationships = (targets: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

const base64OfBytes = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

const archiveOf = (parts: Parts): string =>
  base64OfBytes(zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(HEAD + xml)]))))

/** An .xlsx file with one empty sheet, in base64. */
export const emptyWorkbook = (): string =>
  archiveOf({
    '[Content_Types].xml': contentTypes({
      'xl/workbook.xml': 'spreadsheetml.sheet.main',
      'xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet',
    }),
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${SHEETS}" xmlns:r="${OFFICE}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([['worksheet', 'worksheets/sheet1.xml']]),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${SHEETS}"><sheetData/></worksheet>`,
  })

const TREE =
  '<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/></p:spTree>'
const NAMESPACES = `xmlns:a="${DRAWING}" xmlns:r="${OFFICE}" xmlns:p="${SLIDES}"`
const COLORS = [
  ['dk1', '000000'],
  ['lt1', 'FFFFFF'],
  ['dk2', '44546A'],
  ['lt2', 'E7E6E6'],
  ['accent1', '4472C4'],
  ['accent2', 'ED7D31'],
  ['accent3', 'A5A5A5'],
  ['accent4', 'FFC000'],
  ['accent5', '5B9BD5'],
  ['accent6', '70AD47'],
  ['hlink', '0563C1'],
  ['folHlink', '954F72'],
].map(([name, color]) => `<a:${name}><a:srgbClr val="${color}"/></a:${name}>`)
const FONT = '<a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/>'
const FILL = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
const thrice = (xml: string) => xml.repeat(3)
const THEME = `<a:theme xmlns:a="${DRAWING}" name="Office"><a:themeElements><a:clrScheme name="Office">${COLORS.join('')}</a:clrScheme><a:fontScheme name="Office"><a:majorFont>${FONT}</a:majorFont><a:minorFont>${FONT}</a:minorFont></a:fontScheme><a:fmtScheme name="Office"><a:fillStyleLst>${thrice(FILL)}</a:fillStyleLst><a:lnStyleLst>${thrice(`<a:ln w="6350">${FILL}</a:ln>`)}</a:lnStyleLst><a:effectStyleLst>${thrice('<a:effectStyle><a:effectLst/></a:effectStyle>')}</a:effectStyleLst><a:bgFillStyleLst>${thrice(FILL)}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`
const COLOR_MAP =
  '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'

/** A .pptx file with one empty slide, in base64. */
export const emptyPresentation = (): string =>
  archiveOf({
    '[Content_Types].xml': contentTypes({
      'ppt/presentation.xml': 'presentationml.presentation.main',
      'ppt/slideMasters/slideMaster1.xml': 'presentationml.slideMaster',
      'ppt/slideLayouts/slideLayout1.xml': 'presentationml.slideLayout',
      'ppt/slides/slide1.xml': 'presentationml.slide',
      'ppt/theme/theme1.xml': 'theme',
    }),
    '_rels/.rels': relationships([['officeDocument', 'ppt/presentation.xml']]),
    'ppt/presentation.xml': `<p:presentation ${NAMESPACES}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst><p:sldId id="256" r:id="rId2"/></p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationships([
      ['slideMaster', 'slideMasters/slideMaster1.xml'],
      ['slide', 'slides/slide1.xml'],
      ['theme', 'theme/theme1.xml'],
    ]),
    'ppt/slideMasters/slideMaster1.xml': `<p:sldMaster ${NAMESPACES}><p:cSld>${TREE}</p:cSld>${COLOR_MAP}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst></p:sldMaster>`,
    'ppt/slideMasters/_rels/slideMaster1.xml.rels': relationships([
      ['slideLayout', '../slideLayouts/slideLayout1.xml'],
      ['theme', '../theme/theme1.xml'],
    ]),
    'ppt/slideLayouts/slideLayout1.xml': `<p:sldLayout ${NAMESPACES} type="blank"><p:cSld name="Blank">${TREE}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>`,
    'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relationships([
      ['slideMaster', '../slideMasters/slideMaster1.xml'],
    ]),
    'ppt/slides/slide1.xml': `<p:sld ${NAMESPACES}><p:cSld>${TREE}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relationships([['slideLayout', '../slideLayouts/slideLayout1.xml']]),
    'ppt/theme/theme1.xml': THEME,
  })

/** Bytes of XML of one presentation that are unpacked: a small archive can hold much. */
const MOST_XML = 50_000_000
const READ =
  /^ppt\/(?:presentation\.xml|_rels\/presentation\.xml\.rels|(?:slides|notesSlides)\/[^/]+\.xml|slides\/_rels\/[^/]+)$/

/** The slides of a .pptx file in their order, with title, text and notes. Throws ToolFailure for another file. */
export function slidesOf(base64: string): readonly Json[] {
  const parts = unpacked(base64)
  const targets = targetsOf(parts['ppt/_rels/presentation.xml.rels'])
  const order = [...(parts['ppt/presentation.xml'] ?? '').matchAll(/<p:sldId\b[^>]*\br:id="([^"]+)"/g)]
  return order.map(([, id = ''], index) => {
    const name = targets.get(id)?.replace(/^\/?(?:ppt\/)?/, '') ?? ''
    const xml = parts[`ppt/${name}`] ?? ''
    const own = targetsOf(parts[`ppt/slides/_rels/${name.replace(/^slides\//, '')}.rels`])
    const notes = [...own.values()].find((target) => target.includes('notesSlides/'))
    const notesXml = notes === undefined ? '' : (parts[`ppt/${notes.replace(/^\.\.\//, '')}`] ?? '')
    const shapes = shapesOf(xml)
    return {
      number: index + 1,
      title: shapes.find(({ kind }) => kind === 'title' || kind === 'ctrTitle')?.text,
      is_hidden: /<p:sld\b[^>]*\bshow="0"/.test(xml) ? true : undefined,
      text: joined(shapes.map(({ text }) => text)),
      notes: joined(shapesOf(notesXml).flatMap(({ kind, text }) => (kind === 'body' ? [text] : []))),
    }
  })
}

function unpacked(base64: string): Readonly<Record<string, string>> {
  let left = MOST_XML
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    const files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => READ.test(name) && (left -= originalSize) > 0,
    })
    const parts = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, strFromU8(content)]))
    if (parts['ppt/presentation.xml'] !== undefined) return parts
  } catch {
    // It is told below: no archive, or a damaged one.
  }
  throw refusal('EXECUTION_ERROR', 'The file is not a readable presentation (.pptx).')
}

const targetsOf = (xml = ''): ReadonlyMap<string, string> =>
  new Map(
    [...xml.matchAll(/<Relationship\b[^>]*>/g)].map(([tag]) => [
      /\bId="([^"]*)"/.exec(tag)?.[1] ?? '',
      /\bTarget="([^"]*)"/.exec(tag)?.[1] ?? '',
    ]),
  )

/** The shapes with text: the kind of their placeholder and their paragraphs. */
const shapesOf = (xml: string): readonly { kind: string; text: string }[] =>
  [...xml.matchAll(/<(p:sp|p:graphicFrame)\b[\s\S]*?<\/\1>/g)]
    .map(([shape]) => ({
      kind: /<p:ph\b[^>]*\btype="(\w+)"/.exec(shape)?.[1] ?? '',
      text: [...shape.matchAll(/<a:p\b[^>]*>([\s\S]*?)<\/a:p>/g)]
        .map(([, paragraph = '']) => runsOf(paragraph))
        .filter((text) => text !== '')
        .join('\n'),
    }))
    .filter(({ text }) => text !== '')

const runsOf = (paragraph: string): string =>
  [...paragraph.matchAll(/<a:t\b[^>]*>([^<]*)<\/a:t>|<a:br\b/g)].map(([, text]) => unescaped(text ?? '\n')).join('')

const ESCAPES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const unescaped = (text: string): string =>
  text.replaceAll(/&(?:#(x?)([\da-fA-F]{1,6})|(\w+));/g, (whole, hex: string, digits: string, name: string) => {
    if (name !== undefined) return ESCAPES[name] ?? whole
    const code = Number.parseInt(digits, hex === 'x' ? 16 : 10)
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
  })

const joined = (texts: readonly string[]): string | undefined => (texts.length === 0 ? undefined : texts.join('\n'))
