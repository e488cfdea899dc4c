// Carries out actions: accounts side by side, positions of one account in turn, each looked up in what the server read.
import { createTurns, type CurrentStream, type Logger, PlayheadError, withTimeLimit } from '@playhead/sdk'
import type { ActionResult } from '../answers.ts'
import { keyText, type Profile, type ProfileList } from '../profiles.ts'
import type { Entry } from '../read/entry.ts'
import { failure } from '../read/failures.ts'
import type { ProfileRows, Reads } from '../read/reads.ts'
import { liveOf } from '../show/live.ts'
import { blockerOf, maxPercentOf, MIN_PERCENT, type Operation } from './abilities.ts'
import { type AccountWrites, createAccountWrites, nowText, type Position, type Writer } from './account-writes.ts'
import { endingOf, type Ending, QUEUED, QUEUED_TEXT, refused, skipped, type Step, stepResult } from './outcomes.ts'
import { createRecent } from './recent.ts'
import type { TargetName } from './targets.ts'

export interface Order {
  readonly operation: Operation
  /** For `update_progress`. */
  readonly percent?: number
  /** For `mark_watched`; default: now. */
  readonly watchedAt?: string
}

export interface Result extends ActionResult {
  /** HTTP status of a response for this target alone. */
  readonly http: number
}

export interface ActionsOptions {
  readonly profiles: () => Promise<ProfileList>
  readonly reads: Pick<Reads, 'rowsOf' | 'invalidate'>
  readonly timeoutMs: () => number
  readonly streams: () => Promise<readonly CurrentStream[]>
  /** Undefined while the sync engine does not run. */
  readonly writer: () => Writer | undefined
  readonly log: Logger
  readonly now?: () => number
}

/** One result per target, in order. Throws only `PLH_CAPABILITY_GONE`, when nothing can be written at all. */
export type Act = (order: Order, targets: readonly TargetName[]) => Promise<readonly Result[]>

/** Equal actions within this time are one. */
const SAME_ACTION_MS = 60_000
/** How long a response waits for the writes to one account; they go on. */
const ACCOUNT_LIMIT_MS = 60_000
/** Positions closer than this are equal, percent. */
const SAME_PERCENT = 0.05

interface Task {
  readonly index: number
  readonly profile: Profile
  readonly remoteId: string
}

interface Done {
  readonly ending: Ending
  readonly entry?: Entry
}

