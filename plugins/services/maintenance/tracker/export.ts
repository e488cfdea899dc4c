// Writes an export of the tracker, on the plugin's thread: rows are read in pages while the client takes them.
import { type ArchiveEntry, type Remote, type TrackerStore, writeArchive } from '@playhead/sdk'
import { FEATURES, folderOf, KIND, SCHEMA_VERSION, snapshotsPath } from './format.ts'

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
    type Counts = Record<string, number>
    const profiles: { readonly profile: string; readonly rows: Counts; readonly snapshots: Counts }[] = []
    for (const profile of instances) {
      const rows: Counts = {}
      const snapshots: Counts = {}
      for (const feature of FEATURES) {
        rows[feature] = 0
        snapshots[feature] = (await tracker.snapshots(profile, feature)).length
        // Both files show the same moment.
        const revision = await tracker.revision(profile, feature)
        const folder = isAll ? folderOf(profile) : ''
        yield {
          path: `${folder}${feature}.json`,
          content: state(profile, feature, revision, (more) => (rows[feature]! += more)),
          modifiedAtMs: nowMs,
        }
        if (snapshots[feature] === 0) continue
        yield {
          path: `${folder}${snapshotsPath(feature)}`,
          content: versions(profile, feature, revision, (count) => (snapshots[feature] = count)),
          modifiedAtMs: nowMs,
        }
      }
      profiles.push({ profile, rows, snapshots })
    }
    const manifest = {
      kind: KIND,
      schema_version: SCHEMA_VERSION,
      created_at: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
      app_version: version,
      ...(isAll ? { profiles } : profiles[0]),
    }
    yield { path: 'manifest.json', content: [`${JSON.stringify(manifest, null, 1)}\n`], modifiedAtMs: nowMs }
  }

  async function* state(
    profile: string,
    feature: string,
    revision: string,
    count: (rows: number) => void,
  ): AsyncGenerator<string> {
    yield `{"ts":${Math.floor(nowMs / 1_000)},"items":{`
    let separator = '\n'
    for await (const page of tracker.rows(profile, feature, revision)) {
      count(page.length)
      yield separator + page.map(({ key, item }) => `${JSON.stringify(key)}:${JSON.stringify(item)}`).join(',\n')
      separator = ',\n'
    }
    yield '\n}}\n'
  }

  async function* versions(
    profile: string,
    feature: string,
    revision: string,
    count: (snapshots: number) => void,
  ): AsyncGenerator<string> {
    let separator = '\n'
    for await (const { snapshots, rows } of tracker.versions(profile, feature, revision)) {
      if (snapshots !== undefined) {
        count(snapshots.length)
        const named = snapshots.map(({ name, atMs }) => JSON.stringify({ name, at: new Date(atMs).toISOString() }))
        yield `{"ts":${Math.floor(nowMs / 1_000)},"snapshots":[\n${named.join(',\n')}\n],"rows":[`
      }
      if (rows.length === 0) continue
      yield separator + rows.map((row) => JSON.stringify(row)).join(',\n')
      separator = ',\n'
    }
    yield '\n]}\n'
  }
}
