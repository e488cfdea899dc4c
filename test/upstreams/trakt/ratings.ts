// Ratings from 1 to 10 for movies, shows, seasons and episodes; one per item, the last one counts.
import { touch } from './activities.ts'
import { type Entry, GROUPS, type Group } from './catalogue.ts'
import type { Context } from './context.ts'
import { accountLimit, isFull, page, Refusal, refuse, type Reply } from './replies.ts'
import type { Account } from './state.ts'
import { iso, summary } from './summary.ts'
import { countByGroup, readMoment, readTargets } from './targets.ts'

export function readRatings({ account, request, params }: Context): Reply {
  const [group = 'all', wanted] = params
  const type = group === 'all' ? undefined : (GROUPS[group as Group] ?? refuse(404))
  const values = wanted === undefined ? undefined : new Set(wanted.split(',').map(Number))
  const rows = [...account.ratings.values()]
    .filter(
      ({ entry, rating }) =>
        (type === undefined || entry.type === type) && (values === undefined || values.has(rating)),
    )
    .sort((a, b) => b.ratedAtMs - a.ratedAtMs)
  return page(
    request,
    rows.map(({ entry, rating, ratedAtMs }) => ({
      rated_at: iso(ratedAtMs),
      rating,
      ...summary(entry, isFull(request)),
    })),
  )
}

export function addRatings({ state, account, body, nowMs, overLimit }: Context): Reply {
  const { found, notFound } = readTargets(state.catalogue, body)
  // A show or season that only contains rated items is not rated itself.
  const wanted = found
    .filter(({ leaf, sent }) => leaf || sent[0]?.['rating'] !== undefined)
    .map(({ entry, sent }) => ({
      entry,
      rating: readRating(sent[0]?.['rating']),
      ratedAtMs: sent[0]?.['rated_at'] === undefined ? nowMs : readMoment(sent[0]['rated_at']),
    }))
  const added: Entry[] = []
  const fresh = new Set(wanted.map(({ entry }) => entry.key).filter((key) => !account.ratings.has(key)))
  const isOver = fresh.size > Math.max(0, account.plan.ratings - account.ratings.size)
  for (const { entry, rating, ratedAtMs } of isOver && overLimit === 'refuse' ? [] : wanted) {
    if (!account.ratings.has(entry.key) && account.ratings.size >= account.plan.ratings) continue
    rate(account, entry, rating, ratedAtMs, nowMs)
    added.push(entry)
  }
  if (isOver) throw new Refusal(accountLimit(account.plan.vip, account.plan.ratings))
  return { status: 201, json: { added: countByGroup(added), not_found: notFound } }
}

export function removeRatings({ state, account, body, nowMs }: Context): Reply {
  const { found, notFound } = readTargets(state.catalogue, body)
  const rated = found.filter(({ leaf, entry }) => leaf && account.ratings.has(entry.key)).map(({ entry }) => entry)
  const removed = [...new Map(rated.map((entry) => [entry.key, entry])).values()]
  for (const { key } of removed) account.ratings.delete(key)
  touch(
    account,
    removed.map(({ type }) => `${type}s.rated_at`),
    nowMs,
  )
  return { status: 200, json: { deleted: countByGroup(removed), not_found: notFound } }
}

export function rate(account: Account, entry: Entry, rating: number, ratedAtMs: number, nowMs: number): void {
  account.ratings.set(entry.key, { entry, rating, ratedAtMs })
  touch(account, [`${entry.type}s.rated_at`], nowMs)
}

function readRating(value: unknown): number {
  const isValid = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 10
  return isValid ? value : refuse(422, undefined, { error: 'a rating is a whole number from 1 to 10' })
}
