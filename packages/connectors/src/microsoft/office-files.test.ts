/** Files of Office: what is made can be read again, and what somebody else made is read in its order. */
import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { plainOf } from './graph.ts'
import { emptyPresentation, emptyWorkbook, slidesOf } from './office-files.ts'

const archive = (parts: Readonly<Record<string, string>>): string =>
  Buffer.from(zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)])))).toString(
    'base64',
  )
const shape = (type: string, ...paragraphs: readonly string[]) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${paragraphs
    .map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`
const relation = (id: string, target: string) => `<Relationship Id="${id}" Type="x" Target="${target}"/>`

test('slides come in the order of the presentation, with title, text and notes', () => {
  const deck = archive({
    'ppt/presentation.xml': '<p:sldIdLst><p:sldId id="257" r:id="rId9"/><p:sldId id="256" r:id="rId2"/></p:sldIdLst>',
    'ppt/_rels/presentation.xml.rels':
      relation('rId2', 'slides/slide1.xml') + relation('rId9', '/ppt/slides/slide2.xml'),
    'ppt/slides/slide1.xml': `<p:sld show="0">${shape('title', 'Costs &amp; more')}${shape('body', 'One &#x2192; two', 'Three')}</p:sld>`,
    'ppt/slides/slide2.xml': `<p:sld>${shape('ctrTitle', 'Welcome')}</p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relation('rId1', '../notesSlides/notesSlide1.xml'),
    'ppt/notesSlides/notesSlide1.xml': shape('body', 'Say hello') + shape('sldNum', '2'),
  })
  expect(slidesOf(deck)).toEqual([
    { number: 1, title: 'Welcome', is_hidden: undefined, text: 'Welcome', notes: undefined },
    { number: 2, title: 'Costs & more', is_hidden: true, text: 'Costs & more\nOne → two\nThree', notes: 'Say hello' },
  ])
})

test('an empty presentation has one slide, and no other file is one', () => {
  expect(slidesOf(emptyPresentation())).toHaveLength(1)
  for (const file of [emptyWorkbook(), 'AAAA', '', emptyPresentation().slice(0, 2_000)])
    expect(() => slidesOf(file)).toThrow('not a readable presentation')
})

test('the text of HTML', () => {
  expect(plainOf('<style>p{}</style><p>A&nbsp;&amp; B</p><div>C<br>D &#233;</div><script>x</script>')).toBe(
    'A & B\nC\nD é',
  )
})