export function createActions({
  profiles,
  reads,
  timeoutMs,
  streams,
  writer,
  log,
  now = Date.now,
}: ActionsOptions): Act {
  const turns = new Map<string, ReturnType<typeof createTurns>>()
  /** Times of plays that were added, or possibly added. */
  const plays = createRecent<{ readonly watchedAt: string; readonly isDone: boolean }>(SAME_ACTION_MS, now)
  const removals = createRecent<true>(SAME_ACTION_MS, now)

  function turnsOf({ key }: Profile): ReturnType<typeof createTurns> {
    const found = turns.get(key) ?? createTurns()
    turns.set(key, found)
    return found
  }

  async function runAccount(
    order: Order,
    profile: Profile,
    tasks: readonly Task[],
    via: Writer,
  ): Promise<Map<Task, Done>> {
    const done = new Map<Task, Done>()
    const waiting: Task[] = []
    const seen = new Set<string>()
    for (const task of tasks) {
      if (seen.size === seen.add(task.remoteId).size) done.set(task, { ending: DUPLICATE })
      else if (isJustMarked(order, task)) done.set(task, { ending: ALREADY_WATCHED })
      else waiting.push(task)
    }
    if (waiting.length === 0) return done
    const { found, rows } = await lookUp(profile, waiting)
    const live = liveOf(await streams(), now())
    const ready: { readonly task: Task; readonly entry: Entry }[] = []
    for (const task of waiting) {
      const entry = found.get(task)
      if (entry === undefined) done.set(task, { ending: whyMissing(order, task, rows) })
      else {
        const ending = whyNot(order, profile, entry, live(profile, entry) !== undefined)
        if (ending === undefined) ready.push({ task, entry })
        else done.set(task, { ending, entry })
      }
    }
    if (ready.length === 0) return done
    const writes = createAccountWrites(via, profile, now)
    const endings = await write(order, profile, writes, ready)
    for (const { task, entry } of ready) done.set(task, { entry, ending: endings.get(entry) as Ending })
    const changed = ready.filter(({ entry }) => endings.get(entry)?.http !== 409)
    const gone =
      order.operation === 'update_progress' ? [] : changed.filter(({ entry }) => isApplied(endings.get(entry)))
    reads.invalidate(
      profile,
      gone.map(({ entry }) => entry.remoteId),
    )
    return done
  }

  /** Reads again once if something is missing. */
  async function lookUp(profile: Profile, tasks: readonly Task[]) {
    const read = async (force: boolean) =>
      (await reads.rowsOf([profile], { force, timeoutMs: timeoutMs() }))[0] as ProfileRows
    let rows = await read(false)
    if (tasks.some(({ remoteId }) => !rows.entries.has(remoteId))) rows = await read(true)
    const found = new Map(tasks.map((task) => [task, rows.entries.get(task.remoteId)]))
    return { rows, found }
  }

  function isJustMarked(order: Order, task: Task): boolean {
    return order.operation === 'mark_watched' && plays.get(playKey(order, task))?.isDone === true
  }

  function whyMissing({ operation }: Order, task: Task, { failure: why }: ProfileRows): Ending {
    if (operation === 'remove_progress' && removals.get(rowKey(task)) === true)
      return skipped('already_removed', 'The position was removed a moment ago.')
    if (why !== undefined)
      return refused(why.code, why.message, why.code === 'provider_timeout' ? 504 : 502, {
        retryable: why.retryable,
        remote_status: why.remoteStatus,
      })
    return refused('invalid_item', 'The account has no such position, or no longer.', 404, { status: 'unresolved' })
  }

  function whyNot(order: Order, profile: Profile, entry: Entry, isPlaying: boolean): Ending | undefined {
    const { operation, percent } = order
    const blocker = blockerOf(profile, entry, operation)
    if (blocker !== undefined) return refused(blocker.code, blocker.message, 400)
    if (isPlaying)
      return refused(ACTIVE_CODES[operation], 'This is being played right now.', 409, {
        status: 'skipped',
        reason: 'active_session',
        retryable: true,
      })
    if (operation !== 'update_progress' || percent === undefined) return undefined
    const max = maxPercentOf(profile, entry)
    if (percent < MIN_PERCENT || percent >= max)
      return refused(
        'invalid_progress',
        percent >= max
          ? `${profile.label} takes positions below ${max} percent. Use "mark as watched" instead.`
          : `A position is at least ${MIN_PERCENT} percent. Remove it instead.`,
        400,
      )
    if (entry.percent !== null && Math.abs(entry.percent - percent) < SAME_PERCENT)
      return skipped('progress_unchanged', 'The position is already there.')
    return undefined
  }

  async function write(
    order: Order,
    profile: Profile,
    writes: AccountWrites,
    ready: readonly { readonly task: Task; readonly entry: Entry }[],
  ): Promise<ReadonlyMap<Entry, Ending>> {
    const entries = ready.map(({ entry }) => entry)
    const { operation } = order
    if (operation === 'mark_watched') return markWatched(order, profile, writes, ready)
    const position = (entry: Entry) => positionAt(entry, order.percent ?? 0)
    const steps =
      operation === 'remove_progress'
        ? await writes.removePositions(entries)
        : await writes.setPositions(entries, position)
    for (const { task, entry } of ready)
      if (operation === 'remove_progress' && isDone(steps.get(entry))) removals.set(rowKey(task), true)
    return new Map(
      entries.map((entry) => {
        const before = { before_percent: entry.percent }
        const after = operation === 'update_progress' ? position(entry) : undefined
        return [
          entry,
          {
            ...endingOf(steps.get(entry) as Step, operation),
            decision_context: {
              ...before,
              ...(after === undefined ? {} : { position_ms: after.positionMs ?? null, duration_ms: entry.durationMs }),
            },
          },
        ]
      }),
    )
  }

  async function markWatched(
    order: Order,
    profile: Profile,
    writes: AccountWrites,
    ready: readonly { readonly task: Task; readonly entry: Entry }[],
  ): Promise<ReadonlyMap<Entry, Ending>> {
    // A repeated attempt uses the time of the first, so that a play that was recorded after all is recognised.
    const times = new Map(
      ready.map(({ task, entry }) => {
        const watchedAt = order.watchedAt ?? plays.get(playKey(order, task))?.watchedAt ?? nowText(now())
        plays.set(playKey(order, task), { watchedAt, isDone: false })
        return [entry, watchedAt]
      }),
    )
    const entries = ready.map(({ entry }) => entry)
    const added = await writes.addPlays(entries, (entry) => times.get(entry) as string)
    for (const { task, entry } of ready)
      if (isDone(added.get(entry)))
        plays.set(playKey(order, task), { watchedAt: times.get(entry) as string, isDone: true })
    const cleaned = profile.progress.remove
      ? await writes.removePositions(entries.filter((entry) => added.get(entry)?.status === 'applied'))
      : new Map<Entry, Step>()
    return new Map(
      entries.map((entry) => {
        const history = added.get(entry) as Step
        const cleanup = cleaned.get(entry)
        const isKnown = history.outcome === 'already'
        return [
          entry,
          {
            ...endingOf(history, 'mark_watched'),
            ...(isKnown ? { status: 'skipped', reason: 'already_watched' } : {}),
            history_result: stepResult(history),
            playback_cleanup_result: cleanup === undefined ? null : stepResult(cleanup),
            decision_context: { before_percent: entry.percent, watched_at: times.get(entry) as string },
          },
        ]
      }),
    )
  }

  return async (order, targets) => {
    const via = writer()
    if (via === undefined)
      throw new PlayheadError('PLH_CAPABILITY_GONE', 'The sync engine does not run; without it nothing is changed.')
    const known = await profiles()
    const results = new Map<number, Result>()
    const tasks = new Map<Profile, Task[]>()
    for (const [index, target] of targets.entries()) {
      const profile = findProfile(known, target)
      const ending = profile === undefined ? whyUnknown(known, target) : whyRefused(profile, target)
      if (ending !== undefined) results.set(index, toResult(order, target, { ending }))
      else {
        const own = tasks.get(profile as Profile) ?? []
        own.push({ index, profile: profile as Profile, remoteId: target.remoteId })
        tasks.set(profile as Profile, own)
      }
    }
    await Promise.all(
      [...tasks].map(async ([profile, own]) => {
        const work = turnsOf(profile)(() => runAccount(order, profile, own, via))
        const done = await withTimeLimit(work, ACCOUNT_LIMIT_MS, () => new TooLong()).catch((error: unknown) => {
          if (!(error instanceof TooLong)) throw error
          log.info({ profile: profile.key, count: own.length }, 'changes to positions take long; they go on')
          work.catch((late: unknown) => log.warn({ err: late, profile: profile.key }, 'changing positions failed'))
          return undefined
        })
        for (const task of own) {
          const ending = { ...endingOf(QUEUED, order.operation), message: QUEUED_TEXT }
          const one = done?.get(task) ?? { ending }
          results.set(task.index, toResult(order, targets[task.index] as TargetName, one, profile))
        }
      }),
    )
    return targets.map((_, index) => results.get(index) as Result)
  }
}

