// Workspaces of Playhead's own tracker: its rows are written and read directly in the database of the service.
import type { Feature, Item } from '@playhead/sdk'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { createStore } from '../../../plugins/providers/tracker/store.ts'
import { lineOf, type Account, type Mark } from './contract.ts'
import { catalogueNames, partsOf, type WorkName } from './works.ts'

const NO_LOG = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => NO_LOG }
const SETTINGS = {
  enabled: true,
  connected: true,
  retention_days: 30,
  auto_snapshot: false,
  max_snapshots: 0,
  restore_watchlist: 'latest',
  restore_history: 'latest',
  restore_ratings: 'latest',
  restore_progress: 'latest',
  restore_playlists: 'latest',
}
const ROWS = 'tracker__rows'

/** @param file the database of the service */
export async function openTracker(file: string): Promise<{ workspace(instance: string): Account } & AsyncDisposable> {
  const { db, close } = await openDatabase(file, { log: NO_LOG })
  const store = createStore(db, NO_LOG)
  const live = (instance: string, feature: Feature) =>
    db
      .selectFrom(ROWS)
      .innerJoin('tracker__spaces', 'tracker__spaces.space', `${ROWS}.space`)
      .select([`${ROWS}.item as item`, `${ROWS}.id as id`])
      .where('tracker__spaces.instance', '=', instance)
      .where(`${ROWS}.feature`, '=', feature)
      .where(`${ROWS}.removed_change`, 'is', null)
      .execute()
  return {
    workspace: (instance) => ({
      settings: SETTINGS,
      tellsDuration: true,
      namesOf: (work) => catalogueNames(work, ['tmdb', 'imdb', 'tvdb']),
      async put(feature, mark) {
        const request = { feature, op: 'add', items: [{ key: 'one', item: itemOf(feature, mark) }] } as const
        const { outcomes } = await store.write(instance, SETTINGS, request)
        if (outcomes[0]?.outcome !== 'applied')
          throw new Error(`the tracker did not take ${mark.work}: ${JSON.stringify(outcomes)}`)
      },
      holds: async (feature) =>
        (await live(instance, feature)).map(({ item }) => lineOf(feature, markOf(JSON.parse(String(item)) as Item))),
      // Every version of a row is a separate row.
      writes: () => 0,
    }),
    [Symbol.asyncDispose]: close,
  }
}

function itemOf(feature: Feature, { work, atMs, rating, percent = 0 }: Mark): Item {
  const { kind, season, number, title, year, runtimeMs } = partsOf(work)
  const ids = catalogueNames(work, ['tmdb', 'imdb', 'tvdb'])
  const at = new Date(atMs).toISOString()
  return {
    type: kind,
    ...(kind === 'episode'
      ? { ids: {}, show_ids: ids, season, episode: number, series_title: title, series_year: year }
      : { ids, title, year }),
    ...(feature === 'watchlist' ? { added_at: at } : {}),
    ...(feature === 'history' ? { watched: true, watched_at: at } : {}),
    ...(feature === 'ratings' && rating !== undefined ? { rating, rated_at: at } : {}),
    ...(feature === 'progress'
      ? { progress_ms: (runtimeMs * percent) / 100, duration_ms: runtimeMs, progress_at: at }
      : {}),
  }
}

function markOf({ type, ids, show_ids: showIds, season, episode, rating, watched_at: watched, ...item }: Item): Mark {
  const work: WorkName =
    type === 'episode'
      ? `episode/${Number(showIds?.tmdb) - 900_000}/${season}/${episode}`
      : `${type}/${Number(ids.tmdb) - 900_000}`
  const percent = item.progress_percent ?? ((item.progress_ms ?? 0) / (item.duration_ms ?? Number.NaN)) * 100
  return { work, atMs: Date.parse(watched ?? '') || 0, percent, ...(rating === undefined ? {} : { rating }) }
}
