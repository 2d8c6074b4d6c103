/** Files of OneDrive through Microsoft Graph, as Excel and PowerPoint have them. */
import { isJson, maybe, num, odata, rest, shape, str, type Inputs, type Json } from '../kit/index.ts'
import { graphFacts } from './graph.ts'

export const FILES_READ = ['Files.Read']
export const FILES_WRITE = ['Files.ReadWrite']

export const File = shape({
  id: str(),
  name: str(),
  size: num(),
  created: str('createdDateTime'),
  modified: str('lastModifiedDateTime'),
  modified_by: str('lastModifiedBy.user.displayName'),
  folder: str('parentReference.path'),
  url: str('webUrl'),
})
const $select = 'id,name,size,createdDateTime,lastModifiedDateTime,lastModifiedBy,parentReference,webUrl,file'

const { read } = rest({
  ...graphFacts,
  paging: odata({ name: 'top', as: '$top', default: 25, max: 100 }),
})

/** Graph looks for words; the ending of the name says which of the files found are of the type. */
const ofType =
  (ending: string) =>
  ({ name, file }: Json): boolean =>
    (file === undefined || isJson(file)) && (typeof name !== 'string' || name.toLowerCase().endsWith(ending))

/** A quote is doubled within a text of OData. */
const words = (query: string): string => query.replaceAll("'", "''")

export const fileTools = (ending: string, many: string, item: { readonly item_id: Inputs[string] }) => ({
  /** `withoutWords`: the route where nobody looks for words. */
  list: (withoutWords: 'children' | 'search') =>
    read("GET /me/drive/root/search(q='{q}')", {
      says:
        withoutWords === 'children'
          ? `List the ${many} of the drive that match some words, or those in its root folder.`
          : `List the ${many} of the drive, optionally only those that match some words.`,
      input: { search_query: maybe('e.g. budget 2026') },
      route: ({ search_query }) =>
        search_query === undefined && withoutWords === 'children' ? 'GET /me/drive/root/children' : undefined,
      send: ({ search_query }) => ({
        ...(search_query === undefined && withoutWords === 'children' ? {} : { q: words(search_query ?? ending) }),
        $select,
      }),
      at: 'value',
      list: File,
      keep: ofType(ending),
    }),
  get: (value: string) =>
    read('GET /me/drive/items/{item_id}', {
      says: `Get the name, size, folder and address of ${value}.`,
      input: item,
      send: ({ item_id }) => ({ item_id, $select }),
      output: File,
    }),
})
