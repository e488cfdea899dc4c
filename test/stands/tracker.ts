// Workspaces of Playhead's own tracker: its rows are written and read directly in the database of the service.
import type { Feature, Item } from '@playhead/sdk'
import { openDatabase } from '../../core/storage/sqlite.ts'
import { createStore } from '../../plugins/providers/tracker/store.ts'
import { type Account, type Mark, withMark } from './stand.ts'
import { episodeName, itemOf, movieName, partsOf, showName, type WorkName } from './works.ts'

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
const ALL = ['tmdb', 'imdb', 'tvdb'] as const

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
      signIn: () => SETTINGS,
      async put(feature, mark) {
        const item = withMark(feature, trackerItem(mark.work), mark, partsOf(mark.work).runtimeMs)
        const request = { feature, op: 'add', items: [{ key: 'one', item }] } as const
        const { outcomes } = await store.write(instance, SETTINGS, request)
        if (outcomes[0]?.outcome !== 'applied')
          throw new Error(`the tracker did not take ${mark.work}: ${JSON.stringify(outcomes)}`)
      },
      marks: async (feature) =>
        (await live(instance, feature)).map(({ item }) => markOf(JSON.parse(String(item)) as Item)),
    }),
    [Symbol.asyncDispose]: close,
  }
}

/** The tracker as a stand. Every version of a row is a row of its own, so that no request changes one. */
export const TRACKER = { itemOf: trackerItem, tellsDuration: true, upstreams: [], isWrite: () => false } as const

function trackerItem(work: WorkName): Item {
  return itemOf(work, { movie: ALL, show: ALL })
}

function markOf({ type, ids, show_ids: showIds, season, episode, rating, watched_at: watched, ...item }: Item): Mark {
  const work =
    type === 'episode' ? episodeName(showIds, season, episode) : type === 'movie' ? movieName(ids) : showName(ids)
  const percent = item.progress_percent ?? ((item.progress_ms ?? 0) / (item.duration_ms ?? Number.NaN)) * 100
  return { work, atMs: Date.parse(watched ?? '') || 0, percent, rating }
}
