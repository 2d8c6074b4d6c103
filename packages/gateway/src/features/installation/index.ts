/** Installation: a start makes sure of the first organization and key, of sealed secrets, and of the keys that seal them. */
export { type FirstRun, ensureLocalKey, firstRun, noteShown } from './first-run.ts'
export { sealPlain } from './seal-plain.ts'
export { KeyNotEverywhere, retireKey, rotateKeys } from './turn-keys.ts'
