// The content of export files of the tracker: rows and their versions in snapshots. Treated as untrusted input.
import type { Item, TrackerSnapshot } from '@playhead/sdk'
import { isRecord, parsed, refused, shown, type Source } from './archive.ts'
import type { ImportPage } from './format.ts'

export type Row = ImportPage['rows'][number]

const DAY_MS = 86_400_000
const SNAPSHOT_NAME = /^[A-Za-z0-9][A-Za-z0-9T:_.-]{0,60}$/

export async function rowsOf({ name, text }: Source): Promise<readonly Row[]> {
  const value = parsed(name, await text())
  const items = isRecord(value) && 'items' in value ? value['items'] : value
  if (Array.isArray(items)) return items.map((item: unknown) => ({ key: keyOf(item), item: checkedItem(item, name) }))
  if (isRecord(items))
    return Object.entries(items).map(([key, item]) => ({ key: key.slice(0, 500), item: checkedItem(item, name) }))
  throw refused(`${shown(name)} has no items.`)
}

interface Versions {
  readonly snapshots: readonly TrackerSnapshot[]
  /** Versions of deleted rows. */
  readonly gone: readonly Row[]
  /** The first snapshot that has the row, by key, for rows that not all snapshots have. */
  readonly beginnings: ReadonlyMap<string, number>
}

export async function versionsOf({ snapshots: file }: Source): Promise<Versions | undefined> {
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

function checkedItem(item: unknown, name: string): Item {
  if (isRecord(item) && isRecord(item['ids'])) return item as unknown as Item
  throw refused(`${shown(name)} has something that is no item.`)
}

function keyOf(item: unknown): string {
  return isRecord(item) && typeof item['key'] === 'string' ? item['key'].slice(0, 500) : ''
}
