// The time of the last change per kind of data, so that clients can skip unchanged data.
import type { Context } from './context.ts'
import { cached, type Reply } from './replies.ts'
import type { Account } from './state.ts'
import { iso } from './summary.ts'

const STAMPS: Readonly<Record<string, readonly string[]>> = {
  movies: [
    'watched_at',
    'collected_at',
    'rated_at',
    'watchlisted_at',
    'favorited_at',
    'commented_at',
    'paused_at',
    'hidden_at',
  ],
  episodes: ['watched_at', 'collected_at', 'rated_at', 'watchlisted_at', 'commented_at', 'paused_at'],
  shows: ['rated_at', 'watchlisted_at', 'favorited_at', 'commented_at', 'hidden_at', 'dropped_at'],
  seasons: ['rated_at', 'watchlisted_at', 'commented_at', 'hidden_at'],
  comments: ['liked_at', 'reacted_at', 'blocked_at'],
  lists: ['liked_at', 'reacted_at', 'updated_at', 'commented_at'],
  watchlist: ['updated_at'],
  favorites: ['updated_at'],
  collaborations: ['updated_at'],
  account: ['settings_at', 'followed_at', 'following_at', 'pending_at', 'requested_at'],
  saved_filters: ['updated_at'],
  notes: ['updated_at'],
}

export function readActivities({ account, request }: Context): Reply {
  const groups = Object.entries(STAMPS).map(
    ([group, names]) =>
      [group, Object.fromEntries(names.map((name) => [name, iso(stampOf(account, `${group}.${name}`))]))] as const,
  )
  return cached(request, {
    all: iso(Math.max(account.joinedAtMs, ...account.stamps.values())),
    ...Object.fromEntries(groups),
  })
}

/** Records a change, including removals. Two changes never share a time. */
export function touch(account: Account, stamps: Iterable<string>, nowMs: number): void {
  for (const stamp of new Set(stamps)) account.stamps.set(stamp, Math.max(nowMs, stampOf(account, stamp) + 1))
}

export function stampOf(account: Account, stamp: string): number {
  return account.stamps.get(stamp) ?? account.joinedAtMs
}
