/** Tools for vendors, as data: nothing here knows an organization, a token or a database. */
export { CONNECTORS, type Connector } from './connectors.ts'
export { ToolFailure, type Failure } from './kit/failure.ts'
export { FILE_MARK } from './kit/files.ts'
export { MOST_AT_ONCE } from './kit/tool.ts'
export type {
  ApiRequest,
  Content,
  FileRequest,
  FileSource,
  Json,
  ManyRequest,
  Piece,
  Run,
  SignedRequest,
  Tool,
  VendorAnswer,
  VendorRequest,
} from './kit/tool.ts'
export { definitionOf, scopesOf, type KeyAuth, type Vendor } from './kit/vendor.ts'
export {
  acceptsInput,
  callOf,
  problemOfTemplates,
  templatesOf,
  TOOL_OF_TEMPLATE,
  type ToolCall,
} from './kit/resources.ts'
export { quotaOf } from './kit/waits.ts'
