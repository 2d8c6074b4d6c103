/** Checks trees by the rules of the floors, one after another in one process: loading the checker takes longer than each of them. */
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'

const options = await extractDepcruiseOptions(process.argv[2])

for await (const folder of createInterface({ input: process.stdin })) {
  process.chdir(folder)
  const tsConfig = extractTSConfig(join(folder, 'tsconfig.json'))
  const { output, exitCode } = await cruise(
    ['packages'],
    { ...options, baseDir: folder, outputType: 'err' },
    undefined,
    { tsConfig },
  )
  process.stdout.write(`${JSON.stringify({ code: exitCode, printed: output })}\n`)
}
