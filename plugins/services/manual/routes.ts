// Routes of manual actions: targets, preview, execution and match.
import { accountLabel, ownersOf, type PluginApp, skipSerializer } from '@playhead/sdk'
import type { FeatureSupport } from '@playhead/sdk/provider'
import type { Parts } from './parts.ts'
import { Body, ProvidersAnswer, WatchedAnswer } from './request/body.ts'
import { MatchAnswer, MatchBody } from './request/match.ts'
import { isOwn, showHistoryOf } from './targets.ts'

export function registerRoutes(
  app: PluginApp,
  { targets, persons, watched, match }: Pick<Parts, 'targets' | 'persons' | 'watched' | 'match'>,
): void {
  app.get(
    '/api/manual/providers',
    { ...skipSerializer, schema: { summary: 'Accounts for manual actions', response: { 200: ProvidersAnswer } } },
    async () => {
      const [all, household] = await Promise.all([targets(), persons()])
      const providers = all
        .map((target) => {
          const { provider, instance, label, instanceLabel, history, ratings, watchlist } = target
          return {
            provider,
            instance,
            label,
            display: accountLabel(label, instance, instanceLabel),
            history_enabled: history?.add === true,
            ratings_enabled: ratings?.add === true,
            watchlist_enabled: watchlist?.add === true,
            remove_watchlist_enabled: watchlist?.remove === true,
            show_history: showHistoryOf(target),
            person: ownersOf(household, [target])[0]?.id ?? null,
            can_match: target.canMatch,
            own: isOwn(target),
            anime_only: target.animeOnly,
            kinds: { history: kindsOf(history), ratings: kindsOf(ratings), watchlist: kindsOf(watchlist) },
          }
        })
        .sort((a, b) => order(a.label, b.label) || order(a.instance, b.instance))
      return { ok: true, providers }
    },
  )

  app.post(
    '/api/manual/watched',
    {
      ...skipSerializer,
      schema: {
        summary: 'Mark as watched, rate, change watchlists',
        description: 'Answers 200 when accounts fail, too: each result says what became of each action.',
        body: Body,
        response: { 200: WatchedAnswer },
      },
    },
    (request) => watched(request.body as Body),
  )

  app.post(
    '/api/manual/match',
    {
      ...skipSerializer,
      schema: {
        summary: 'Fix the match of a title at one account',
        description:
          'What the account has of the title (plays, rating, watchlist, position) becomes that of another title. It is added there first, and removed under the wrong ids once it arrived.',
        body: MatchBody,
        response: { 200: MatchAnswer },
      },
    },
    (request) => match(request.body as MatchBody),
  )
}

function kindsOf(support: FeatureSupport | undefined): string[] {
  return support?.add === true ? [...support.kinds] : []
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
