// Opens an upload as an export of the tracker: determines its files and their kinds. Their content is validated when it is read.
import { readFile } from 'node:fs/promises'
import { type ArchiveFile, isPlayheadError, openArchive, PlayheadError } from '@playhead/sdk'
import {
  FEATURES,
  folderOf,
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

export interface Source {
  readonly name: string
  readonly feature: TrackerFeature
  text(): Promise<string>
  readonly snapshots?: { readonly name: string; text(): Promise<string> }
}
export async function openZip(
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
    // For a file of another profile only the name is validated.
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

export function openSingle(file: string, name: string): Source {
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

export function parsed(name: string, content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    throw refused(`${shown(name)} is no JSON.`)
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Converts errors of an archive to the errors of an import. */
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

export function refused(message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', `The import was refused. ${message} Nothing was changed.`, {
    wire: 'invalid_import',
  })
}

export function shown(name: string): string {
  return JSON.stringify(name.slice(0, 120))
}
