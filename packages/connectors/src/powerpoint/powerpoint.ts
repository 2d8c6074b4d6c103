/** PowerPoint: presentations of OneDrive. Graph has no operation for slides: they are read from the file. Version 1.0. */
import {
  bool,
  get,
  many,
  maybe,
  num,
  prose,
  refusal,
  rest,
  shape,
  signed,
  str,
  text,
  vendor,
  type Json,
  type Run,
  type VendorAnswer,
} from '../kit/index.ts'
import { File, FILES_READ, FILES_WRITE, fileTools } from '../microsoft/drive.ts'
import { graphFacts } from '../microsoft/graph.ts'
import { emptyPresentation, slidesOf } from '../microsoft/office-files.ts'

const { read, write, destroy, ask, download } = rest(graphFacts)
const upload = rest({
  ...graphFacts,
  body: 'bytes',
  media: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
})

const item = { item_id: text('From powerpoint_list_presentations, e.g. 01BYE5RZ6QN3ZWBTUFOF') }
const files = fileTools('.pptx', 'presentations', item)

/** Characters of base64: 10 MB of bytes. */
const MOST_BASE64 = 13_981_016

const Slide = shape({ number: num(), title: prose('title', 300), is_hidden: bool() })
const Slides = shape({ slides: many(Slide, 'slides', 500) })
const Content = shape({
  slides: many(shape({ ...Slide.fields, text: prose('text', 5_000), notes: prose('notes', 2_000) }), 'slides', 200),
})
const Pdf = shape({ type: str(), data: str(), is_base64: bool() })
const Copied = shape({ status: str(), percent: num(), id: str() })

const CONTENT = 'GET /me/drive/items/{item_id}/content'

function* slidesIn(item_id: string): Run<Json> {
  const { bytes } = yield* download(CONTENT, { item_id })
  return { slides: bytes === undefined ? [] : slidesOf(bytes) }
}

/** What the vendor says of a copy that goes on by itself; an answer that is not there is no failure of the copy. */
function* progressOf(address: string, of: VendorAnswer): Run<Json> {
  try {
    const { body } = yield* signed({ address, of }, (problem) => refusal('UNAVAILABLE', problem))
    return { status: get(body, 'status'), percent: get(body, 'percentageComplete'), id: get(body, 'resourceId') }
  } catch {
    return {}
  }
}

export const powerpoint = vendor({
  id: 'powerpoint',
  auth: { provider: 'powerpoint' },
  scopes: { read: FILES_READ, write: FILES_WRITE, destructive: FILES_WRITE },
  whoami: 'list_presentations',
  resources: {
    'powerpoint://presentation/{item_id}': 'get_presentation',
  },
  tools: {
    list_presentations: files.list('search'),
    get_presentation: files.get('a presentation'),
    get_slide_content: read.steps({
      says: 'Read the title, text and notes of each slide, at most 200 slides.',
      input: item,
      output: Content,
      run: ({ item_id }) => slidesIn(item_id),
    }),
    create_presentation: upload.write('PUT /me/drive/root:/{+filename}:/content?@microsoft.graph.conflictBehavior', {
      says: 'Create a presentation with one empty slide. An existing file with that name is not replaced.',
      input: { filename: text('Name, or path from the root folder, e.g. Talks/Plan.pptx') },
      send: ({ filename }) => ({
        filename: /\.pptx$/i.test(filename) ? filename : `${filename}.pptx`,
        '@microsoft.graph.conflictBehavior': 'fail',
        content: emptyPresentation(),
      }),
      output: File,
    }),
    export_pdf: read.steps({
      says: 'Get a presentation as PDF, in base64, at most 10 MB.',
      input: item,
      output: Pdf,
      *run({ item_id }) {
        const { bytes } = yield* download(CONTENT, { item_id, format: 'pdf' })
        if (bytes !== undefined && bytes.length > MOST_BASE64)
          throw refusal('PAYLOAD_TOO_LARGE', 'The PDF is larger than 10 MB; export it in PowerPoint.')
        return bytes === undefined ? {} : { type: 'application/pdf', data: bytes, is_base64: true }
      },
    }),
    upload_presentation: upload.write('PUT /me/drive/items/{item_id}/content', {
      says: 'Replace the file of a presentation with another one, at most 10 MB; the older version stays in its version history.',
      input: { ...item, content: text('The .pptx file in base64').max(MOST_BASE64) },
      output: File,
    }),
    list_slides: read.steps({
      says: 'List the slides in a presentation with their titles, at most 500.',
      input: item,
      output: Slides,
      run: ({ item_id }) => slidesIn(item_id),
    }),
    copy_presentation: write.steps({
      says: 'Copy a presentation. Copying may continue after the tool returns.',
      input: {
        ...item,
        new_name: text('e.g. Plan 2027.pptx'),
        parent_folder_id: maybe('Another folder, by identifier'),
      },
      output: Copied,
      *run({ item_id, new_name, parent_folder_id }) {
        const answer = yield* ask('POST /me/drive/items/{item_id}/copy', {
          item_id,
          name: new_name,
          parentReference: parent_folder_id === undefined ? undefined : { id: parent_folder_id },
        })
        const address = answer.headers['location']
        return { status: 'accepted', ...(address === undefined ? {} : yield* progressOf(address, answer)) }
      },
    }),
    move_presentation: write('PATCH /me/drive/items/{item_id}', {
      says: 'Move a presentation to another folder.',
      input: { ...item, destination_folder_id: text('Folder, by identifier') },
      send: ({ item_id, destination_folder_id }) => ({ item_id, parentReference: { id: destination_folder_id } }),
      output: File,
    }),
    delete_presentation: destroy('DELETE /me/drive/items/{item_id}', {
      says: 'Move a presentation to the recycle bin.',
      input: item,
    }),
  },
})
