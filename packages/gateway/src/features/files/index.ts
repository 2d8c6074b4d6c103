/** Files: content that travels by reference instead of through a model, sealed, with an owner and an end (ADR 0083). */
export { attachmentOf } from './file-name.ts'
export type { FileTransfers, TransferOrigin, UploadPosition } from './file-transfers.ts'
export { fileOperations, type FileOperationParts } from './files.operations.ts'
export { filesWithoutContent, openBlobs, openFiles } from './open-files.ts'
export { createSweepFiles } from './sweep-files.job.ts'
