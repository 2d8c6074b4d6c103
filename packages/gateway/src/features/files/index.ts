/** Files: content that travels by reference instead of through a model, sealed, with an owner and an end (ADR 0083). */
export { attachmentOf } from './file-name.ts'
export type { FileTransfers, TransferOrigin, UploadPosition } from './file-transfers.ts'
export { fileOperations as operations, type FileOperationParts } from './files.operations.ts'
export { openBlobs } from './open-files.ts'
export { localFiles, startFiles, type StartedFiles } from './files.start.ts'
