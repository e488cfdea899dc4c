// Responses of the diff, as JSON in pieces, written on the thread so that a long response does not block.
import { createShared, type Remote } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import type { CapturedFeature } from '../contract.ts'
import { type CaptureFiles, openCapture } from '../file/read.ts'
import { listChanges, type Row, type Status } from './changes.ts'
import type { DiffPair } from './diff-pair.ts'
import { type Compared, compareCaptures, type Comparison, type Summary } from './compare.ts'

interface DiffOptions {
  readonly limit: number
  readonly maxChanges: number
}

interface ExtendedOptions {
  readonly feature: CapturedFeature
  readonly kind: Status | 'all'
  readonly q: string
  readonly offset: number
  readonly limit: number
  readonly maxChanges: number
  readonly maxDepth: number
}

const DEPTH = 4
const KEPT = 2
const PIECE = 100
const LISTED = ['added', 'removed', 'updated'] as const
const BRIEF_IDS = ['imdb', 'tmdb', 'tvdb', 'tracka', 'trackb', 'anidb', 'mal', 'anilist', 'kitsu']

export function createDiffs(files: Remote<CaptureFiles>) {
  /** Clients request page after page. */
  const comparisons = createShared<Comparison>(KEPT, (one) => one[Symbol.dispose]())

  async function compared({ feature, a, b }: DiffPair['files'][number]) {
    const sizes = `${await files.size(a)} ${await files.size(b)}`
    return comparisons.take(JSON.stringify([feature, a, b]), sizes, async () =>
      compareCaptures({ a: await openCapture(files, a), b: await openCapture(files, b) }, feature),
    )
  }

  return {
    async *diff(pair: DiffPair, { limit, maxChanges }: DiffOptions): AsyncGenerator<string> {
      const isBundle = pair.a.kind === 'bundle'
      const lists: Record<(typeof LISTED)[number], object[]> = { added: [], removed: [], updated: [] }
      let summary: Summary | undefined
      for (const file of pair.files) {
        using taken = await compared(file)
        const own = taken.value
        summary = summary === undefined ? own.summary : sumOf(summary, own.summary)
        const prefix = isBundle ? `${file.feature}:` : ''
        const more = isBundle ? { feature: file.feature } : {}
        for (const status of LISTED)
          for (const row of own.first(status, limit)) lists[status].push(shortRow(row, prefix, more, maxChanges))
      }
      const totals = summary!
      yield openObject({
        ...{ ok: true, a: metaOf(pair, 'a'), b: metaOf(pair, 'b'), summary: totals, limit },
        truncated: Object.fromEntries(
          LISTED.map((status) => [status, totals[status] > Math.min(limit, lists[status].length)]),
        ),
        ...(isBundle ? { available_features: pair.files.map(({ feature }) => feature), selected_feature: 'all' } : {}),
      })
      for (const status of LISTED) {
        yield `,"${status}":[`
        yield* piecesOf(lists[status].slice(0, limit))
        yield ']'
      }
      yield '}}'
    },

    async *extended(pair: DiffPair, options: ExtendedOptions): AsyncGenerator<string> {
      const { feature, kind, q, offset, limit } = options
      const file = pair.files.find((one) => one.feature === feature)!
      using taken = await compared(file)
      const own = taken.value
      const { total, rows } = own.page({ kind, q, offset, limit })
      yield openObject({
        ...{
          ok: true,
          a: metaOf(pair, 'a'),
          b: metaOf(pair, 'b'),
          summary: own.summary,
          query: { kind, q, offset, limit },
          total,
        },
        ...{ available_features: pair.files.map((one) => one.feature), selected_feature: feature },
      })
      yield ',"items":['
      yield* piecesOf(rows.map((row) => longRow(row, options)))
      yield ']}}'
    },
  }
}

function openObject(value: object): string {
  return `{"ok":true,"diff":${JSON.stringify(value).slice(0, -1)}`
}

function* piecesOf(rows: readonly object[]): Generator<string> {
  for (let start = 0; start < rows.length; start += PIECE) {
    const text = JSON.stringify(rows.slice(start, start + PIECE)).slice(1, -1)
    yield start === 0 ? text : `,${text}`
  }
}

function shortRow({ key, status, a, b }: Compared, prefix: string, more: object, maxChanges: number): object {
  const name = prefix + key
  if (status === 'updated')
    return {
      key: name,
      ...{ old: { ...briefOf(a!), ...more }, new: { ...briefOf(b!), ...more } },
      ...listChanges(a!, b!, { maxChanges, maxDepth: DEPTH }),
    }
  return { key: name, item: { ...briefOf((b ?? a)!), ...more } }
}

function longRow({ key, status, a, b }: Compared, { maxChanges, maxDepth }: ExtendedOptions): object {
  const about = { key, status, brief: briefOf((b ?? a)!) }
  if (status === 'added') return { ...about, new: b }
  if (status === 'removed') return { ...about, old: a }
  if (status === 'unchanged') return { ...about, item: b ?? a }
  return { ...about, old: a, new: b, ...listChanges(a!, b!, { maxChanges, maxDepth }) }
}

function briefOf(row: Row): object {
  const isEpisode = row['type'] === 'episode'
  const names = [
    'type',
    'title',
    'year',
    'season',
    'episode',
    'status',
    ...(isEpisode ? ['series_title', 'show_title'] : []),
  ]
  const fields = Object.fromEntries(names.flatMap((name) => (row[name] == null ? [] : [[name, row[name]]])))
  const ids = isRecord(row['ids']) ? row['ids'] : {}
  return {
    ...fields,
    ids: Object.fromEntries(BRIEF_IDS.flatMap((scheme) => (ids[scheme] == null ? [] : [[scheme, ids[scheme]]]))),
  }
}

function metaOf(pair: DiffPair, side: 'a' | 'b'): object {
  const { path, header, count, stats, kind } = pair[side]
  const { provider, instance, feature, label, created_at } = header
  return {
    ...{ path, provider, instance, feature, label, created_at, count },
    by_type: stats.by_type ?? {},
    ...(kind === 'bundle'
      ? { features: stats.features ?? {}, compared_features: pair.files.map((file) => file.feature) }
      : {}),
  }
}

function sumOf(a: Summary, b: Summary): Summary {
  return Object.fromEntries(
    Object.keys(a).map((name) => [name, a[name as keyof Summary] + b[name as keyof Summary]]),
  ) as unknown as Summary
}
