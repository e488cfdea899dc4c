// The older format: one JSON document with `items` by key. It has no digest and no proof that it is complete.
import { isRecord, keyOf, parseItem, rowKey } from '@playhead/sdk/items'
import { basename } from 'node:path/posix'
import {
  type BundleChild,
  type CaptureEntry,
  type CaptureFeature,
  type CaptureRow,
  FEATURES_CAPTURED,
} from '../contract.ts'
import { stampOf } from '../names.ts'
import { createTypeCounts } from './write.ts'

export interface OldFile extends Omit<CaptureEntry, 'path' | 'size' | 'mtime'> {
  readonly rows: readonly CaptureRow[]
}

const STAMP = /^\d{8}T\d{6}Z$/

/** Undefined if the document is not a capture. */
export function parseOld(doc: unknown, path: string): OldFile | undefined {
  if (!isRecord(doc)) return undefined
  const kind = doc['kind']
  if (kind !== 'snapshot' && kind !== 'snapshot_bundle') return undefined
  const text = (...names: string[]) => {
    const value = names.map((name) => doc[name]).find((one) => typeof one === 'string' && one.trim() !== '')
    return typeof value === 'string' ? value.trim() : undefined
  }
  const provider = text('provider')?.toUpperCase()
  const feature = text('feature') as CaptureFeature | undefined
  const isBundle = kind === 'snapshot_bundle'
  const isKnown = isBundle ? feature === 'all' : (FEATURES_CAPTURED as readonly unknown[]).includes(feature)
  if (provider === undefined || feature === undefined || !isKnown) return undefined
  const atMs = Date.parse(text('created_at') ?? '')
  const named = basename(path).split('__')[0]!
  const items = isRecord(doc['items']) ? Object.entries(doc['items']) : []
  if (!isBundle && !isRecord(doc['items'])) return undefined
  const rows = items.flatMap(([key, row]) => toRow(key, row, feature) ?? [])
  const counts = createTypeCounts()
  for (const { item } of rows) counts.add(item['type'])
  const children = isBundle ? readChildren(doc['children']) : []
  const ofChildren = Object.fromEntries(
    children.flatMap((one) => ('path' in one ? [[one.feature, one.stats.count]] : [])),
  )
  const count = isBundle ? Object.values(ofChildren).reduce((sum, one) => sum + one, 0) : rows.length
  return {
    stamp: STAMP.test(named) ? named : stampOf(Number.isNaN(atMs) ? 0 : atMs),
    kind: isBundle ? 'bundle' : 'single',
    format: 1,
    header: {
      kind,
      created_at: Number.isNaN(atMs) ? '' : new Date(atMs).toISOString().replace('.000Z', 'Z'),
      provider,
      instance: text('instance', 'instance_id', 'profile') ?? 'default',
      feature,
      label: text('label') ?? 'capture',
      trigger: 'manual',
    },
    count,
    stats: isBundle ? { feature, count, features: ofChildren } : { feature, count, by_type: counts.sorted() },
    complete: null,
    account: null,
    scope: null,
    doubt: null,
    unreadable: items.length - rows.length,
    children,
    rows,
  }
}

function toRow(key: string, given: unknown, feature: CaptureFeature): CaptureRow | undefined {
  const item = isRecord(given) ? parseItem(given) : undefined
  if (item?.ok !== true) return undefined
  return { key: keyOf(item.value).ok ? rowKey(item.value, feature === 'history') : key, item: item.value }
}

function readChildren(value: unknown): readonly BundleChild[] {
  return (Array.isArray(value) ? value : []).flatMap((child): BundleChild[] => {
    if (!isRecord(child)) return []
    const feature = FEATURES_CAPTURED.find((one) => one === child['feature'])
    if (feature === undefined) return []
    if (typeof child['path'] !== 'string') return [{ feature, error: 'capture_failed' }]
    const stats = isRecord(child['stats']) ? child['stats'] : {}
    const count = Number.isSafeInteger(stats['count']) ? Number(stats['count']) : 0
    return [{ feature, path: child['path'].replaceAll('\\', '/'), stats: { feature, count } }]
  })
}
