// Overview of the settings. Blocks about other plugins come from those plugins.
import { type Account, OVERVIEW, type PluginApp, skipSerializer } from '@playhead/sdk'
import type { Parts } from './parts.ts'
import { Overview } from './answers.ts'

/** Values while the plugin of a block is not loaded. */
const ABSENT = {
  scheduling: {
    enabled: false,
    advanced: false,
    running: false,
    nextRun: null,
    next_run_at: 0,
    eventTriggers: 0,
    captureSchedules: 0,
  },
  scrobbler: {
    enabled: false,
    mode: '',
    sources: { webhook: false, watcher: false },
    watcher: { alive: false },
    providers: [],
    sinks: [],
  },
}
const RECENT = 3

export function registerOverviewRoute(app: PluginApp, { ctx, accounts, sync, activity, metadata }: Parts): void {
  const block = async (name: keyof typeof ABSENT) => {
    return { ...ABSENT[name], ...(await ctx.tryUse(OVERVIEW.of(name))?.overview()) }
  }

  const schema = { summary: 'Overview of the settings', response: { 200: Overview } }
  app.get('/api/settings/overview', { ...skipSerializer, schema }, async () => {
    const [all, pairs, configured, scheduling, scrobbler, recent] = await Promise.all([
      accounts.list(),
      sync()?.pairs() ?? [],
      metadata()?.ready() ?? false,
      block('scheduling'),
      block('scrobbler'),
      activity()?.list({ limit: RECENT }),
    ])
    const enabled = pairs.filter((pair) => pair.enabled).length
    return {
      ok: true,
      auth: authOf(all),
      pairs: { count: pairs.length, total: pairs.length, enabled, active: enabled, disabled: pairs.length - enabled },
      metadata: { detected: metadata() !== undefined, configured },
      scheduling,
      scrobbler,
      recent_activity: { items: recent?.items ?? [] },
    }
  })
}

function authOf(accounts: readonly Account[]) {
  const configured = Map.groupBy(
    accounts.filter((account) => account.configured),
    ({ provider }) => provider.toLowerCase(),
  )
  return {
    configured: configured.size,
    profiles: [...configured]
      .map(([provider, own]) => ({ provider, count: own.length }))
      .sort((a, b) => (a.provider < b.provider ? -1 : 1)),
  }
}
