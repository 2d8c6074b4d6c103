/** Files: content that travels by reference instead of through a model, sealed, with an owner and an end (ADR 0083). */
export { attachmentOf } from './file-name.ts'
export type { FileTransfers, TransferOrigin, UploadPosition } from './file-transfers.ts'
export { fileOperations as operations } from './files.operations.ts'
export { openBlobs } from './open-files.ts'
export { localFiles, startFiles } from './files.start.ts'
