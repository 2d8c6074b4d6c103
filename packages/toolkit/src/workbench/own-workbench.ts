/**
 * A workbench of one's own: any MCP server that runs code, by command or address. Its settings name the tool, the argument for the code,
 * further arguments and the language; `home` is the folder of the sandbox that `/home/user` stands for.
 */
import type { JsonObject } from '@toolway/protocol'
import { RemoteFailure } from './remote-failure.ts'
import type { McpClient } from './remote/mcp-client.ts'
import type { Language } from './scripts/script.ts'
import { createScriptWorkbench } from './script-workbench.ts'
import type { WorkbenchClient } from './workbench.ts'

export interface OwnWorkbenchParts {
  readonly client: McpClient
  readonly tool: string
  readonly argument: string
  readonly more: JsonObject
  readonly language: Language
  readonly home: string
}

/** Programs that run code keep little of its output: Node's `exec` keeps 1 MiB. */
const PARTS = { write: 1024 * 1024, read: 512 * 1024 }

export const createOwnWorkbenches = ({
  client,
  tool,
  argument,
  more,
  language,
  home,
}: OwnWorkbenchParts): WorkbenchClient => ({
  open: (_user, session) => {
    if (session !== undefined)
      return Promise.reject(new RemoteFailure('This workbench has no sessions: leave session_id out.'))
    const bench = createScriptWorkbench({
      session: undefined,
      parts: PARTS,
      language,
      home,
      async run(script, { signal }) {
        const result = await client.callTool(tool, { ...more, [argument]: script }, { signal })
        if (result['isError'] === true)
          throw new RemoteFailure(`${client.name} could not run the script: ${wordsIn(result)}`, {
            details: { data: result },
          })
        return result
      },
    })
    return Promise.resolve(bench)
  },
})

const MOST_WORDS = 500
function wordsIn({ content }: JsonObject): string {
  const texts = JSON.stringify(content ?? null)
  return texts.length > MOST_WORDS ? `${texts.slice(0, MOST_WORDS)}…` : texts
}
