// Entry of the plugin's thread: reads captures, compares them.
import type { ThreadHost } from '@playhead/sdk'
import { CAPTURE_FILES, openCapture } from '../file/read.ts'
import { createDiffs } from './diff.ts'

function work(host: ThreadHost) {
  const files = host.use(CAPTURE_FILES)
  return {
    ...createDiffs(files),
    /** What a list shows of a file. */
    summary: async (path: string) => (await openCapture(files, path)).entry,
    /** Rows as JSON of `{key, item}`. */
    async page(path: string, offset: number, limit: number) {
      const { entry, more, page } = await openCapture(files, path)
      return { entry, more, lines: limit === 0 ? [] : await page(offset, limit) }
    },
    /** All rows; throws `PLH_INVALID` (`invalid_capture`) at the end if the digest differs: nothing may be done before. */
    async *lines(path: string) {
      yield* (await openCapture(files, path)).lines()
    },
  }
}
export default work
export type Work = ReturnType<typeof work>
