import { orNull, Type } from '@playhead/sdk'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Minutes = Type.Integer({ minimum: 0 })
const Ids = Type.Record(Text, Text, { description: 'By scheme.' })
const Year = orNull(Type.Integer())
const Time = orNull(
  Type.String({ description: 'ISO 8601, UTC; a date alone where only the day is known.', examples: ['2026-07-01'] }),
)
const Account = { provider: Text, instance: Text }
const open = { additionalProperties: true }

/** Part of every response. */
const Index = Type.Object(
  {
    current: Type.Boolean({
      description: 'false: a check for changes or a rebuild is running. Request it again later.',
    }),
    built_at: Text,
  },
  { description: 'The rows of the accounts at the time of the last rebuild.' },
)

const Title = {
  key: Type.String({ examples: ['movie:tmdb:949'] }),
  kind: Type.String({ description: '`movie` or `show`.' }),
  anime: Type.Boolean(),
  title: Type.String({ description: 'Empty if no account says it.' }),
  year: Year,
  ids: Ids,
  accounts: Type.Array(Type.Object({ ...Account, features: Type.Array(Text) })),
  plays: Type.Integer({ minimum: 0, description: 'Plays with a time or a day; each counts once.' }),
  episodes: Type.Integer({ minimum: 0, description: 'Different episodes that were watched.' }),
  last_watched: Time,
  added: Time,
  rating: orNull(Type.Integer()),
  progress: orNull(Type.Number({ description: 'Percent; the newest position.' })),
}

export const TitlesAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    items: Type.Array(Type.Object(Title)),
    total: Count,
    sections: Type.Optional(
      Type.Array(
        Type.Object({
          label: orNull(
            Type.String({
              description:
                'Depends on the order: a letter (`#` for other characters), a year, a month (UTC) or a rating; null: titles without a value.',
            }),
          ),
          offset: Count,
        }),
        { description: 'Where the list comes to another letter, year, month or rating; only if asked for.' },
      ),
    ),
    accounts: Type.Array(Type.Object({ ...Account, titles: Count }), { description: 'All accounts with titles.' }),
    index: Index,
  },
  {
    examples: [
      {
        ok: true,
        items: [
          {
            key: 'movie:tmdb:949',
            kind: 'movie',
            anime: false,
            title: 'Heat',
            year: 1995,
            ids: { tmdb: '949', imdb: 'tt0113277' },
            accounts: [{ provider: 'MEDIAA', instance: 'default', features: ['history', 'ratings'] }],
            plays: 2,
            episodes: 0,
            last_watched: '2026-07-01T20:15:00Z',
            added: null,
            rating: 9,
            progress: null,
          },
        ],
        total: 1,
        accounts: [{ provider: 'MEDIAA', instance: 'default', titles: 1 }],
        index: { current: true, built_at: '2026-07-02T06:00:00Z' },
      },
    ],
  },
)

const Play = Type.Object({
  key: Type.String({ description: 'Key of the title.' }),
  type: Type.String({ description: '`movie` or `episode`.' }),
  title: Text,
  year: Year,
  ids: Ids,
  season: orNull(Type.Integer()),
  episode: orNull(Type.Integer()),
  episode_title: orNull(Text),
  watched_at: Type.String({ description: 'ISO 8601, UTC; a date alone where only the day is known.' }),
  day: Type.String({ description: 'The day in the time zone of the request.' }),
  services: Type.Array(
    Type.Object({ ...Account, count: Type.Integer({ description: 'Rows that this account has of the play.' }) }),
  ),
  duplicates: Type.Integer({ minimum: 0, description: 'Rows that an account has more than once.' }),
})

export const HistoryAnswer = Type.Object({
  ok: Type.Boolean(),
  items: Type.Array(Play),
  total: Count,
  next_cursor: orNull(Type.String({ description: 'For the next page; null on the last one.' })),
  index: Index,
})

