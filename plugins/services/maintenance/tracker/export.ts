// Writes an export of the tracker, on the plugin's thread: rows are read in pages while the client takes them.
import { type ArchiveEntry, type Remote, type TrackerStore, writeArchive } from '@playhead/sdk'
import { FEATURES, folderOf, KIND } from './format.ts'

export interface ExportOrder {
  /** One profile, or all. */
  readonly instances: readonly string[]
  readonly isAll: boolean
  readonly version: string
  readonly nowMs: number
}

export function exportTracker(
  tracker: Remote<TrackerStore>,
  { instances, isAll, version, nowMs }: ExportOrder,
): AsyncGenerator<Uint8Array> {
  return writeArchive(entries())

  async function* entries(): AsyncGenerator<ArchiveEntry> {
    const profiles: { readonly profile: string; readonly rows: Record<string, number> }[] = []
    for (const profile of instances) {
      const rows: Record<string, number> = {}
      for (const feature of FEATURES) {
        rows[feature] = 0
        yield {
          path: `${isAll ? folderOf(profile) : ''}${feature}.json`,
          content: state(profile, feature, (more) => (rows[feature]! += more)),
          modifiedAtMs: nowMs,
        }
      }
      profiles.push({ profile, rows })
    }
    const manifest = {
      kind: KIND,
      schema_version: 1,
      created_at: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
      app_version: version,
      ...(isAll ? { profiles } : profiles[0]),
    }
    yield { path: 'manifest.json', content: [`${JSON.stringify(manifest, null, 1)}\n`], modifiedAtMs: nowMs }
  }

  async function* state(profile: string, feature: string, count: (rows: number) => void): AsyncGenerator<string> {
    yield `{"ts":${Math.floor(nowMs / 1_000)},"items":{`
    let separator = '\n'
    for await (const page of await tracker.rows(profile, feature)) {
      count(page.length)
      yield separator + page.map(({ key, item }) => `${JSON.stringify(key)}:${JSON.stringify(item)}`).join(',\n')
      separator = ',\n'
    }
    yield '\n}}\n'
  }
}
