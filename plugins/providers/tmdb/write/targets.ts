// Names items by TMDB id, or resolves it from an external id. Titles are not used.
import type { ItemOutcome } from '@playhead/sdk'
import { type IdScheme, type Ids, type Item, kindOf, ownIds } from '@playhead/sdk/items'
import { workKey } from '../items.ts'
import type { Session } from '../session.ts'
import { Episode, FindAnswer, type Row } from '../wire.ts'

export interface Target {
  readonly namespace: 'movie' | 'tv'
  readonly id: string
  readonly season?: number
  readonly episode?: number
}

type Named = { readonly target: Target } | { readonly refused: ItemOutcome }

const SOURCES = [
  ['imdb', 'imdb_id'],
  ['tvdb', 'tvdb_id'],
] as const
const MISSING: Named = { refused: { outcome: 'unsupported', reason: 'missing_ids' } }
const NOT_FOUND: Named = { refused: { outcome: 'not_found', reason: 'not_found' } }
const AMBIGUOUS: Named = { refused: { outcome: 'rejected', reason: 'ambiguous' } }

/** @param isOwn the item is a row of this account, so its ids are TMDB's */
export function targetOf(session: Session, item: Item, isOwn: boolean, signal: AbortSignal): Promise<Named> {
  const kind = kindOf(item)
  if (kind === 'episode') return episodeTarget(session, item, isOwn, signal)
  return kind === 'season' ? Promise.resolve(MISSING) : workTarget(session, kind, item.ids, signal)
}

export function pathOf({ namespace, id, season, episode }: Target): string {
  return season === undefined ? `/${namespace}/${id}` : `/${namespace}/${id}/season/${season}/episode/${episode}`
}

async function workTarget(session: Session, kind: 'movie' | 'show', ids: Ids, signal: AbortSignal): Promise<Named> {
  const namespace = kind === 'movie' ? 'movie' : 'tv'
  if (ids.tmdb !== undefined) return { target: { namespace, id: ids.tmdb } }
  let asked = false
  for (const [scheme, source] of SOURCES) {
    const value = ids[scheme]
    if (value === undefined) continue
    asked = true
    const rows = (await find(session, value, source, signal))[kind === 'movie' ? 'movie_results' : 'tv_results'] ?? []
    if (rows.length > 1) return AMBIGUOUS
    const id = idOf(rows[0]?.['id'])
    if (id === undefined) continue
    await session.memory.found(workKey(kind, id), { [scheme]: value } as { readonly [scheme in IdScheme]?: string })
    return { target: { namespace, id } }
  }
  return asked ? NOT_FOUND : MISSING
}

async function episodeTarget(session: Session, item: Item, isOwn: boolean, signal: AbortSignal): Promise<Named> {
  const { show_ids: showIds, season, episode } = item
  const hasNumber = season !== undefined && episode !== undefined
  if (isOwn && showIds?.tmdb !== undefined && hasNumber)
    return { target: { namespace: 'tv', id: showIds.tmdb, season, episode } }
  // Episode numbering differs between services, so an episode id takes precedence.
  const own = ownIds(item)
  for (const [scheme, source] of SOURCES) {
    const value = own[scheme]
    if (value === undefined) continue
    const rows = (await find(session, value, source, signal)).tv_episode_results ?? []
    if (rows.length > 1) return AMBIGUOUS
    const target = rows[0] === undefined ? undefined : partOf(rows[0])
    if (target !== undefined) return { target }
  }
  if (showIds === undefined || !hasNumber) return own.imdb === undefined && own.tvdb === undefined ? MISSING : NOT_FOUND
  const show = await workTarget(session, 'show', showIds, signal)
  if ('refused' in show) return show
  const target = { ...show.target, season, episode }
  return own.tmdb === undefined || (await isEpisode(session, target, own.tmdb, signal))
    ? { target }
    : { refused: { outcome: 'rejected', reason: 'episode_mismatch' } }
}

/** Whether the episode with this number has this id. */
async function isEpisode({ api }: Session, target: Target, tmdb: string, signal: AbortSignal): Promise<boolean> {
  const { id } = await api.json({ path: pathOf(target), signal }, Episode)
  return String(id) === tmdb
}

function find({ api }: Session, id: string, source: string, signal: AbortSignal): Promise<FindAnswer> {
  return api.json({ path: `/find/${encodeURIComponent(id)}`, query: { external_source: source }, signal }, FindAnswer)
}

function partOf({ show_id: show, season_number: season, episode_number: episode }: Row): Target | undefined {
  const id = idOf(show)
  const isPart = id !== undefined && Number.isInteger(season) && Number.isInteger(episode)
  return isPart ? { namespace: 'tv', id, season: season as number, episode: episode as number } : undefined
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? String(value) : undefined
}
