// The dashboard widgets. They are built independently: a failing one does not affect the others.
import {
  type ActivityRow,
  isPlayheadError,
  type NewestRow,
  type PluginApp,
  type Static,
  Type,
  skipSerializer,
} from '@playhead/sdk'
import { displayOf, shownOf } from './display.ts'
import type { Parts } from './parts.ts'
import { Widgets } from './answers.ts'
import { playlistRows } from './reports.ts'
import type { Counted } from './numbers.ts'

const limit = (fallback: number) => Type.Integer({ default: fallback, minimum: 1, maximum: 24 })
const Query = Type.Object({
  history_limit: limit(8),
  scrobble_limit: limit(8),
  progress_limit: limit(8),
  playlists_limit: limit(8),
  ratings_limit: limit(12),
  include: Type.String({ default: 'history,ratings,scrobble,progress,playlists', maxLength: 500 }),
})
type Query = Static<typeof Query>

interface Widget {
  readonly items: readonly object[]
  readonly total: number
  readonly [field: string]: unknown
}

const REPORTS = 60
const NOTHING: Widget = { items: [], total: 0 }

export function registerDashboardRoutes(app: PluginApp, parts: Parts): void {
  const { log } = app.playhead
  const widgets: Readonly<Record<string, readonly [name: string, make: (query: Query) => Promise<Widget>]>> = {
    history: ['recent_history', ({ history_limit }) => newest(parts, 'history', history_limit, historyRow)],
    ratings: ['latest_ratings', ({ ratings_limit }) => newest(parts, 'ratings', ratings_limit, ratingRow)],
    scrobble: ['recent_scrobble', ({ scrobble_limit }) => scrobbles(parts, scrobble_limit)],
    progress: ['recent_progress', ({ progress_limit }) => newest(parts, 'progress', progress_limit, progressRow)],
    playlists: ['recent_playlists', ({ playlists_limit }) => playlists(parts, playlists_limit)],
  }

  app.get(
    '/api/dashboard/widgets',
    {
      ...skipSerializer,
      schema: { summary: 'The newest of everything', querystring: Query, response: { 200: Widgets } },
    },
    async (request) => {
      const query = request.query as Query
      const wanted = new Set(query.include.split(',').map((name) => name.trim().toLowerCase()))
      const made = await Promise.all(
        Object.entries(widgets)
          .filter(([name]) => wanted.has(name))
          .map(async ([, [name, make]]) => {
            try {
              return [name, { ok: true, ...(await make(query)) }] as const
            } catch (error) {
              log.warn({ err: error, widget: name }, 'a widget could not be built')
              return [name, { ok: false, error: isPlayheadError(error) ? error.wire : 'internal', ...NOTHING }] as const
            }
          }),
      )
      return { ok: true, ...Object.fromEntries(made) }
    },
  )
}

async function newest(
  { numbers }: Parts,
  feature: Counted,
  most: number,
  show: (row: NewestRow) => object,
): Promise<Widget> {
  const {
    newest: { rows, total },
  } = await numbers(feature)
  return { items: rows.slice(0, most).map(show), total }
}

function common({ key, atMs, sources }: NewestRow): object {
  return { key, sort_epoch: toSeconds(atMs), sources }
}

function historyRow(row: NewestRow): object {
  const at = toSeconds(row.atMs)
  return {
    ...common(row),
    ...displayOf(shownOf(row.item), 'still'),
    id: row.key,
    watched_at: at,
    captured_at: at,
    status: 'ok',
    event: 'history_state',
    method: 'sync_state',
  }
}

function ratingRow(row: NewestRow): object {
  return {
    ...common(row),
    ...displayOf(shownOf(row.item), 'backdrop'),
    rating: row.item.rating,
    rated_at: row.item.rated_at,
    updated_epoch: toSeconds(row.atMs),
  }
}

function progressRow(row: NewestRow): object {
  return { ...common(row), ...displayOf(shownOf(row.item), 'still'), id: row.key, progress: percentOf(row.item) }
}

function percentOf({
  progress_percent: percent,
  progress_ms: at,
  duration_ms: length,
}: NewestRow['item']): number | null {
  const value = percent ?? (at === undefined || length === undefined ? undefined : (at / length) * 100)
  return value === undefined ? null : Math.round(Math.min(100, Math.max(0, value)) * 10) / 10
}

async function scrobbles({ activity }: Parts, most: number): Promise<Widget> {
  const log = activity()
  if (log === undefined) return { ...NOTHING, scrobble_total: 0, scrobble_hours: 0 }
  const query = { kinds: ['scrobble', 'history_sync'], status: 'ok' }
  const [{ items, total }, minutes] = await Promise.all([log.list({ ...query, limit: most }), log.minutes(query)])
  return { items: items.map(scrobbleRow), total, scrobble_total: total, scrobble_hours: Math.round(minutes / 6) / 10 }
}

function scrobbleRow(row: ActivityRow): object {
  const {
    id,
    media_type,
    title,
    year = null,
    season = null,
    episode = null,
    ids = {},
    watched_at,
    captured_at,
    status,
    event,
    method = '',
    source,
    source_instance,
    targets,
    runtime_minutes: minutes,
  } = row
  const shown =
    media_type === 'movie'
      ? { type: media_type, title, year, season, episode, ids }
      : { type: media_type, title, year, season, episode, ids: {}, show_ids: ids }
  const provider = { provider: source.toUpperCase(), instance: source_instance }
  return {
    key: id,
    ...displayOf(shown, 'still'),
    sort_epoch: captured_at,
    sources: [provider],
    id,
    watched_at,
    captured_at,
    status,
    event,
    method,
    runtime_minutes: minutes ?? null,
    duration_minutes: minutes ?? null,
    runtime: minutes ?? null,
    duration_ms: minutes === undefined ? null : minutes * 60_000,
    duration: minutes === undefined ? null : minutes * 60,
    source: provider,
    targets,
  }
}

/** Playlists changed by runs. */
async function playlists({ sync }: Parts, most: number): Promise<Widget> {
  const rows = playlistRows((await sync()?.reports(REPORTS)) ?? [])
  return { items: rows.slice(0, most), total: rows.length }
}

function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}
