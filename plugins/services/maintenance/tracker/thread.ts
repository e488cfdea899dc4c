// Exports of the tracker, and imports, on a thread. An import is trusted in nothing: no name, number or size. Everything is
// checked first, one file at a time; then its items are given in pages.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  type ArchiveFile,
  isArchive,
  isPlayheadError,
  type Item,
  openArchive,
  PlayheadError,
  type ThreadHost,
  TRACKER_STORE,
  type TrackerSnapshot,
} from '@playhead/sdk'
import { type ExportOrder, exportTracker } from './export.ts'
import {
  FEATURES,
  folderOf,
  type ImportPage,
  type ImportPlan,
  KIND,
  MAX_FILE_BYTES,
  MAX_MEMBERS,
  MAX_TOTAL_BYTES,
  SCHEMA_VERSION,
  snapshotOf,
  snapshotsPath,
  stateOf,
  type TrackerFeature,
} from './format.ts'

interface Source {
  readonly name: string
  readonly feature: TrackerFeature
  text(): Promise<string>
  readonly snapshots?: { readonly name: string; text(): Promise<string> }
}
type Row = ImportPage['rows'][number]

const PAGE = 250
const DAY_MS = 86_400_000
const SNAPSHOT_NAME = /^[A-Za-z0-9][A-Za-z0-9T:_.-]{0,60}$/

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
        files.push({
          ...{ name: source.name, feature: source.feature, rows: (await rowsOf(source)).length },
          snapshots: (await versionsOf(source))?.snapshots ?? [],
        })
      // Snapshots are not imported, but a broken file is no good export.
      for (const source of skipped) await rowsOf(source)
      sources = states
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
  const chains = new Map<TrackerFeature, ArchiveFile>()
  for (const entry of all) {
    if (entry.path === 'manifest.json') {
      checkManifest(await textOf(entry))
      continue
    }
    // A file of another profile is checked by its name alone.
    const own = /^profiles\/[^/]+\//.exec(entry.path)?.[0] ?? ''
    const name = entry.path.slice(own.length)
    const chain = FEATURES.find((one) => name === snapshotsPath(one))
    if (chain !== undefined && (folder === '' || own !== '')) {
      if (own === folder) chains.set(chain, entry)
      continue
    }
    const [state, snapshot] = [stateOf(name), name.startsWith('snapshots/') ? snapshotOf(name) : undefined]
    const feature = state ?? snapshot
    if (feature === undefined || (folder !== '' && own === ''))
      throw refused(`${shown(entry.path)} does not belong into an export of the tracker.`)
    if (own === folder) (state === undefined ? skipped : states).push({ name, feature, text: () => textOf(entry) })
  }
  if (states.length === 0) throw refused('It has none of watchlist.json, history.json, ratings.json and progress.json.')
  for (const [feature, { path }] of chains)
    if (!states.some((source) => source.feature === feature))
      throw refused(`${shown(path)} needs ${shown(`${feature}.json`)}, which is missing.`)
  const withSnapshots = states.map((source) => {
    const entry = chains.get(source.feature)
    return entry === undefined ? source : { ...source, snapshots: { name: entry.path, text: () => textOf(entry) } }
  })
  return { states: withSnapshots, skipped }
}

function checkManifest(text: string): void {
  const manifest = parsed('manifest.json', text)
  if (!isRecord(manifest)) throw refused('"manifest.json" is none.')
  const { kind = KIND, schema_version: version = 1 } = manifest
  if (kind !== KIND) throw refused(`It is no export of the tracker, but ${shown(String(kind))}.`)
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw refused('"manifest.json" has no version of the format.')
  if (version > SCHEMA_VERSION)
    throw refused(
      `It was made by a newer Playhead: its format is ${version}, and this one reads up to ${SCHEMA_VERSION}.`,
    )
}

async function textOf(entry: ArchiveFile): Promise<string> {
  if (entry.size > MAX_FILE_BYTES)
    throw tooLarge(`${shown(entry.path)} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`)
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

function parsed(name: string, content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    throw refused(`${shown(name)} is no JSON.`)
  }
}

async function rowsOf({ name, text }: Source): Promise<readonly Row[]> {
  const value = parsed(name, await text())
  const items = isRecord(value) && 'items' in value ? value['items'] : value
  if (Array.isArray(items)) return items.map((item: unknown) => ({ key: keyOf(item), item: checkedItem(item, name) }))
  if (isRecord(items))
    return Object.entries(items).map(([key, item]) => ({ key: key.slice(0, 500), item: checkedItem(item, name) }))
  throw refused(`${shown(name)} has no items.`)
}

interface Versions {
  readonly snapshots: readonly TrackerSnapshot[]
  /** Of rows that are no more. */
  readonly gone: readonly Row[]
  /** By key of a row that not all snapshots have: the first that does. */
  readonly beginnings: ReadonlyMap<string, number>
}

async function versionsOf({ snapshots: file }: Source): Promise<Versions | undefined> {
  if (file === undefined) return undefined
  const { name } = file
  const value = parsed(name, await file.text())
  if (!isRecord(value) || !Array.isArray(value['snapshots']) || !Array.isArray(value['rows']))
    throw refused(`${shown(name)} has no snapshots.`)
  const snapshots = value['snapshots'].map((one: unknown) => snapshotIn(one, name))
  if (new Set(snapshots.map((one) => one.name)).size < snapshots.length)
    throw refused(`${shown(name)} has two snapshots of one name.`)
  const gone: Row[] = []
  const beginnings = new Map<string, number>()
  for (const row of value['rows'] as readonly unknown[]) {
    const { key, from, to, item } = isRecord(row) ? row : {}
    if (typeof key !== 'string' || !isNumberOf(from, snapshots) || (to !== undefined && !isNumberOf(to, snapshots)))
      throw refused(`${shown(name)} has something that is no row of a snapshot.`)
    if (to !== undefined) gone.push({ key: key.slice(0, 500), from, to, item: checkedItem(item, name) })
    else if (beginnings.has(key.slice(0, 500))) throw refused(`${shown(name)} says twice which snapshots have a row.`)
    else beginnings.set(key.slice(0, 500), from)
  }
  return { snapshots, gone, beginnings }
}

function snapshotIn(value: unknown, file: string): TrackerSnapshot {
  const { name, at } = isRecord(value) ? value : {}
  const atMs = typeof at === 'string' ? Date.parse(at) : Number.NaN
  if (typeof name !== 'string' || !SNAPSHOT_NAME.test(name) || name === 'latest')
    throw refused(`${shown(file)} has a snapshot without a name.`)
  if (!(atMs >= 0 && atMs <= Date.now() + DAY_MS)) throw refused(`${shown(file)} has a snapshot without a time.`)
  return { name, atMs }
}

function isNumberOf(value: unknown, snapshots: readonly unknown[]): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= snapshots.length
}

function* pagesOf(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += PAGE) yield rows.slice(from, from + PAGE)
}

function checkedItem(item: unknown, name: string): Item {
  if (isRecord(item) && isRecord(item['ids'])) return item as unknown as Item
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
  throw tooLarge(error.message)
}

function tooLarge(message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', `The import is too large. ${message} Nothing was changed.`, {
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
