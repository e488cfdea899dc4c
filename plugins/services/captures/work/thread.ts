// Entry of the plugin's thread: reads captures, compares them.
import type { ThreadHost } from '@playhead/sdk'
import { foldText } from '@playhead/sdk/items'
import { CAPTURE_FILES, openCapture } from '../file/read.ts'
import type { Row } from './changes.ts'
import { wordsOf } from './compare.ts'
import { createDiffs } from './diff.ts'

function work(host: ThreadHost) {
  const files = host.use(CAPTURE_FILES)
  return {
    ...createDiffs(files),
    /** The list entry of a file. */
    summary: async (path: string) => (await openCapture(files, path)).entry,
    /** Rows as JSON of `{key, item}`. */
    async page(path: string, { offset, limit, q }: { offset: number; limit: number; q: string }) {
      const { entry, more, page, lines } = await openCapture(files, path)
      const words = foldText(q).trim()
      if (words !== '') return { entry, more, ...(await searched(lines(), words, offset, limit)) }
      const total = entry.kind === 'bundle' ? 0 : entry.count
      return { entry, more, lines: limit === 0 ? [] : await page(offset, limit), total }
    },
    /** All rows. Throws `PLH_INVALID` (`invalid_capture`) at the end if the digest differs, so callers must not act on rows before. */
    async *lines(path: string) {
      yield* (await openCapture(files, path)).lines()
    },
  }
}

async function searched(all: AsyncIterable<readonly string[]>, words: string, offset: number, limit: number) {
  const lines: string[] = []
  let total = 0
  for await (const some of all)
    for (const line of some) {
      const { key, item } = JSON.parse(line) as { key: string; item: Row }
      if (!wordsOf(key, item).includes(words)) continue
      if (total >= offset && lines.length < limit) lines.push(line)
      total += 1
    }
  return { lines, total }
}
export default work
export type Work = ReturnType<typeof work>
