// Routes for titles, history and statistics.
import { defined, oneOf, type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import type { FastifyRequest } from 'fastify'
import { EpisodesAnswer, HistoryAnswer, StatisticsAnswer, TitleAnswer, TitlesAnswer } from './answers.ts'
import type { Parts } from './parts.ts'
import { accountsOf } from './read/accounts.ts'
import { episodesOf } from './read/episodes.ts'
import { historyOf, type HistoryQuery } from './read/history.ts'
import { sectionsOf } from './read/sections.ts'
import type { StatisticsQuery } from './read/statistics.ts'
import { titleOf } from './read/title.ts'
import { FEATURE_FILTERS, KINDS, SORTS, titlesOf, type TitlesQuery } from './read/titles.ts'
import { zoneOf } from './read/zone.ts'

const Accounts = (description: string) => Type.Optional(Type.String({ maxLength: 2_000, description }))
const NAMES = 'Accounts, separated by commas: `PLEX@default`, or `PLEX` for all profiles.'
const Search = Type.Optional(Type.String({ maxLength: 200, description: 'All words must occur in the title.' }))
const Fresh = Type.Boolean({
  default: false,
  description: 'Waits until all earlier changes are included. Otherwise the current state is returned at once.',
})
const TimeZone = Type.String({ default: 'UTC', minLength: 1, maxLength: 64, description: 'Name, as Europe/Berlin.' })
const Day = (description: string) => Type.Optional(Type.String({ maxLength: 10, description }))

const TitlesParameters = Type.Object({
  q: Search,
  kind: Type.Optional(oneOf(KINDS)),
  account: Accounts(`Titles that these accounts have, in \`feature\` if given. ${NAMES}`),
  feature: Type.Optional(oneOf(FEATURE_FILTERS)),
  missing: Accounts(`Titles that these accounts lack and another account has, in \`feature\` if given. ${NAMES}`),
  sort: oneOf(SORTS, 'title'),
  order: Type.Optional(oneOf(['asc', 'desc'])),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  limit: Type.Integer({ default: 50, minimum: 1, maximum: 200 }),
  sections: Type.Boolean({ default: false, description: 'Adds where the list comes to another letter or year.' }),
  fresh: Fresh,
})
const RangeParameters = { from: Day('First day, `2026-01-01`.'), to: Day('Last day.'), tz: TimeZone }
const HistoryParameters = Type.Object({
  ...RangeParameters,
  q: Search,
  kind: Type.Optional(oneOf(['movie', 'episode'])),
  account: Accounts(`Plays that any of these has. ${NAMES}`),
  duplicates: Type.Boolean({ default: false, description: 'Only plays that an account has more than once.' }),
  cursor: Type.Optional(Type.String({ maxLength: 2_000, description: '`next_cursor` of the page before.' })),
  limit: Type.Integer({ default: 50, minimum: 1, maximum: 200 }),
  fresh: Fresh,
})
const StatisticsParameters = Type.Object({
  ...RangeParameters,
  year: Type.Optional(Type.Integer({ minimum: 1870, maximum: 2100, description: 'Instead of `from` and `to`.' })),
  account: Accounts(`Only plays that any of these has. ${NAMES}`),
  fresh: Fresh,
})
const TitleParameters = Type.Object({ key: Type.String({ minLength: 1, maxLength: 600 }) })

export function registerRoutes(app: PluginApp, parts: Parts): void {
  const { ctx, keeper, reader, statistics } = parts
  const now = () => parts.now()
  const stateOf = async (fresh: boolean) => {
    const { build, builtAt, current } = await keeper.state(fresh)
    return { build, index: { current, built_at: new Date(builtAt).toISOString() } }
  }

  /** Also looks for changes of the sources, as each read does. A fresh read waits for them and is not stored. */
  async function revisionOf(fresh: boolean): Promise<string | null> {
    if (fresh) return null
    const { current } = await keeper.state(false)
    return `${parts.revision()} ${current}`
  }
  const byIndex = {
    revision: ({ query }: FastifyRequest<{ Querystring: { fresh: boolean } }>) => revisionOf(query.fresh),
  }

  app.get<{ Querystring: TitlesQuery & { readonly sections: boolean; readonly fresh: boolean } }>(
    '/api/library',
    {
      ...skipSerializer,
      config: byIndex,
      schema: { summary: 'Every title on any account', querystring: TitlesParameters, response: { 200: TitlesAnswer } },
    },
    async ({ query }) => {
      const { build, index } = await stateOf(query.fresh)
      const [accounts, counts] = await Promise.all([accountsOf(reader), parts.counts(build)])
      const [{ items, total }, sections] = await Promise.all([
        titlesOf(reader, accounts, query),
        query.sections ? sectionsOf(reader, accounts, query) : undefined,
      ])
      return { ok: true, items, total, ...defined({ sections }), accounts: counts, index }
    },
  )

  app.get<{ Params: { key: string }; Querystring: { tz: string; fresh: boolean } }>(
    '/api/library/:key',
    {
      ...skipSerializer,
      schema: {
        summary: 'One title: the rows of each account, and its history',
        params: TitleParameters,
        querystring: Type.Object({ tz: TimeZone, fresh: Fresh }),
        response: { 200: TitleAnswer },
      },
    },
    async ({ params, query }) => {
      const zone = zoneOf(query.tz)
      const { index } = await stateOf(query.fresh)
      return { ok: true, ...(await titleOf(ctx, reader, await accountsOf(reader), params.key, zone)), index }
    },
  )

  app.get<{ Params: { key: string } }>(
    '/api/library/:key/episodes',
    {
      ...skipSerializer,
      schema: {
        summary: 'The episodes of a show, and the accounts that have them as watched',
        params: TitleParameters,
        response: { 200: EpisodesAnswer },
      },
    },
    async ({ params }) => {
      await stateOf(false)
      return { ok: true, ...(await episodesOf(ctx, reader, await accountsOf(reader), params.key, now())) }
    },
  )

  app.get<{ Querystring: HistoryQuery & { readonly tz: string; readonly fresh: boolean } }>(
    '/api/history',
    {
      ...skipSerializer,
      config: byIndex,
      schema: {
        summary: 'All plays by day, newest first',
        querystring: HistoryParameters,
        response: { 200: HistoryAnswer },
      },
    },
    async ({ query }) => {
      const zone = zoneOf(query.tz)
      const { index } = await stateOf(query.fresh)
      return { ok: true, ...(await historyOf(reader, await accountsOf(reader), query, zone)), index }
    },
  )

  app.get<{ Querystring: StatisticsQuery & { readonly tz: string; readonly fresh: boolean } }>(
    '/api/statistics',
    {
      ...skipSerializer,
      config: {
        async revision({ query }: FastifyRequest<{ Querystring: { tz: string; fresh: boolean } }>) {
          const today = zoneOf(query.tz).today(now())
          const revision = await revisionOf(query.fresh)
          return revision === null ? null : `${revision} ${today}`
        },
      },
      schema: {
        summary: 'Statistics of plays and ratings',
        querystring: StatisticsParameters,
        response: { 200: StatisticsAnswer },
      },
    },
    async ({ query }) => {
      const zone = zoneOf(query.tz)
      const { build, index } = await stateOf(query.fresh)
      const { fresh: _, tz: __, ...chosen } = query
      return { ok: true, ...(await statistics(build, chosen, zone, now())), index }
    },
  )
}
