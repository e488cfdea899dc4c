// Routes for titles, history and statistics.
import {
  type AccountName,
  defined,
  namedPerson,
  oneOf,
  householdOf,
  type PluginApp,
  skipSerializer,
  Type,
} from '@playhead/sdk'
import type { FastifyRequest } from 'fastify'
import { EpisodesAnswer, HistoryAnswer, PagesAnswer, StatisticsAnswer, TitleAnswer, TitlesAnswer } from './answers.ts'
import type { Parts } from './parts.ts'
import { accountsOf } from './read/accounts.ts'
import { episodesOf } from './read/episodes.ts'
import { historyOf, type HistoryQuery } from './read/history.ts'
import { pagesOf } from './read/pages.ts'
import { sectionsOf } from './read/sections.ts'
import type { StatisticsQuery } from './read/statistics.ts'
import { titleOf } from './read/title.ts'
import { FEATURE_FILTERS, KINDS, SORTS, titlesOf, type TitlesQuery } from './read/titles.ts'
import { zoneOf } from './read/zone.ts'

const Accounts = (description: string) => Type.Optional(Type.String({ maxLength: 2_000, description }))
const NAMES = 'Accounts, separated by commas: `PLEX@default`, or `PLEX` for all profiles.'
const Search = Type.Optional(Type.String({ maxLength: 200, description: 'All words must occur in the title.' }))
const OfPerson = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Id of a person: only what the accounts of this person have.',
  }),
)
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
  person: OfPerson,
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
  person: OfPerson,
  duplicates: Type.Boolean({ default: false, description: 'Only plays that an account has more than once.' }),
  cursor: Type.Optional(Type.String({ maxLength: 2_000, description: '`next_cursor` of the page before.' })),
  limit: Type.Integer({ default: 50, minimum: 1, maximum: 200 }),
  fresh: Fresh,
})
const StatisticsParameters = Type.Object({
  ...RangeParameters,
  year: Type.Optional(Type.Integer({ minimum: 1870, maximum: 2100, description: 'Instead of `from` and `to`.' })),
  account: Accounts(`Only plays that any of these has. ${NAMES}`),
  person: OfPerson,
  fresh: Fresh,
})
const TitleParameters = Type.Object({ key: Type.String({ minLength: 1, maxLength: 600 }) })

interface Filtered {
  readonly fresh: boolean
  readonly person?: string
}

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
  /** The accounts of the person in a request; undefined without one. */
  async function ownIn({ person }: Filtered): Promise<readonly AccountName[] | undefined> {
    if (person === undefined) return undefined
    return namedPerson(await householdOf(ctx), person).accounts
  }

  async function filteredRevision(query: Filtered): Promise<string | null> {
    const revision = await revisionOf(query.fresh)
    if (revision === null || query.person === undefined) return revision
    // An unknown person is the route's own refusal.
    const own = await ownIn(query).catch(() => null)
    return own === null ? null : `${revision} ${JSON.stringify(own)}`
  }
  const byIndex = { revision: ({ query }: FastifyRequest<{ Querystring: Filtered }>) => filteredRevision(query) }

  app.get<{ Querystring: TitlesQuery & Filtered & { readonly sections: boolean } }>(
    '/api/library',
    {
      ...skipSerializer,
      config: byIndex,
      schema: { summary: 'Every title on any account', querystring: TitlesParameters, response: { 200: TitlesAnswer } },
    },
    async ({ query }) => {
      const shown = { ...query, ...defined({ own: await ownIn(query) }) }
      const { build, index } = await stateOf(query.fresh)
      const [accounts, counts] = await Promise.all([accountsOf(reader), parts.counts(build)])
      const [{ items, total }, sections] = await Promise.all([
        titlesOf(reader, accounts, shown),
        query.sections ? sectionsOf(reader, accounts, shown) : undefined,
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

  app.get<{ Params: { key: string } }>(
    '/api/library/:key/pages',
    {
      ...skipSerializer,
      schema: {
        summary: 'The pages of a title at the services of accounts',
        params: TitleParameters,
        response: { 200: PagesAnswer },
      },
    },
    async ({ params }) => {
      await stateOf(false)
      return { ok: true, ...(await pagesOf(ctx, reader, await accountsOf(reader), params.key)) }
    },
  )

  app.get<{ Querystring: HistoryQuery & Filtered & { readonly tz: string } }>(
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
      const shown = { ...query, ...defined({ own: await ownIn(query) }) }
      const { index } = await stateOf(query.fresh)
      return { ok: true, ...(await historyOf(reader, await accountsOf(reader), shown, zone)), index }
    },
  )

  app.get<{ Querystring: StatisticsQuery & Filtered & { readonly tz: string } }>(
    '/api/statistics',
    {
      ...skipSerializer,
      config: {
        async revision({ query }: FastifyRequest<{ Querystring: Filtered & { tz: string } }>) {
          const today = zoneOf(query.tz).today(now())
          const revision = await filteredRevision(query)
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
      const own = await ownIn(query)
      const { build, index } = await stateOf(query.fresh)
      const { fresh: _, tz: __, person: ___, ...chosen } = query
      return { ok: true, ...(await statistics(build, { ...chosen, ...defined({ own }) }, zone, now())), index }
    },
  )
}
