// Exports and imports of the tracker, on a thread. An import is untrusted input: names, numbers and sizes are validated first, one
// file at a time; then its items are returned in pages.
import { createReadStream } from 'node:fs'
import { isArchive, type ThreadHost, TRACKER_STORE } from '@playhead/sdk'
import { openSingle, openZip, type Source } from './archive.ts'
import { type ExportOrder, exportTracker } from './export.ts'
import type { ImportPage, ImportPlan } from './format.ts'
import { type Row, rowsOf, versionsOf } from './rows.ts'

const PAGE = 250

interface ImportOrder {
  /** Absolute path of the upload. */
  readonly file: string
  /** The feature of a single JSON file. */
  readonly name: string
  /** The profile to read from an export of all profiles. */
  readonly profile: string
}

function work(host: ThreadHost) {
  let sources: readonly Source[] = []
  let release: (() => void) | undefined
  return {
    /** Validates the whole import. */
    async open({ file, name, profile }: ImportOrder): Promise<ImportPlan> {
      const isZip = isArchive(await beginningOf(file))
      const { states, skipped } = isZip
        ? await openZip(file, profile)
        : { states: [openSingle(file, name)], skipped: [] }
      const files: ImportPlan['files'][number][] = []
      for (const source of states)
        files.push({
          ...{ name: source.name, feature: source.feature, rows: (await rowsOf(source)).length },
          snapshots: (await versionsOf(source))?.snapshots ?? [],
        })
      // Snapshots are not imported, but a broken file makes the export invalid.
      for (const source of skipped) await rowsOf(source)
      sources = states
      release ??= host.stay()
      return { mode: isZip ? 'zip' : 'json', files, skipped: skipped.map((source) => source.name) }
    },
    async *pages(): AsyncGenerator<ImportPage> {
      for (const source of sources) {
        const { feature } = source
        const { gone = [], beginnings } = (await versionsOf(source)) ?? {}
        for (const page of pagesOf(gone)) yield { feature, rows: page }
        const rows = await rowsOf(source)
        for (const page of pagesOf(rows))
          yield {
            feature,
            rows: beginnings === undefined ? page : page.map((row) => ({ ...row, from: beginnings.get(row.key) ?? 0 })),
          }
      }
    },
    export: (order: ExportOrder) => exportTracker(host.use(TRACKER_STORE), order),
    async close(): Promise<void> {
      sources = []
      release?.()
      release = undefined
    },
  }
}
export default work
export type TrackerWork = ReturnType<typeof work>

async function beginningOf(file: string): Promise<Uint8Array> {
  for await (const chunk of createReadStream(file, { end: 3 })) return chunk as Uint8Array
  return new Uint8Array()
}

function* pagesOf(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += PAGE) yield rows.slice(from, from + PAGE)
}
