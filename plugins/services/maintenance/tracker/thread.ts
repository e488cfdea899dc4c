// Exports of the tracker, and imports, on a thread. An import is trusted in nothing: no name, number or size. Everything is
// checked first, one file at a time; then its items are given in pages.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  type ArchiveFile,
  isArchive,
  isPlayheadError,
  openArchive,
  PlayheadError,
  type ThreadHost,
  TRACKER_STORE,
} from '@playhead/sdk'
import { type ExportOrder, exportTracker } from './export.ts'
import {
  folderOf,
  type ImportPage,
  type ImportPlan,
  MAX_MEMBERS,
  MAX_TOTAL_BYTES,
  snapshotOf,
  stateOf,
  type TrackerFeature,
} from './format.ts'

interface Source {
  readonly name: string
  readonly feature: TrackerFeature
  text(): Promise<string>
}
type Rows = readonly (readonly [key: string, item: unknown])[]

const PAGE = 250

export interface ImportOrder {
  /** Absolute path of what was uploaded. */
  readonly file: string
  /** Of a single JSON file. */
  readonly name: string
  /** Whose rows of an export of all profiles. */
  readonly profile: string
}

function work(host: ThreadHost) {
  let sources: readonly Source[] = []
  return {
    /** Checks all of it. */
    async open({ file, name, profile }: ImportOrder): Promise<ImportPlan> {
      const isZip = isArchive(await beginningOf(file))
      const { states, skipped } = isZip ? await openZip(file, profile) : { states: [singleOf(file, name)], skipped: [] }
      const files: ImportPlan['files'][number][] = []
      for (const source of states)
        files.push({ name: source.name, feature: source.feature, rows: (await rowsOf(source)).length })
      // Snapshots are not imported, but a broken file is no good export.
      for (const source of skipped) await rowsOf(source)
      sources = states
      return { mode: isZip ? 'zip' : 'json', files, skipped: skipped.map((source) => source.name) }
    },
    async *pages(): AsyncGenerator<ImportPage> {
      for (const source of sources) {
        const rows = await rowsOf(source)
        for (let from = 0; from < rows.length; from += PAGE)
          yield { feature: source.feature, rows: rows.slice(from, from + PAGE).map(([key, item]) => ({ key, item })) }
      }
    },
    export: (order: ExportOrder) => exportTracker(host.use(TRACKER_STORE), order),
    async close(): Promise<void> {
      sources = []
    },
  }
}
export default work
export type TrackerWork = ReturnType<typeof work>

async function beginningOf(file: string): Promise<Uint8Array> {
  for await (const chunk of createReadStream(file, { end: 3 })) return chunk as Uint8Array
  return new Uint8Array()
}

async function openZip(
  file: string,
  profile: string,
): Promise<{ readonly states: readonly Source[]; readonly skipped: readonly Source[] }> {
  const all = await openArchive(file, { files: MAX_MEMBERS, totalBytes: MAX_TOTAL_BYTES }).catch(refuse)
  const folders = new Set(all.flatMap(({ path }) => /^profiles\/[^/]+\//.exec(path) ?? []))
  const folder = folders.size > 0 ? folderOf(profile) : ''
  if (folder !== '' && !folders.has(folder))
    throw refused(
      `It has profiles of the tracker, and none is ${shown(profile)}. Say with "from" which one: ${[...folders]
        .map((one) => decodeURIComponent(one.split('/')[1]!))
        .join(', ')
        .slice(0, 300)}.`,
    )
  const states: Source[] = []
  const skipped: Source[] = []
  for (const entry of all) {
    if (entry.path === 'manifest.json') continue
    // A file of another profile is checked by its name alone.
    const own = /^profiles\/[^/]+\//.exec(entry.path)?.[0] ?? ''
    const name = entry.path.slice(own.length)
    const [state, snapshot] = [stateOf(name), name.startsWith('snapshots/') ? snapshotOf(name) : undefined]
    const feature = state ?? snapshot
    if (feature === undefined || (folder !== '' && own === ''))
      throw refused(`${shown(entry.path)} does not belong into an export of the tracker.`)
    if (own === folder) (state === undefined ? skipped : states).push({ name, feature, text: () => textOf(entry) })
  }
  if (states.length === 0) throw refused('It has none of watchlist.json, history.json, ratings.json and progress.json.')
  return { states, skipped }
}

async function textOf(entry: ArchiveFile): Promise<string> {
  const chunks = await Array.fromAsync(entry.read()).catch(refuse)
  return decode(Buffer.concat(chunks), entry.path)
}

function singleOf(file: string, name: string): Source {
  const base = name.split(/[\\/]/).at(-1) ?? ''
  const feature = stateOf(base) ?? snapshotOf(base)
  if (feature === undefined)
    throw refused(
      'A single file is named watchlist.json, history.json, ratings.json or progress.json, or ends like one.',
    )
  return { name: base, feature, text: async () => decode(await readFile(file), base) }
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refused(`${shown(name)} is no text.`)
  }
}

async function rowsOf({ name, text }: Source): Promise<Rows> {
  let value: unknown
  const content = await text()
  try {
    value = JSON.parse(content)
  } catch {
    throw refused(`${shown(name)} is no JSON.`)
  }
  const items = isRecord(value) && 'items' in value ? value['items'] : value
  if (Array.isArray(items)) return items.map((item: unknown) => [keyOf(item), checkedItem(item, name)] as const)
  if (isRecord(items))
    return Object.entries(items).map(([key, item]) => [key.slice(0, 500), checkedItem(item, name)] as const)
  throw refused(`${shown(name)} has no items.`)
}

function checkedItem(item: unknown, name: string): unknown {
  if (isRecord(item) && isRecord(item['ids'])) return item
  throw refused(`${shown(name)} has something that is no item.`)
}

function keyOf(item: unknown): string {
  return isRecord(item) && typeof item['key'] === 'string' ? item['key'].slice(0, 500) : ''
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What is wrong with an archive, in the words of an import. */
function refuse(error: unknown): never {
  if (!isPlayheadError(error, 'PLH_INVALID')) throw error
  if (error.wire !== 'archive_too_large') throw refused(error.message)
  throw new PlayheadError('PLH_INVALID', `The import is too large. ${error.message} Nothing was changed.`, {
    wire: 'upload_too_large',
    status: 413,
  })
}

function refused(message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', `The import was refused. ${message} Nothing was changed.`, {
    wire: 'invalid_import',
  })
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 120))
}
