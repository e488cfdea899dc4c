// The insights: numbers of each feature now and over time, and results of the last runs.
import {
  type Feature,
  type FeatureNumbers,
  isPlayheadError,
  type PluginApp,
  type Remote,
  type RunSummary,
  type Static,
  type TrackerStore,
  Type,
  skipSerializer,
} from '@playhead/sdk'
import { httpOf } from './http.ts'
import type { Parts } from './parts.ts'
import { Insights } from './answers.ts'
import { newestResult, reportRow } from './reports.ts'
import { COUNTED, type Counted, TRACKER, unreadableOf } from './numbers.ts'
import type { Sample } from './statistics.ts'

const Query = Type.Object({
  limit_samples: Type.Integer({ default: 60, minimum: 0, maximum: 4_000 }),
  history: Type.Integer({ default: 3, minimum: 0, maximum: 60, description: 'Number of run reports.' }),
  runtime: Type.Integer({ default: 0, minimum: 0, maximum: 1, description: 'Uses cached runtimes only.' }),
})

type Query = Static<typeof Query>

const DAY_SECONDS = 86_400
const REPORTS = 60
const EVENTS = 500
const MINUTES = { movies: 115, episodes: 45 } as const
const ORDER: readonly (readonly string[])[] = [
  ['history', 'watchlist', 'ratings', 'progress', 'playlists'],
  ['add', 'remove', 'update'],
]

export function registerInsightRoutes(app: PluginApp, parts: Parts): void {
  app.get(
    '/api/insights',
    {
      ...skipSerializer,
      schema: {
        summary: 'Numbers of each feature, now and over time',
        querystring: Query,
        response: { 200: Insights },
      },
    },
    async (request) => {
      return insightsOf(parts, request.query as Query)
    },
  )
}

async function insightsOf(
  parts: Parts,
  { limit_samples: limitSamples, history, runtime }: Query,
): Promise<Readonly<Record<string, unknown>>> {
  const { ctx, numbers, statistics, accounts, sync, now } = parts
  const http = httpOf(ctx.host)
  const [all, pairs, reports, counted, events] = await Promise.all([
    accounts.list(),
    sync()?.pairs() ?? [],
    sync()?.reports(REPORTS) ?? [],
    statistics.runs(),
    statistics.events(EVENTS),
  ])
  const runs = reports.filter(({ dry_run: isDry }) => !isDry)
  const posts = new Map(counted.map((run) => [run.run_id, run.posts]))
  const active = Object.fromEntries(
    all.map(({ provider }) => [
      provider,
      pairs.some(({ source, target }) => source === provider || target === provider),
    ]),
  )
  const features: Record<string, Readonly<Record<string, unknown>>> = {}
  const series: Record<string, readonly Sample[]> = {}
  const seen = {} as Record<Counted, FeatureNumbers>
  for (const feature of COUNTED) {
    const view = await numbers(feature)
    seen[feature] = view
    series[feature] = await statistics.samples(feature, limitSamples)
    features[feature] = await featureOf(parts, { feature, view, runs, active, series: series[feature] })
  }
  const { now: current, week, month, added, removed } = features['watchlist'] as Readonly<Record<string, unknown>>
  const byFeature = <Value>(of: (view: FeatureNumbers) => Value) =>
    Object.fromEntries(COUNTED.map((feature) => [feature, of(seen[feature])]))
  return {
    series: series['watchlist'],
    series_by_feature: series,
    history: runs.slice(0, history).map((run) => reportRow(run, posts.get(run.run_id) ?? {})),
    watchtime: await watchtimeOf(parts, runtime === 1),
    providers: seen.watchlist.providers,
    providers_by_feature: byFeature(({ providers }) => providers),
    instances_by_provider: listed(all),
    providers_instances_by_feature: byFeature((view) => byInstance(view, ({ count }) => count)),
    providers_instances_mse_by_feature: byFeature((view) => byInstance(view, ({ kinds }) => kinds)),
    providers_active: active,
    events: events.toSorted(
      (a, b) =>
        b.ts - a.ts ||
        rank(a, 'feature') - rank(b, 'feature') ||
        rank(a, 'action') - rank(b, 'action') ||
        (String(a['source']) < String(b['source']) ? -1 : 1),
    ),
    http: { ...http, events: http.events.slice(-EVENTS) },
    generated_at: new Date(now()).toISOString(),
    features,
    svc_snapshots: await snapshotsOf(parts),
    now: current,
    week,
    month,
    added,
    removed,
  }
}

interface FeatureInput {
  readonly feature: Counted
  readonly view: FeatureNumbers
  readonly runs: readonly RunSummary[]
  readonly active: Readonly<Record<string, boolean>>
  readonly series: readonly Sample[]
}

