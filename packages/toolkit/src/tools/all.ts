/**
 * All tools of the toolkit, in the order of their listing. A tool's description is made at the start; code that is heavy (crawling, PDFs, S3)
 * is imported by the tool's `run` when it is first called, so that the start stays short.
 */
import { readCrawlSettings } from '../crawl/settings.ts'
import { LIMITS } from '../limits.ts'
import { createBatchToolExecute } from './batch-tool-execute.ts'
import { createCrawlParallel } from './crawl-parallel.ts'
import { createTextTools, listDirectory, readResearchFiles } from './files.ts'
import { compressFiles, extractFiles } from './compress-files.ts'
import { createGatewayFileTools } from './gateway-files.ts'
import { saveCorpus } from './save-corpus.ts'
import type { Tool } from './tool.ts'
import { createUploadToComposio } from './upload-to-composio.ts'
import { createWorkbenchTools, type Connect } from './workbench.ts'

/** Inputs from which tools are made, beside the workspace that each call brings. */
export interface ToolParts {
  /** The variables of the process. Each part reads those of its own names, and no other part of the toolkit reads any. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Characters of one text that is written or added. */
  readonly text?: number
}

export function createTools({ environment, text = LIMITS.text }: ToolParts): readonly Tool[] {
  const tools = [
    saveCorpus,
    ...createTextTools(text),
    listDirectory,
    readResearchFiles,
    compressFiles,
    extractFiles,
    createCrawlParallel(readCrawlSettings(environment)),
    ...remoteTools(environment),
  ]
  return [...tools, createBatchToolExecute({ tools })]
}

/** Tools that carry files elsewhere. */
function remoteTools(environment: ToolParts['environment']): readonly Tool[] {
  let connected: ReturnType<Connect> | undefined
  // A setting that does not fit is told by each call that needs it.
  const connect: Connect = () =>
    (connected ??= import('../workbench/connect.ts').then((item) => item.connect(environment)))
  const hasGateway = [environment['TOOLWAY_URL'], environment['TOOLWAY_KEY']].every(
    (value) => value !== undefined && value !== '',
  )
  return [
    ...createWorkbenchTools(connect),
    createUploadToComposio(connect),
    ...(hasGateway ? createGatewayFileTools(connect) : []),
  ]
}