export const TitleAnswer = Type.Object({
  ok: Type.Boolean(),
  ...Title,
  names: Type.Array(Text, { description: 'All keys of the title.' }),
  says: Type.Array(Type.Object({ ...Account, title: orNull(Text), year: Year, ids: Ids, rows: Count }), {
    description: 'The ids of the title at each account; different ids are one title if they share an id.',
  }),
  matrix: Type.Array(
    Type.Object({
      ...Account,
      features: Type.Array(
        Type.Object({
          feature: Text,
          present: Type.Boolean(),
          count: Type.Integer({ description: 'For shows, the number of episodes.' }),
          value: orNull(Type.Number({ description: 'Rating, or position in percent.' })),
          at: Time,
          read_at: Type.Union([Text, Type.Null()], {
            description: 'When the account was read; null: it is always current.',
          }),
          stale: Type.Boolean({
            description: 'It was watched after the account was read, so the account may have it by now.',
          }),
        }),
      ),
    }),
    { description: 'The rows of each account, by feature that was read.' },
  ),
  seasons: Type.Array(
    Type.Object({ season: Type.Integer(), accounts: Type.Array(Type.Object({ ...Account, episodes: Count })) }),
    { description: 'Watched episodes.' },
  ),
  latest_plays: Type.Array(Play, { maxItems: 100 }),
  changes: Type.Array(Type.Object({ id: Type.Integer(), event_type: Text, created_at: Type.Integer() }, open), {
    description: 'Events of the title, newest first; as in `GET /api/events/item/{item_key}`.',
  }),
  not_synced: Type.Array(
    Type.Object({
      pair_id: Text,
      feature: Text,
      ...Account,
      op: Text,
      key: Text,
      season: orNull(Type.Integer()),
      episode: orNull(Type.Integer()),
      reason_code: Text,
      attempts: Count,
      quarantined: Type.Boolean(),
      first_at: Time,
      last_at: Time,
      run_id: Text,
    }),
  ),
  index: Index,
})

export const PagesAnswer = Type.Object({
  ok: Type.Boolean(),
  pages: Type.Array(Type.Object({ ...Account, url: Text }), {
    description: 'Of the accounts whose service has pages of titles, and is certain of that address.',
  }),
})

export const EpisodesAnswer = Type.Object({
  ok: Type.Boolean(),
  aired: orNull(
    Type.Integer({ minimum: 0, description: 'Episodes that were aired, without specials; null: not known.' }),
  ),
  episodes: Type.Array(
    Type.Object({
      season: Type.Integer(),
      episode: Type.Integer(),
      title: Type.String({ description: 'Empty if it is not known.' }),
      accounts: Type.Array(Type.Object(Account), { description: 'Which have it as watched.' }),
    }),
    { description: 'Those that were watched anywhere, and all aired ones if they are known. Empty for a film.' },
  ),
})

const Sums = { plays: Count, minutes: Minutes }
const TopTitle = Type.Object({ key: Text, title: Text, year: Year, ids: Ids, ...Sums })
const Streak = orNull(Type.Object({ days: Count, from: Text, to: Text }))

export const StatisticsAnswer = Type.Object({
  ok: Type.Boolean(),
  range: Type.Object({ from: orNull(Text), to: orNull(Text), tz: Text }),
  years: Type.Array(Type.Integer(), { description: 'Years with plays, newest first.' }),
  totals: Type.Object({
    plays: Count,
    movies: Count,
    episodes: Count,
    titles: Count,
    days: Type.Integer({ description: 'Days with a play.' }),
    rewatches: Type.Integer({ description: 'Plays beyond the first of each film or episode in the range.' }),
    date_only: Type.Integer({ description: 'Plays with only a date; they count in no hour.' }),
    undated: Type.Integer({ description: 'Films and episodes watched at an unknown time, of all years; no plays.' }),
    minutes: Minutes,
    known_plays: Type.Integer({ description: 'Plays whose length is known.' }),
    minutes_method: Type.Object({
      known_plays: Count,
      estimated_plays: Count,
      estimate_minutes: Type.Object({ movie: Minutes, episode: Minutes }),
    }),
  }),
  days: Type.Array(Type.Object({ date: Text, ...Sums })),
  months: Type.Array(Type.Object({ month: Text, ...Sums })),
  weekdays: Type.Array(Type.Object({ weekday: Type.Integer({ description: '1 is Monday.' }), ...Sums })),
  hours: Type.Array(Type.Object({ hour: Type.Integer(), ...Sums })),
  top: Type.Object({ movies: Type.Array(TopTitle), shows: Type.Array(TopTitle) }),
  genres: Type.Object({
    items: Type.Array(Type.Object({ name: Text, ...Sums })),
    known_plays: Type.Integer({ description: 'Plays of titles whose genres are known.' }),
  }),
  ratings: Type.Array(Type.Object({ rating: Type.Integer(), count: Count })),
  services: Type.Array(
    Type.Object(
      { ...Account, plays: Count, watched: Count, watchlist: Count, ratings: Count, progress: Count },
      { description: 'Plays in the range; the other numbers are current.' },
    ),
  ),
  unreadable: Type.Array(
    Type.Object(
      { ...Account, feature: Text, rows: Count },
      { description: 'Stored rows that are damaged and not counted. A refresh of the account mends them.' },
    ),
  ),
  streaks: Type.Object({ longest: Streak, current: Streak }),
  index: Index,
})
