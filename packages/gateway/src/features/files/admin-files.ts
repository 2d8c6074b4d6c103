/** The parts of the file store that the operations on files need. */
import type { FileParts } from './file-parts.ts'

export interface AdminFiles extends Pick<FileParts, 'sealKey' | 'limits'> {
  /** Content is to be removed soon. */
  wake(): void
}
