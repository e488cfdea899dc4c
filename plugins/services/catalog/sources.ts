// The sources of the index: the rows of all accounts and the scrobbles of the activity log, each with a revision.
import {
  ACCOUNTS,
  ACTIVITY,
  type Account,
  type ActivityLog,
  LIBRARY,
  type LibraryService,
  type PluginContext,
  type Remote,
  TRACKER_STORE,
  type TrackerStore,
} from '@playhead/sdk'
import { CATALOG_FEATURES, type Source } from './index-thread/load.ts'

/** The provider of Playhead's own tracker, whose rows are read at the time of the query. */
const TRACKER = 'SVC'

export async function sourcesNow(ctx: Pick<PluginContext, 'use' | 'tryUse'>): Promise<readonly Source[]> {
  const list = await ctx.use(ACCOUNTS).list()
  const [read, own, log] = await Promise.all([
    readSources(list, ctx.tryUse(LIBRARY), ctx.tryUse(TRACKER_STORE) !== undefined),
    trackerSources(list, ctx.tryUse(TRACKER_STORE)),
    activitySources(ctx.tryUse(ACTIVITY)),
  ])
  return [...read, ...own, ...log]
}

async function readSources(
  list: readonly Account[],
  library: Remote<LibraryService> | undefined,
  hasTracker: boolean,
): Promise<readonly Source[]> {
  if (library === undefined) return []
  const known = new Set(list.map(({ provider, instance }) => `${provider}@${instance}`))
  const holdings = (await Promise.all(CATALOG_FEATURES.map((feature) => library.holdings(feature)))).flat()
  return holdings.flatMap(({ provider, instance, feature, readAtMs, count, revision }) => {
    // Removed accounts may still have rows; rows of another person's account must never be shown.
    if (readAtMs === null || !known.has(`${provider}@${instance}`) || (provider === TRACKER && hasTracker)) return []
    return [
      {
        provider,
        instance,
        feature: feature as Source['feature'],
        revision: `${revision ?? readAtMs} ${count}`,
        readAt: readAtMs,
      },
    ]
  })
}

async function trackerSources(
  list: readonly Account[],
  store: Remote<TrackerStore> | undefined,
): Promise<readonly Source[]> {
  if (store === undefined) return []
  const own = list.filter(({ provider }) => provider === TRACKER)
  return Promise.all(
    own.flatMap(({ instance }) =>
      CATALOG_FEATURES.map(async (feature) => ({
        provider: TRACKER,
        instance,
        feature,
        revision: await store.revision(instance, feature),
        readAt: null,
      })),
    ),
  )
}

async function activitySources(activity: Remote<ActivityLog> | undefined): Promise<readonly Source[]> {
  if (activity === undefined) return []
  const { items, total } = await activity.list({ kinds: ['scrobble'], status: 'ok', limit: 1 })
  const [newest] = items
  const revision = `${total} ${newest?.id ?? ''} ${newest?.captured_at ?? ''} ${newest?.targets.length ?? ''}`
  return [{ provider: '', instance: '', feature: 'activity', revision, readAt: null }]
}