async function featureOf({ statistics, now }: Parts, { feature, view, runs, active, series }: FeatureInput) {
  const at = Math.floor(now() / 1_000)
  const result = newestResult(runs, feature)
  const [week, month] = await Promise.all([7, 30].map((days) => statistics.sampleAt(feature, at - days * DAY_SECONDS)))
  return {
    now: view.now,
    week: week ?? view.now,
    month: month ?? view.now,
    added: result?.added ?? 0,
    removed: result?.removed ?? 0,
    updated: result?.updated ?? 0,
    spotlight_add: result?.spotlight_add ?? [],
    spotlight_remove: result?.spotlight_remove ?? [],
    spotlight_update: result?.spotlight_update ?? [],
    series,
    providers: view.providers,
    providers_active: active,
    providers_mse: view.providerKinds,
    providers_instances: byInstance(view, ({ count }) => count),
    providers_instances_mse: byInstance(view, ({ kinds }) => kinds),
    unreadable: unreadableOf(view),
    ...(feature === 'history' ? { breakdown: view.kinds } : {}),
  }
}

async function watchtimeOf({ catalog }: Parts, usesLengths: boolean) {
  const { movies, episodes, ...found } = (await catalog()?.plays()) ?? { movies: 0, episodes: 0, minutes: 0, known: 0 }
  const known = usesLengths ? found.known : 0
  const minutes = usesLengths ? found.minutes : movies * MINUTES.movies + episodes * MINUTES.episodes
  return {
    movies,
    shows: episodes,
    minutes,
    hours: Math.round(minutes / 6) / 10,
    days: Math.round(minutes / 144) / 10,
    method: known === 0 ? 'estimate' : known === movies + episodes ? 'tmdb' : 'mixed',
  }
}

function byInstance<Value>(
  { accounts }: FeatureNumbers,
  of: (account: FeatureNumbers['accounts'][number]) => Value,
): Record<string, Record<string, Value>> {
  const found: Record<string, Record<string, Value>> = {}
  for (const account of accounts) (found[account.provider] ??= {})[account.instance] = of(account)
  return found
}

function listed(
  accounts: readonly { readonly provider: string; readonly instance: string }[],
): Record<string, readonly string[]> {
  const groups = Map.groupBy(accounts, ({ provider }) => provider)
  return Object.fromEntries([...groups].map(([provider, own]) => [provider, own.map(({ instance }) => instance)]))
}

function rank(event: Readonly<Record<string, unknown>>, name: 'feature' | 'action'): number {
  const at = (ORDER[name === 'feature' ? 0 : 1] as readonly string[]).indexOf(String(event[name]))
  return at === -1 ? 99 : at
}

async function snapshotsOf({ accounts, tracker, ctx }: Parts): Promise<Readonly<Record<string, unknown>>> {
  const store = tracker()
  const own = (await accounts.list()).filter(({ provider }) => provider === TRACKER)
  if (store === undefined || own.length === 0) return { _profiles: [], _by_profile: {} }
  const profiles: Record<string, Record<string, object>> = {}
  for (const { instance } of own) {
    const known: Record<string, object> = {}
    for (const feature of COUNTED) {
      try {
        known[feature] = await snapshotOf(store, instance, feature)
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        ctx.log.warn({ instance, feature, code: error.code }, 'the snapshots of a tracker profile could not be read')
      }
    }
    profiles[instance] = known
  }
  return {
    _profiles: own.map(({ instance, label }) => ({ id: instance, label: label === '' ? instance : label })),
    _by_profile: profiles,
    ...profiles['default'],
  }
}

async function snapshotOf(store: Remote<TrackerStore>, instance: string, feature: Feature): Promise<object> {
  const [selected, snapshots] = await Promise.all([
    store.selected(instance, feature),
    store.snapshots(instance, feature),
  ])
  const actual = selected === 'latest' ? snapshots[0] : snapshots.find(({ name }) => name === selected)
  const ts = actual === undefined ? null : new Date(actual.atMs).toISOString()
  return {
    selected,
    actual: actual?.name ?? null,
    human: actual === undefined ? '' : humanDate(actual.atMs),
    ts,
    has_snapshots: snapshots.length > 0,
    provider_instance: instance,
  }
}

/** `05-Mar-26` */
function humanDate(atMs: number): string {
  const date = new Date(atMs)
  const month = date.toLocaleString('en', { month: 'short', timeZone: 'UTC' })
  return [String(date.getUTCDate()).padStart(2, '0'), month, String(date.getUTCFullYear() % 100).padStart(2, '0')].join(
    '-',
  )
}
