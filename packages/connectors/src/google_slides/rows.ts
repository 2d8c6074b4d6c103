/** The cases of Google Slides: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const presentation = { presentation_id: 'p' }
const getPresentation = 'GET /presentations/p'
const update = 'POST /presentations/p:batchUpdate'
const files = (order: string, more: string, size: number) =>
  `GET /files?q=mimeType %3D 'application%2Fvnd.google-apps.presentation' and trashed %3D false${more}&orderBy=${order}&fields=nextPageToken%2Cfiles(id%2Cname%2CcreatedTime%2CmodifiedTime%2Cowners(emailAddress)%2Cshared%2CwebViewLink)&supportsAllDrives=true&includeItemsFromAllDrives=true&pageSize=${size}`
const shape = (text: string) => ({ text: { textElements: [{ textRun: { content: text } }] } })
const full = {
  presentationId: 'p',
  slides: [
    {
      objectId: 's0',
      pageElements: [{ objectId: 'e0', description: 'title', shape: shape('Hello') }],
      slideProperties: {
        notesPage: {
          notesProperties: { speakerNotesObjectId: 'n0' },
          pageElements: [{ objectId: 'n0', shape: shape('Say hello') }],
        },
      },
    },
  ],
}
const blank = {
  slides: [{ objectId: 's0', slideProperties: { notesPage: { notesProperties: { speakerNotesObjectId: 'n' } } } }],
}

export const rows: VendorRows = {
  described: ['google-slides.json', 'google-drive.json'],
  // A standard parameter of all of Google's APIs.
  queries: ['fields'],
  failures: [
    {
      status: 400,
      body: {
        error: {
          code: 400,
          message: 'Invalid requests[0].deleteText: The startIndex 0 must be less than the endIndex 0.',
        },
      },
      word: 'INVALID_ARGUMENT',
    },
    {
      status: 404,
      body: { error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' } },
      word: 'NOT_FOUND',
    },
  ],
  tools: {
    list_presentations: [
      [{}, files('modifiedTime desc', '', 20)],
      [
        { order_by: 'name', owner_email: 'ada@example.com', page_size: 5 },
        files('name', " and 'ada%40example.com' in owners", 5),
      ],
    ],
    get_presentation: [[presentation, getPresentation]],
    get_slide: [[{ ...presentation, slide_index: 0 }, getPresentation]],
    create_presentation: [[{ title: 't' }, ['POST /presentations', { title: 't' }]]],
    add_slide: [
      [
        presentation,
        [update, { requests: [{ createSlide: { slideLayoutReference: { predefinedLayout: 'BLANK' } } }] }],
      ],
      [
        { ...presentation, insertion_index: 2, layout: 'TITLE' },
        [
          update,
          { requests: [{ createSlide: { insertionIndex: 2, slideLayoutReference: { predefinedLayout: 'TITLE' } } }] },
        ],
      ],
    ],
    delete_slide: [
      [{ ...presentation, slide_object_id: 's' }, [update, { requests: [{ deleteObject: { objectId: 's' } }] }]],
    ],
    add_text: [
      [
        { ...presentation, object_id: 'o', text: 'x' },
        [update, { requests: [{ insertText: { objectId: 'o', text: 'x', insertionIndex: 0 } }] }],
      ],
      [
        { ...presentation, object_id: 'o', text: 'x', insertion_index: 3 },
        [update, { requests: [{ insertText: { objectId: 'o', text: 'x', insertionIndex: 3 } }] }],
      ],
    ],
    replace_text: [
      [
        { ...presentation, find_text: 'a', replace_text: 'b' },
        [
          update,
          { requests: [{ replaceAllText: { containsText: { text: 'a', matchCase: true }, replaceText: 'b' } }] },
        ],
      ],
      [
        { ...presentation, find_text: 'a', replace_text: 'b', match_case: false },
        [
          update,
          { requests: [{ replaceAllText: { containsText: { text: 'a', matchCase: false }, replaceText: 'b' } }] },
        ],
      ],
    ],
    get_speaker_notes: [[{ ...presentation, slide_index: 0 }, getPresentation]],
    update_speaker_notes: [
      [
        { ...presentation, notes_object_id: 'n', text: 'x' },
        getPresentation,
        [update, { requests: [{ insertText: { objectId: 'n', text: 'x', insertionIndex: 0 } }] }],
      ],
      [{ ...presentation, slide_object_id: 's', notes_object_id: 'n', text: '' }, getPresentation],
    ],
    duplicate_slide: [
      [{ ...presentation, slide_object_id: 's' }, [update, { requests: [{ duplicateObject: { objectId: 's' } }] }]],
    ],
  },
  answers: {
    get_slide: [[full]],
    get_speaker_notes: [[full], [blank]],
    update_speaker_notes: [[blank, { presentationId: 'p' }]],
  },
}
