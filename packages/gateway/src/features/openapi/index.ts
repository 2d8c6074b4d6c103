/** Connections that are made of OpenAPI documents: a document is looked at before anything is kept, and compared with a newer one. */
export { openApiOperations as operations, unreadOpenApiOperations, type OpenApiParts } from './openapi.operations.ts'
