/** A file of vitest's JSON report. */
export interface ReportedFile {
  readonly name: string
  readonly status: string
  readonly assertionResults: readonly { readonly status: string }[]
}

export function provenBy(root: string, report: string): ReportedFile[]
