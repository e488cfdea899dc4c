// Routes that describe what providers support in a pair, and their numbers of rows.
import {
  type Accounts,
  defined,
  FEATURES,
  type FeatureSupport,
  type Holding,
  type PluginApp,
  type ProviderDescription,
  type Remote,
  type Static,
  Type,
} from '@playhead/sdk'
import { CountsAnswer, ProvidersAnswer } from './answers.ts'

/** Playhead's own tracker is not an external service. */
const OWN_TRACKER = 'SVC'

export interface ProviderRouteDependencies {
  readonly accounts: Remote<Accounts>
  readonly holdings: () => Promise<readonly Holding[]>
  readonly now: () => number
}

export function registerProviderRoutes(app: PluginApp, { accounts, holdings, now }: ProviderRouteDependencies): void {
  app.get(
    '/api/sync/providers',
    { schema: { summary: 'The providers, and what each can do in a pair', response: { 200: ProvidersAnswer } } },
    async () => {
      const [providers, profiles] = await Promise.all([accounts.providers(), accounts.list()])
      return providers
        .toSorted((a, b) => a.label.localeCompare(b.label))
        .map((provider) => {
          const own = profiles.filter((profile) => profile.provider === provider.id)
          return {
            ...describe(provider),
            configured: own.some(({ configured }) => configured),
            instances: own.map(({ instance, label, configured }) => ({
              id: instance,
              label: label === '' ? instance : label,
              configured,
            })),
          }
        })
    },
  )

  const CountsQuery = Type.Object({
    max_age: Type.Number({
      default: 30,
      minimum: 0,
      description: 'Seconds. Counts come from the last reads, which only a run renews.',
    }),
    force: Type.Boolean({ default: false }),
    source: Type.String({ default: 'state', maxLength: 40 }),
  })
  app.get(
    '/api/sync/providers/counts',
    {
      schema: {
        summary: 'Rows on the watchlists, as they were last read',
        querystring: CountsQuery,
        response: { 200: CountsAnswer },
      },
    },
    async (request) => {
      const { source } = request.query as Static<typeof CountsQuery>
      const [providers, rows] = await Promise.all([accounts.providers(), holdings()])
      const watchlist = rows.filter(({ feature }) => feature === 'watchlist')
      const readAtMs = watchlist.flatMap((one) => one.readAtMs ?? [])
      return {
        ok: true,
        counts: Object.fromEntries(
          providers.map(({ id }) => [id, sumOf(watchlist.filter(({ provider }) => provider === id))]),
        ),
        age: readAtMs.length === 0 ? null : Math.max(0, Math.round((now() - Math.min(...readAtMs)) / 1_000)),
        errors: {},
        source,
        by_feature: Object.fromEntries(
          FEATURES.map((feature) => [
            feature,
            countsOf(
              rows.filter((row) => row.feature === feature),
              'provider',
            ),
          ]),
        ),
        by_instance: countsOf(watchlist, 'account'),
      }
    },
  )
}

/** Null if no list was read, as opposed to an empty list. */
function sumOf(rows: readonly Holding[]): number | null {
  const read = rows.filter(({ readAtMs }) => readAtMs !== null)
  return read.length === 0 ? null : read.reduce((total, { count }) => total + count, 0)
}

function countsOf(rows: readonly Holding[], by: 'provider' | 'account'): Record<string, number | null> {
  const groups = Map.groupBy(rows, ({ provider, instance }) =>
    by === 'provider' ? provider : `${provider}@${instance}`,
  )
  return Object.fromEntries([...groups].map(([name, own]) => [name, sumOf(own)]))
}

function describe({
  id,
  label,
  mark,
  popular,
  group,
  terms,
  version,
  vendor,
  description,
  features,
  bidirectional,
  droppedShows,
}: ProviderDescription) {
  const supports = Object.values(features)
  const plays = features.history?.plays
  const completion = features.progress?.completion
  return {
    name: id,
    label,
    mark: mark ?? null,
    popular: popular ?? null,
    group,
    terms: { pairs: terms?.pairs ?? null, captures: terms?.captures ?? null },
    list_service: id !== OWN_TRACKER && (group === 'tracker' || (group === 'other' && supports.some(({ add }) => add))),
    version,
    vendor,
    description,
    features: Object.fromEntries(FEATURES.map((feature) => [feature, features[feature] !== undefined])),
    can_source: supports.some(({ read }) => read),
    can_target: supports.some(({ add }) => add),
    types: Object.fromEntries(
      FEATURES.flatMap((feature) => (features[feature] === undefined ? [] : [[feature, features[feature].kinds]])),
    ),
    operations: Object.fromEntries(
      FEATURES.flatMap((feature) =>
        features[feature] === undefined ? [] : [[feature, operationsOf(features[feature])]],
      ),
    ),
    capabilities: {
      bidirectional,
      dropped_shows: droppedShows === true,
      ...(features.progress === undefined
        ? {}
        : {
            progress: {
              requires_duration: features.progress.needsDuration === true,
              ...(completion === undefined
                ? {}
                : {
                    server_completion_percent: completion.percent,
                    completion_policy: {
                      progress_write: {
                        mode: 'auto_complete',
                        auto_completes_at_percent: completion.percent,
                        ...defined({ min_duration_seconds: completion.minDurationSeconds }),
                      },
                    },
                  }),
            },
          }),
      history: { rewatches: { read: plays?.read === true, write: plays?.write === true } },
    },
  }
}

function operationsOf({ read, add, update, remove, removalSideEffects }: FeatureSupport) {
  return { read, add, update, remove, ...defined({ removal_side_effects: removalSideEffects }) }
}
