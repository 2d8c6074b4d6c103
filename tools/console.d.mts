/** For who imports it from TypeScript. */
export function ensureConsole(root: string, node: string): Promise<{ sentence: string; code: number } | undefined>
