// Shared by the parts of the page: the state, the rules, and the text of a rule.
import type { Answer } from '../../api/client.ts'
import { anime as texts } from '../../texts/en/anime.ts'
import { say } from '../../texts/say.ts'

export type Status = Answer<'GET /api/anime-mapping/status'>
export type Settings = Answer<'POST /api/anime-mapping/settings'>['anime_mapping']
export type Rule = Settings['overrides'][number]
export type Coverage = Answer<'GET /api/anime-mapping/coverage'>
export type Unmapped = Coverage['unmapped'][number]

export const KEY = ['anime'] as const
export const MATCHES = ['tvdb', 'tmdb', 'imdb', 'anidb', 'mal', 'anilist', 'trackB', 'kitsu'] as const
export const TARGETS = ['anidb', 'mal', 'anilist', 'trackB', 'kitsu'] as const

/** A rule that is being edited. */
export type Draft = Omit<Rule, 'id' | 'created_at' | 'updated_at'> & { readonly id?: string }

export const FRESH: Draft = {
  enabled: true,
  media_type: 'show',
  title: '',
  note: '',
  match_provider: 'tvdb',
  match_id: '',
  match_season: null,
  target_namespace: 'anilist',
  target_id: '',
  episode_from: null,
  episode_to: null,
  episode_start_at: null,
}

export function meaningOf(rule: Draft): string {
  const { rules, schemes } = texts
  const match = `${schemes[rule.match_provider]} ${rule.match_id || '…'}`
  const target = `${schemes[rule.target_namespace]} ${rule.target_id || '…'}`
  const season = rule.match_season
  if (season === null) return say(rules.whole, { match, target })
  if (rule.episode_from === null && rule.episode_to === null && rule.episode_start_at === null)
    return say(rules.season, { match, season, target })
  const from = rule.episode_from ?? 1
  const start = rule.episode_start_at ?? 1
  return rule.episode_to === null
    ? say(rules.open, { match, season, from, target, start })
    : say(rules.episodes, { match, season, from, to: rule.episode_to, target, start })
}

export const nameOf = (rule: Draft) => rule.title || `${texts.schemes[rule.match_provider]} ${rule.match_id}`

/** Finds rules with different targets for the same title and episodes. */
export function conflictsOf(rules: readonly Rule[]): ReadonlySet<string> {
  const found = new Set<string>()
  const on = rules.filter(({ enabled }) => enabled)
  for (const [index, a] of on.entries())
    for (const b of on.slice(index + 1)) {
      if (!isSameMatch(a, b) || !doOverlap(a, b)) continue
      if (a.target_id === b.target_id && shiftOf(a) === shiftOf(b)) continue
      found.add(a.id)
      found.add(b.id)
    }
  return found
}

function isSameMatch(a: Rule, b: Rule): boolean {
  return (
    a.media_type === b.media_type &&
    a.match_provider === b.match_provider &&
    a.match_id === b.match_id &&
    a.match_season === b.match_season &&
    a.target_namespace === b.target_namespace
  )
}

function doOverlap(a: Rule, b: Rule): boolean {
  const [fromA, toA] = [a.episode_from ?? 1, a.episode_to ?? Number.POSITIVE_INFINITY]
  const [fromB, toB] = [b.episode_from ?? 1, b.episode_to ?? Number.POSITIVE_INFINITY]
  return fromA <= toB && fromB <= toA
}

function shiftOf({ episode_from: from, episode_start_at: start }: Rule): number {
  return (start ?? 1) - (from ?? 1)
}
