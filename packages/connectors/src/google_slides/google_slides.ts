/** Google Slides: presentations of Drive, their slides, texts and notes. Slides API of version 1, Drive API of version 3. */
import { z } from 'zod'
import { fileTools, googleFailures, scopeOf } from '../google/google.ts'
import {
  bool,
  choice,
  get,
  isJson,
  many,
  num,
  prose,
  refusal,
  rest,
  shape,
  str,
  strs,
  text,
  vendor,
  whole,
  type Json,
} from '../kit/index.ts'

const { read, write, destroy, ask } = rest({ base: 'https://slides.googleapis.com/v1', failures: googleFailures })
const files = fileTools('application/vnd.google-apps.presentation', 'presentations')

const presentation = { presentation_id: text('From its address, e.g. 1EAYk18WDjIG-zp_0vLm3CsfQh_i8eXc67Jo2O9C6Vuc') }
const slide_index = z.int().min(0).describe('From 0')
const slide = { ...presentation, slide_object_id: text('From google_slides_get_presentation, e.g. p3') }
const getPresentation = 'GET /presentations/{presentation_id}'
const update = 'POST /presentations/{presentation_id}:batchUpdate'
const LAYOUTS = [
  'BLANK',
  'TITLE',
  'TITLE_AND_BODY',
  'TITLE_ONLY',
  'CAPTION_ONLY',
  'TITLE_AND_TWO_COLUMNS',
  'SECTION_HEADER',
  'SECTION_TITLE_AND_DESCRIPTION',
  'ONE_COLUMN_TEXT',
  'MAIN_POINT',
  'BIG_NUMBER',
] as const

const Presentation = shape({
  id: str('presentationId'),
  title: str(),
  revision: str('revisionId'),
  locale: str(),
  slides: strs('slides[].objectId'),
})
const Element = shape({ id: str('objectId'), type: str(), text: prose('text', 4_000), description: str() })
const Slide = shape({ id: str('objectId'), index: num(), elements: many(Element, 'elements', 100) })
const Notes = shape({ slide: str(), notes_object_id: str(), text: prose('text', 20_000), empty: bool() })
const Created = shape({ id: str('presentationId'), title: str(), slides: strs('slides[].objectId') })
const Changed = shape({ id: str('presentationId') })
const Added = shape({ id: str('presentationId'), slide_ids: strs('replies[].createSlide.objectId') })
const Copied = shape({ id: str('presentationId'), slide_ids: strs('replies[].duplicateObject.objectId') })
const Replaced = shape({ id: str('presentationId'), occurrences: strs('replies[].replaceAllText.occurrencesChanged') })

