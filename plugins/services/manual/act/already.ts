// Determines the plays that an account already has, so that a repeated click adds none: from this plugin's plans that are not yet
// visible, then from the service itself if it supports queries for one item, else from the stored rows.
import type { ActionReport, Actions, LibraryService, Logger, Provider, Remote } from '@playhead/sdk'
import { contradicts, parseTime, REPORTED_PLAY_MS, sameTime, tokensOf } from '@playhead/sdk/items'
import type { Store, StoredPlay } from '../store/store.ts'
import type { Target } from '../targets.ts'
import type { Play } from '../request/plays.ts'
import { ALREADY, type Result, resultsOf, UNKNOWN } from './outcomes.ts'

interface AlreadyOptions {
  readonly actions: Pick<Remote<Actions>, 'outcomes'>
  readonly library: Pick<Remote<LibraryService>, 'holdings' | 'rowsOfWorks'>
  readonly provider: (id: string) => Pick<Remote<Required<Pick<Provider, 'plays'>>>, 'plays'> | undefined
  readonly store: Pick<Store, 'plays'>
  readonly log: Logger
}

/** Limit, because each lookup is a request. */
const MAX_ASKED = 5

/** Applies or awaits a plan of an earlier click; undefined if there is no such plan. */
type Join = (planId: string) => Promise<ActionReport | undefined>

/** Results of the plays that are not written. Some wait for a plan of an earlier click. */
export type Already = (
  target: Target,
  plays: readonly Play[],
  join: Join,
) => Promise<ReadonlyMap<Play, Result | Promise<Result>>>

export function identityOf({ uid, fingerprint }: Target): string {
  return `${uid} ${fingerprint}`
}

export function tokensOfPlay({ item }: Play): readonly string[] {
  return tokensOf(item, { within: 'provider' })
}

export function createAlready({ actions, library, provider, store, log }: AlreadyOptions): Already {
  return async (target, plays, join) => {
    const found = new Map<Play, Result | Promise<Result>>()
    const byToken = new Map<string, Play[]>()
    for (const play of plays)
      for (const token of tokensOfPlay(play)) byToken.set(token, [...(byToken.get(token) ?? []), play])
    const earlier = new Map<Play, { readonly end: End; readonly atMs: number }>()
    for (const stored of await store.plays(identityOf(target), [...byToken.keys()])) {
      for (const play of byToken.get(stored.token) ?? []) {
        if (Math.abs(stored.watchedAtMs - play.when.atMs) > REPORTED_PLAY_MS || found.has(play)) continue
        const end = await endOf(stored)
        if (end === 'waits') found.set(play, waitFor(join(stored.planId), stored))
        else if (end !== 'failed') earlier.set(play, { end, atMs: stored.atMs })
      }
    }
    const open = plays.filter((play) => !found.has(play))
    if (open.length === 0) return found

    const service = target.findsPlays && open.length <= MAX_ASKED ? provider(target.provider) : undefined
    if (service !== undefined) {
      for (const play of open) if (await hasPlay(service, target, play)) found.set(play, ALREADY)
      return found
    }
    const readAtMs = await noteRows(target, open, byToken, found)
    for (const [play, { end, atMs }] of earlier) {
      // Newer reads contain these plays.
      if (found.has(play) || (readAtMs !== null && readAtMs > atMs)) continue
      found.set(play, end === 'done' ? ALREADY : UNKNOWN)
    }
    return found
  }

  type End = 'done' | 'unconfirmed' | 'waits' | 'failed'

  async function endOf({ planId, key }: StoredPlay): Promise<End> {
    // A deleted plan has not written anything recently.
    const report = await actions.outcomes(planId).catch(() => undefined)
    if (report?.isWaiting === true) return 'waits'
    const found = report?.outcomes.find((each) => each.key === key)
    return found?.ok === true ? 'done' : found?.outcome === 'unknown' ? 'unconfirmed' : 'failed'
  }

  async function hasPlay(
    service: NonNullable<ReturnType<typeof provider>>,
    { instance }: Target,
    { item, when }: Play,
  ): Promise<boolean> {
    const span = { fromMs: when.atMs - REPORTED_PLAY_MS, toMs: when.atMs + REPORTED_PLAY_MS }
    return (await service.plays(instance, { item, ...span })).length > 0
  }

  /** When the account was read. */
  async function noteRows(
    { provider: id, instance }: Target,
    open: readonly Play[],
    byToken: ReadonlyMap<string, readonly Play[]>,
    found: Map<Play, Result | Promise<Result>>,
  ): Promise<number | null> {
    const held = (await library.holdings('history')).find((one) => one.provider === id && one.instance === instance)
    if (held === undefined || held.readAtMs === null) return null
    const wanted = new Set(open)
    const items = open.map(({ item }) => item)
    for await (const page of library.rowsOfWorks(id, instance, 'history', items)) {
      for (const { item } of page) {
        const plays = new Set(tokensOf(item, { within: 'provider' }).flatMap((token) => byToken.get(token) ?? []))
        if (plays.size === 0) continue
        const time = parseTime(item.watched_at)
        for (const play of plays) {
          if (!wanted.has(play) || time === undefined || contradicts(item, play.item)) continue
          if (sameTime(time, { atMs: play.when.atMs, precision: 'second' }, REPORTED_PLAY_MS)) {
            found.set(play, ALREADY)
            wanted.delete(play)
          }
        }
      }
      if (wanted.size === 0) break
    }
    return held.readAtMs
  }

  async function waitFor(promise: Promise<ActionReport | undefined>, { key }: StoredPlay): Promise<Result> {
    const report = await promise.catch((error: unknown) => log.debug({ err: error }, 'an earlier plan failed'))
    if (report === undefined) return { status: 'failed', reason: 'failed' }
    const result = resultsOf(report)(key)
    return result.status === 'done' ? ALREADY : result
  }
}
