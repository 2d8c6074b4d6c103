/**
 * All tools of the toolkit, in the order of their listing. A tool's description is made at the start; code that is heavy (crawling, PDFs, S3)
 * is imported by the tool's `run` when it is first called, so that the start stays short.
 */
import { readCrawlSettings } from '../crawl/settings.ts'
import { createCrawlParallel } from './crawl-parallel.ts'
import { appendToFile, listDirectory, readResearchFiles, writeLocalFile } from './files.ts'
import { saveCorpus } from './save-corpus.ts'
import type { Tool } from './tool.ts'

/** What tools are made from, beside the workspace that each call brings. */
export interface ToolParts {
  /** The variables of the process. Each part reads those of its own names, and no other part of the toolkit reads any. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

export function createTools({ environment }: ToolParts): readonly Tool[] {
  return [
    saveCorpus,
    writeLocalFile,
    appendToFile,
    listDirectory,
    readResearchFiles,
    createCrawlParallel(readCrawlSettings(environment)),
  ]
}