export const google_slides = vendor({
  id: 'google_slides',
  auth: { provider: 'google_slides' },
  scopes: {
    read: [scopeOf('presentations.readonly')],
    write: [scopeOf('presentations')],
    destructive: [scopeOf('presentations')],
  },
  whoami: 'list_presentations',
  resources: {
    'google-slides://presentation/{presentation_id}': 'get_presentation',
  },
  tools: {
    list_presentations: files.list,
    get_presentation: read(getPresentation, {
      says: 'Get the title of a presentation and the identifiers of its slides, in order.',
      input: presentation,
      output: Presentation,
    }),
    get_slide: read(getPresentation, {
      says: 'Get the elements of one slide with their text.',
      input: { ...presentation, slide_index },
      send: ({ presentation_id }) => ({ presentation_id }),
      output: Slide,
      give: (found, { slide_index: index }) => {
        const page = slideOf(found, index)
        return { ...page, index, elements: listOf(get(page, 'pageElements')).map(elementOf) }
      },
    }),
    create_presentation: write('POST /presentations', {
      says: 'Create a presentation with one slide.',
      input: { title: text('e.g. Roadmap') },
      output: Created,
    }),
    add_slide: write(update, {
      says: 'Add a slide with a layout, by default at the end.',
      input: { ...presentation, insertion_index: whole('From 0').optional(), layout: choice(LAYOUTS).default('BLANK') },
      send: ({ presentation_id, insertion_index, layout }) => ({
        presentation_id,
        requests: [
          {
            createSlide: {
              ...(insertion_index === undefined ? {} : { insertionIndex: insertion_index }),
              slideLayoutReference: { predefinedLayout: layout },
            },
          },
        ],
      }),
      output: Added,
    }),
    delete_slide: destroy(update, {
      says: 'Delete a slide.',
      input: slide,
      send: ({ presentation_id, slide_object_id: objectId }) => ({
        presentation_id,
        requests: [{ deleteObject: { objectId } }],
      }),
      output: Changed,
    }),
    add_text: write(update, {
      says: 'Insert text into a shape of a slide.',
      input: {
        ...presentation,
        object_id: text('From google_slides_get_slide, e.g. i0'),
        text: text('Plain text'),
        insertion_index: z.int().min(0).default(0),
      },
      send: ({ presentation_id, object_id, text: added, insertion_index }) => ({
        presentation_id,
        requests: [{ insertText: { objectId: object_id, text: added, insertionIndex: insertion_index } }],
      }),
      output: Changed,
    }),
    replace_text: write(update, {
      says: 'Replace text on all slides.',
      input: {
        ...presentation,
        find_text: text('e.g. 2025'),
        replace_text: text('e.g. 2026'),
        match_case: z.boolean().default(true),
      },
      send: ({ presentation_id, find_text, replace_text, match_case }) => ({
        presentation_id,
        requests: [
          {
            replaceAllText: { containsText: { text: find_text, matchCase: match_case }, replaceText: replace_text },
          },
        ],
      }),
      output: Replaced,
    }),
    get_speaker_notes: read(getPresentation, {
      says: 'Get the speaker notes of one slide and the identifier for changing them.',
      input: { ...presentation, slide_index },
      send: ({ presentation_id }) => ({ presentation_id }),
      output: Notes,
      give: (found, { slide_index: index }) => notesOf(slideOf(found, index)),
    }),
    update_speaker_notes: write.steps({
      says: 'Replace the speaker notes of a slide.',
      input: {
        ...presentation,
        slide_object_id: text('e.g. p3').optional(),
        notes_object_id: text('From google_slides_get_speaker_notes, e.g. i3'),
        text: text('Plain text; empty removes the notes').max(50_000),
      },
      output: Changed,
      *run({ presentation_id, notes_object_id: objectId, text: notes }) {
        const { body } = yield* ask(getPresentation, { presentation_id })
        const pages = listOf(get(body, 'slides')).map(notesOf)
        // Deleting from empty notes is an error.
        const full = pages.some((page) => page['notes_object_id'] === objectId && page['empty'] !== true)
        const requests = [
          ...(full ? [{ deleteText: { objectId, textRange: { type: 'ALL' } } }] : []),
          ...(notes === '' ? [] : [{ insertText: { objectId, text: notes, insertionIndex: 0 } }]),
        ]
        if (requests.length === 0) return { presentationId: presentation_id }
        const changed = yield* ask(update, { presentation_id, requests })
        return isJson(changed.body) ? changed.body : {}
      },
    }),
    duplicate_slide: write(update, {
      says: 'Copy a slide; the copy follows the original.',
      input: slide,
      send: ({ presentation_id, slide_object_id: objectId }) => ({
        presentation_id,
        requests: [{ duplicateObject: { objectId } }],
      }),
      output: Copied,
    }),
  },
})

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Throws ToolFailure where a presentation has slides, and none of that number. */
function slideOf(presentation: Json, index: number): Json {
  const slides = listOf(presentation['slides'])
  const found = slides[index]
  if (found === undefined && slides.length > 0)
    throw refusal('NOT_FOUND', `The presentation has ${slides.length} slides, counted from 0.`)
  return isJson(found) ? found : {}
}

const textOf = (shapeOf: unknown): string =>
  listOf(get(shapeOf, 'text.textElements[].textRun.content')).map(String).join('')

const KINDS = ['shape', 'image', 'table', 'video', 'line', 'sheetsChart', 'wordArt', 'elementGroup'] as const

function elementOf(element: unknown): Json {
  const type = KINDS.find((kind) => get(element, kind) !== undefined)
  const cells = listOf(get(element, 'table.tableRows[].tableCells')).flat()
  const words = type === 'table' ? cells.map(textOf).join(' ') : textOf(get(element, 'shape'))
  return { ...(isJson(element) ? element : {}), type, text: words === '' ? undefined : words }
}

function notesOf(page: unknown): Json {
  const id = get(page, 'slideProperties.notesPage.notesProperties.speakerNotesObjectId')
  const elements = listOf(get(page, 'slideProperties.notesPage.pageElements'))
  const found = elements.find((element) => get(element, 'objectId') === id)
  const notes = textOf(get(found, 'shape'))
  return { slide: get(page, 'objectId'), notes_object_id: id, ...(notes === '' ? { empty: true } : { text: notes }) }
}
