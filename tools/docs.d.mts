/** For who imports it from TypeScript. */
export function ensureDocs(root: string, node: string): Promise<{ sentence: string; code: number } | undefined>
