// Request and response for moving a title to other ids at one account.
import { defined, oneOf, orNull, PlayheadError, type Static, Type } from '@playhead/sdk'
import { type Item, readIds, tokensOf } from '@playhead/sdk/items'

const Title = {
  type: oneOf(['movie', 'show']),
  ids: Type.Record(Type.String({ maxLength: 64 }), Type.Union([Type.String({ maxLength: 256 }), Type.Number()]), {
    maxProperties: 40,
    description: 'By scheme: tmdb, imdb, tvdb, …',
  }),
}
const PLACE = {
  season: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
  episode: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'With the season: only this episode of the show.' }),
  ),
}
const Name = Type.Optional(orNull(Type.String({ maxLength: 500 })))
const Year = Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: 9_999 })))

export const MatchBody = Type.Object(
  {
    provider: Type.String({ minLength: 1, maxLength: 64 }),
    instance: Type.String({ default: 'default', minLength: 1, maxLength: 64 }),
    from: Type.Object({ ...Title, ...PLACE }, { description: 'The ids that the account has for the title.' }),
    to: Type.Object({ ...Title, ...PLACE, title: Name, year: Year }, { description: 'The correct title.' }),
    dry_run: Type.Boolean({ default: false, description: 'Only say what would be moved. Writes nothing.' }),
  },
  { additionalProperties: false, title: 'MatchRequest' },
)
export type MatchBody = Static<typeof MatchBody>

const Count = Type.Integer({ minimum: 0 })
const MatchFeature = Type.Object({
  feature: oneOf(['history', 'ratings', 'watchlist', 'progress']),
  rows: Type.Integer({
    minimum: 0,
    description: 'Number of rows that the account has of the title: plays, ratings, …',
  }),
  moved: Count,
  left: Type.Integer({ minimum: 0, description: 'Number of rows that stay unchanged.' }),
  problems: Type.Array(Type.Object({ season: orNull(Count), episode: orNull(Count), reason: Type.String() }), {
    description: 'Why; the first 50.',
  }),
  plan_ids: Type.Array(Type.String(), { description: '`POST /api/run/{plan_id}/undo` reverses them, the last first.' }),
})
export type MatchFeature = Static<typeof MatchFeature>

export const MatchAnswer = Type.Object({
  ok: Type.Boolean({ description: 'Nothing is left.' }),
  dry_run: Type.Boolean(),
  remembered: Type.Boolean({
    description:
      'Of a media server that lacks the ids: Playhead keeps them as manual adds, and no service is written. `moved` counts the rows that have them now.',
  }),
  provider: Type.String(),
  instance: Type.String(),
  features: Type.Array(MatchFeature),
})
export type MatchAnswer = Static<typeof MatchAnswer>

interface Place {
  readonly season: number
  readonly episode: number
}

export interface MatchOrder {
  readonly provider: string
  readonly instance: string
  readonly from: Pick<Item, 'type' | 'ids'>
  /** A single episode of both shows; absent: the whole title. */
  readonly part?: { readonly from: Place; readonly to: Place }
  readonly to: Pick<Item, 'type' | 'ids'> & { readonly title: string | null; readonly year: number | null }
  readonly dryRun: boolean
}

/** @throws `PLH_INVALID`: `missing_ids`, `other_type`, `missing_episode_numbers`, `same_title` */
export function readMatch({ provider, instance, from, to, dry_run: dryRun }: MatchBody): MatchOrder {
  const wrong = { type: from.type, ids: readIds(from.ids) }
  const right = { type: to.type, ids: readIds(to.ids), title: to.title ?? null, year: to.year ?? null }
  // A file without a match at its server only has ids of that server.
  const [before, after] = [tokensOf(wrong, { within: 'account' }), tokensOf(right)]
  if (before.length === 0 || after.length === 0)
    refuse('missing_ids', 'An ID is required, for example from TMDB, IMDb or TVDB. A title alone can be ambiguous.')
  if (wrong.type !== right.type) refuse('other_type', 'A movie cannot become a show, and a show cannot become a movie.')
  const part = partOf(from, to)
  const isSamePlace = part === undefined || isAt(part.to, part.from)
  if (isSamePlace && before.some((token) => after.includes(token)))
    refuse('same_title', 'Both have an ID in common, so they are the same title.')
  return { provider, instance, from: wrong, to: right, dryRun, ...defined({ part }) }
}

function partOf(from: MatchBody['from'], to: MatchBody['to']): MatchOrder['part'] {
  const numbers = [from.season, from.episode, to.season, to.episode]
  if (numbers.every((number) => number === undefined)) return undefined
  const [season, episode, rightSeason, rightEpisode] = numbers
  const isWhole = numbers.every((number) => number !== undefined) && from.type === 'show'
  if (!isWhole) refuse('missing_episode_numbers', 'An episode needs the season and the episode of both shows.')
  return { from: { season: season!, episode: episode! }, to: { season: rightSeason!, episode: rightEpisode! } }
}

/** Whether an episode has these numbers. */
export function isAt({ season, episode }: { season?: number; episode?: number }, place: Place): boolean {
  return season === place.season && episode === place.episode
}

function refuse(wire: string, text: string): never {
  throw new PlayheadError('PLH_INVALID', text, { wire })
}
