/** Tools for vendors, as data: nothing here knows an organization, a token or a database. */
export { CONNECTORS, type Connector } from './connectors.ts'
export { ToolFailure, type Failure } from './kit/failure.ts'
export type { ApiRequest, Json, Run, SignedRequest, Tool, VendorAnswer, VendorRequest } from './kit/tool.ts'
export { definitionOf, scopesOf, type KeyAuth, type Vendor } from './kit/vendor.ts'
export { callOf, templatesOf, TOOL_OF_TEMPLATE, type ToolCall } from './kit/resources.ts'
export { quotaOf } from './kit/waits.ts'
