// Writes an export of the tracker, on the plugin's thread: rows are read in pages while the client takes them.
import { ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js'
import type { Remote, TrackerStore } from '@playhead/sdk'
import { FEATURES, KIND } from './format.ts'

export interface ExportOrder {
  readonly instance: string
  readonly version: string
  readonly nowMs: number
}

const ZIP = { level: 6, useWebWorkers: false, useCompressionStream: true, keepOrder: true }

export async function* exportTracker(
  tracker: Remote<TrackerStore>,
  { instance, version, nowMs }: ExportOrder,
): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const ts = Math.floor(nowMs / 1_000)
  const lastModDate = new Date(nowMs)

  async function* state(feature: string, count: (rows: number) => void): AsyncGenerator<Uint8Array> {
    yield bytes(`{"ts":${ts},"items":{`)
    let separator = '\n'
    for await (const page of await tracker.rows(instance, feature)) {
      count(page.length)
      yield bytes(separator + page.map(({ key, item }) => `${JSON.stringify(key)}:${JSON.stringify(item)}`).join(',\n'))
      separator = ',\n'
    }
    yield bytes('\n}}\n')
  }

  async function write(): Promise<void> {
    const zip = new ZipWriter(writable, ZIP)
    const rows: Record<string, number> = {}
    for (const feature of FEATURES) {
      rows[feature] = 0
      const content = ReadableStream.from(state(feature, (more) => (rows[feature]! += more)))
      await zip.add(`${feature}.json`, content, { lastModDate })
    }
    const manifest = {
      kind: KIND,
      schema_version: 1,
      created_at: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
      app_version: version,
      profile: instance,
      rows,
    }
    const text = ReadableStream.from([bytes(`${JSON.stringify(manifest, null, 1)}\n`)])
    await zip.add('manifest.json', text, { lastModDate })
    await zip.close()
  }

  // A failure ends the stream: a cut-off download is no archive.
  const written = write()
  written.catch((error: unknown) => writable.abort(error).catch(() => {}))
  yield* readable
  await written
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
