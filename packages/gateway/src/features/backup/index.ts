/** Backups: one file with all that an installation stores, made beside running gateways, verified and restored. */
export { removeLeftovers } from './leftovers.ts'
export { BackupExists, type BackupParts, KeyNotThere, makeBackup, RowSum } from './make-backup.ts'
export { NAMES, type Closing, type Manifest } from './manifest.ts'
export { BackupUnusable, type VerifiedBackup, verifyBackup } from './read-backup.ts'
export { restoreBackup } from './restore-backup.ts'
