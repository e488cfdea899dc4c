// Rules of a person (overrides): assign a film, a show or some of its episodes to an entry, regardless of the data sets.
import { randomUUID } from 'node:crypto'
import { type EntryScheme, PlayheadError, type Static, Type } from '@playhead/sdk'
import { type IdScheme, normaliseId } from '@playhead/sdk/items'

export const MAX_RULES = 5_000
const MATCH = ['tvdb', 'tmdb', 'imdb', 'anidb', 'mal', 'anilist', 'trackB', 'kitsu'] as const
const TARGET = ['anidb', 'mal', 'anilist', 'trackB', 'kitsu'] as const
const Id = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$' })
const Text = Type.String({ maxLength: 300 })
const Number1 = Type.Integer({ minimum: 1, maximum: 999_999 })
const orNull = <Schema extends typeof Number1>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

export const GivenRule = Type.Object(
  {
    id: Type.Optional(Id),
    enabled: Type.Optional(Type.Boolean()),
    media_type: Type.Union([Type.Literal('show'), Type.Literal('movie')]),
    title: Type.Optional(Text),
    note: Type.Optional(Text),
    match_provider: Type.Union(MATCH.map((one) => Type.Literal(one))),
    match_id: Id,
    match_season: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 99_999 }), Type.Null()])),
    target_namespace: Type.Union(TARGET.map((one) => Type.Literal(one))),
    target_id: Id,
    episode_from: orNull(Number1),
    episode_to: orNull(Number1),
    episode_start_at: orNull(Number1),
  },
  {
    additionalProperties: true,
    description:
      'A whole film or show without season and episodes; else match_season, episode_from and episode_start_at are needed, and episode_to ends the range.',
  },
)
export type GivenRule = Static<typeof GivenRule>

export const Rule = Type.Object({
  id: Type.String(),
  enabled: Type.Boolean(),
  media_type: Type.Union([Type.Literal('show'), Type.Literal('movie')]),
  title: Type.String(),
  note: Type.String(),
  match_provider: Type.Union(MATCH.map((one) => Type.Literal(one))),
  match_id: Type.String(),
  match_season: Type.Union([Type.Integer(), Type.Null()]),
  target_namespace: Type.Union(TARGET.map((one) => Type.Literal(one))),
  target_id: Type.String(),
  episode_from: Type.Union([Type.Integer(), Type.Null()]),
  episode_to: Type.Union([Type.Integer(), Type.Null()]),
  episode_start_at: Type.Union([Type.Integer(), Type.Null()]),
  created_at: Type.Integer({ description: 'Epoch seconds.' }),
  updated_at: Type.Integer({ description: 'Epoch seconds.' }),
})
export type Rule = Static<typeof Rule>

/** The rules to store. Throws `PLH_INVALID` (`invalid_override`) and names the invalid rule. */
export function parseRules(given: readonly GivenRule[], before: readonly Rule[], nowS: number): Rule[] {
  const known = new Map(before.map((rule) => [rule.id, rule]))
  const seen = new Set<string>()
  return given.map((one, index) => {
    const rule = parseRule(one, index, nowS)
    if (seen.has(rule.id)) throw refuse(index, `its id "${rule.id}" is used twice`)
    seen.add(rule.id)
    const old = known.get(rule.id)
    if (old === undefined) return rule
    const kept = { ...rule, created_at: old.created_at, updated_at: old.updated_at }
    return JSON.stringify(kept) === JSON.stringify(old) ? old : { ...kept, updated_at: nowS }
  })
}

function parseRule(given: GivenRule, index: number, nowS: number): Rule {
  const { media_type, match_season = null, episode_from = null, episode_to = null, episode_start_at = null } = given
  const matchId = normaliseId(schemeFor(given.match_provider), given.match_id)
  const targetId = normaliseId(schemeFor(given.target_namespace), given.target_id)
  if (matchId === undefined) throw refuse(index, `match_id "${given.match_id}" is no id of ${given.match_provider}`)
  if (targetId === undefined)
    throw refuse(index, `target_id "${given.target_id}" is no id of ${given.target_namespace}`)
  if (given.match_provider === given.target_namespace) throw refuse(index, 'it maps a service to itself')
  const parts = [match_season, episode_from, episode_start_at]
  const isWhole = parts.every((part) => part === null) && episode_to === null
  if (media_type === 'movie' && !isWhole) throw refuse(index, 'a film has no season and no episodes')
  if (!isWhole && parts.includes(null))
    throw refuse(index, 'a rule for episodes needs match_season, episode_from and episode_start_at')
  if (episode_to !== null && episode_from !== null && episode_to < episode_from)
    throw refuse(index, 'episode_to is before episode_from')
  return {
    id: given.id ?? randomUUID(),
    enabled: given.enabled ?? true,
    media_type,
    title: given.title ?? '',
    note: given.note ?? '',
    match_provider: given.match_provider,
    match_id: matchId,
    match_season,
    target_namespace: given.target_namespace,
    target_id: targetId,
    episode_from,
    episode_to,
    episode_start_at,
    created_at: nowS,
    updated_at: nowS,
  }
}

function refuse(index: number, why: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', `Override ${index + 1}: ${why}.`, {
    wire: 'invalid_override',
    details: { index },
  })
}

export function schemeFor(name: Rule['match_provider']): IdScheme {
  return name === 'trackB' ? 'trackb' : name
}

export function targetScheme(rule: Pick<Rule, 'target_namespace'>): EntryScheme {
  return schemeFor(rule.target_namespace) as EntryScheme
}
