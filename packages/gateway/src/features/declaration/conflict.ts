/** A declaration that cannot be carried out; one sentence for the person who wrote the file. */
export class DeclarationConflict extends Error {}
