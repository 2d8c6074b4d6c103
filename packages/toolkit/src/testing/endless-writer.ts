/** A process for tests that kill it: it writes one file again and again, whole and in parts, and says when it has begun. */
import { Workspace } from '../files/workspace.ts'

const [root = ''] = process.argv.slice(2)
const workspace = await Workspace.open([root])
const contents = ['a', 'b'].map((letter) => Buffer.alloc(1_500_000, letter))
for (let round = 0; ; round++) {
  for (const content of contents) {
    await workspace.write('report.md', content)
    if (round === 0) process.stdout.write('.')
    await using writer = await workspace.createFile('in/parts.bin')
    for (let at = 0; at < content.length; at += 100_000) await writer.append(content.subarray(at, at + 100_000))
    await writer.commit()
  }
}