class TooLong extends Error {}

const DUPLICATE = skipped('duplicate', 'The same position was named twice.')
const ALREADY_WATCHED = skipped('already_watched', 'It was marked as watched a moment ago.')
const ACTIVE_CODES: Readonly<Record<Operation, string>> = {
  remove_progress: 'progress_remove_failed',
  mark_watched: 'history_failed',
  update_progress: 'progress_update_failed',
}

/** Within the title: neither its begin nor its end. */
export function positionAt({ durationMs }: Pick<Entry, 'durationMs'>, percent: number): Position {
  if (durationMs === null) return { percent }
  const positionMs = Math.max(1, Math.min(durationMs - 1, Math.round((durationMs * percent) / 100)))
  return { percent, positionMs }
}

function findProfile(known: ProfileList, { provider, instance }: TargetName): Profile | undefined {
  const key = keyText(`${provider}:${instance}`)
  return known.find((profile) => keyText(profile.key) === key)
}

function whyUnknown(known: ProfileList, { provider, isInvalid }: TargetName): Ending {
  if (isInvalid === true)
    return refused('invalid_item', 'A target is an object with provider, instance_id and remote_id.', 400)
  const hasProvider = known.some((profile) => keyText(profile.provider) === keyText(provider))
  return hasProvider
    ? refused('profile_not_found', 'There is no such profile.', 404)
    : refused('unknown_provider', 'There is no such service, or it has no positions.', 404)
}

function whyRefused(profile: Profile, { remoteId }: TargetName): Ending | undefined {
  if (remoteId === '') return refused('missing_remote_id', 'The id of the position is missing.', 400)
  if (profile.configured && profile.included) return undefined
  const { message } = failure('not_configured', profile.label)
  return profile.configured
    ? refused('unsupported', 'The account is excluded in the settings.', 400)
    : refused('not_configured', message, 400)
}

function isDone(step: Step | undefined): boolean {
  return step?.status === 'applied' || step?.status === 'queued'
}

function isApplied(ending: Ending | undefined): boolean {
  return ending?.ok === true && ending.status !== 'queued'
}

function rowKey({ profile, remoteId }: Task): string {
  return `${profile.key} ${profile.fingerprint} ${remoteId}`
}

function playKey({ watchedAt = '' }: Order, task: Task): string {
  return `${rowKey(task)} ${watchedAt}`
}

function toResult({ operation }: Order, target: TargetName, { ending, entry }: Done, profile?: Profile): Result {
  const { http, ...fields } = ending
  return {
    ...fields,
    provider: profile?.provider ?? target.provider,
    instance_id: profile?.instance ?? target.instance,
    operation,
    remote_id: target.remoteId || null,
    canonical_key: entry?.canonicalKey ?? null,
    http,
  }
}
