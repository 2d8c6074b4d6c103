/**
 * The output schema of a tool, and the results of its calls (ledger S1-CAL-09). A result that does not fit says so in `_meta` and in
 * its record, and loses nothing: the data is the caller's, whatever its form.
 *
 * Checked where arguments are checked too. An output schema that cannot be used checks nothing; the call has been made by then.
 */
import { eraOf, isObject, STRUCTURED_SINCE, type Json, type JsonObject, type Revision } from '@toolway/protocol'
import type { ToolTarget } from '../../catalog/tool-listing.ts'
import { schemaRead } from '../../lib/json-schema/schemas-read.ts'
import type { Problem } from '../../lib/json-schema/validation.ts'
import { UnusableSchema } from '../../lib/json-schema/usable.ts'
import type { AuditEntryBuilder } from '../audit-entry.ts'
import type { Step } from './step.ts'

export const outputSchema: Step = {
  name: 'outputSchema',
  applies: ({ checkedBy }) => checkedBy?.definition['outputSchema'] !== undefined,
  after: ({ target, audit, mcpRequest }, result) => checkOutput(target, result, audit, mcpRequest.caller.revision),
}

function checkOutput(
  { checkedBy, wraps }: Pick<ToolTarget, 'checkedBy' | 'wraps'>,
  result: JsonObject,
  audit: Pick<AuditEntryBuilder, 'note'>,
  revision: Revision,
): JsonObject {
  // For older revisions the structured result is already text here.
  if (revision < STRUCTURED_SINCE) return result
  const schema = checkedBy?.definition['outputSchema']
  if (schema === undefined || result['isError'] === true || !isObject(schema)) return result
  // A task, or a question, is no answer yet.
  if (!Array.isArray(result['content'])) return result
  const structuredContent = result['structuredContent']
  // As `adaptResult` wraps it.
  const isWrapped =
    wraps &&
    eraOf(revision) === 'legacy' &&
    isObject(structuredContent) &&
    Object.keys(structuredContent).join() === 'result'
  const problems = problemsOf(schema, isWrapped ? structuredContent['result'] : structuredContent)
  if (problems.length === 0) return result
  audit.note({ mismatch: problems.length })
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const errors = problems.map(({ path, message }) => ({ path, message }))
  return { ...result, _meta: { ...meta, 'dev.toolway/output': { fits: false, errors } } }
}

function problemsOf(schema: JsonObject, value: Json | undefined): readonly Problem[] {
  if (value === undefined) return [{ path: '', message: 'is missing: the tool declares structured content' }]
  try {
    return schemaRead(schema).check(value).problems
  } catch (thrown) {
    if (!(thrown instanceof UnusableSchema)) throw thrown
    return [{ path: '', message: `cannot be checked: the output schema ${thrown.message}` }]
  }
}
