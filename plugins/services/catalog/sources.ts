// The sources of the index: the rows of all accounts and the scrobbles of the activity log, each with a revision.
import { ACTIVITY, type ActivityLog, LIBRARY, type PluginContext, type Remote } from '@playhead/sdk'
import { CATALOG_FEATURES, type Source } from './index-thread/load.ts'

export async function sourcesNow(ctx: Pick<PluginContext, 'tryUse'>): Promise<readonly Source[]> {
  const [held = [], log] = await Promise.all([
    ctx.tryUse(LIBRARY)?.currentHoldings(CATALOG_FEATURES),
    activitySources(ctx.tryUse(ACTIVITY)),
  ])
  const read = held.map(({ provider, instance, feature, readAtMs, count, revision }) => ({
    ...{ provider, instance, feature: feature as Source['feature'], readAt: readAtMs },
    revision: `${revision ?? readAtMs} ${count}`,
  }))
  return [...read, ...log]
}

async function activitySources(activity: Remote<ActivityLog> | undefined): Promise<readonly Source[]> {
  if (activity === undefined) return []
  const { items, total } = await activity.list({ kinds: ['scrobble'], status: 'ok', limit: 1 })
  const [newest] = items
  const revision = `${total} ${newest?.id ?? ''} ${newest?.captured_at ?? ''} ${newest?.targets.length ?? ''}`
  return [{ provider: '', instance: '', feature: 'activity', revision, readAt: null }]
}
