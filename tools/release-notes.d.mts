/** The part of a changelog that belongs to a version, without its heading; undefined where there is none. */
export function notesOf(changelog: string, version: string): string | undefined
