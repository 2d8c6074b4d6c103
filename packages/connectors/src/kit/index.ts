/** The kit that vendors are written with. */
export * from './base64.ts'
export { codingMetrics, sumOf } from './coding-metrics.ts'
export { byCode, refusal, type FailureReader } from './failure.ts'
export {
  base64LinesOf,
  base64TextOf,
  bytesOf,
  file,
  FILE_CONTENT,
  givenFile,
  givenFiles,
  rangeOf,
  readable,
  type FileInput,
  type GivenFile,
} from './files.ts'
export { graphql } from './graphql.ts'
export * from './inputs.ts'
export { unsupported } from './make.ts'
export { lastItem, link, nextAddress, odata, offset, page, token } from './paging.ts'
export { rest, signed, type RestFacts } from './rest.ts'
export { bool, free, get, grid, has, isJson, many, num, one, prose, shape, str, strs } from './shape.ts'
export type { Content, Inputs, Json, Piece, Place, Run, VendorAnswer } from './tool.ts'
export { vendor } from './vendor.ts'
