// Executes actions: accounts concurrently, positions of one account in turn, each looked up in the rows of the server.
import { createTurns, type CurrentStream, type Logger, orAfter, PlayheadError } from '@playhead/sdk'
import type { ActionResult } from '../answers.ts'
import { keyText, type Profile, type ProfileList } from '../profiles.ts'
import type { Entry } from '../read/entry.ts'
import { failure } from '../read/failures.ts'
import type { ProfileRows, Reads } from '../read/reads.ts'
import { liveOf } from '../show/live.ts'
import { blockerOf, maxPercentOf, MIN_PERCENT } from './abilities.ts'
import { type AccountWrites, createAccountWrites, type Position, type Writer } from './account-writes.ts'
import { ALREADY, type Ending, endingOf, ERROR_CODES, isDone, QUEUED, refused, skipped, type Step } from './outcomes.ts'
import { createMarking } from './mark-watched.ts'
import { createRecent } from './recent.ts'
import type { TargetName } from './targets.ts'
import { type Order, type Ready, rowKey, SAME_ACTION_MS, type Task } from './task.ts'

export interface Result extends ActionResult {
  /** HTTP status of a response with only this target. */
  readonly http: number
}

interface ActionsOptions {
  readonly profiles: () => Promise<ProfileList>
  readonly reads: Pick<Reads, 'rowsOf' | 'invalidate'>
  readonly timeoutMs: () => number
  readonly streams: () => Promise<readonly CurrentStream[]>
  /** Undefined while the sync engine is not running. */
  readonly writer: () => Writer | undefined
  readonly log: Logger
  readonly now?: () => number
}

/** One result per target, in order. Throws only `PLH_CAPABILITY_GONE`, if no account can be written. */
export type Act = (order: Order, targets: readonly TargetName[]) => Promise<readonly Result[]>

/** Maximum wait of a response for the writes to one account; the writes continue. */
const ACCOUNT_LIMIT_MS = 60_000
/** Positions closer than this are equal, percent. */
const SAME_PERCENT = 0.05

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
  const marking = createMarking(reads, now)
  const removals = createRecent<true>(SAME_ACTION_MS, now)

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
      else {
        const ending = order.operation === 'mark_watched' ? await marking.before(order, task, via) : undefined
        if (ending === undefined) waiting.push(task)
        else done.set(task, { ending })
      }
    }
    if (waiting.length === 0) return done
    const { found, rows } = await lookUp(profile, waiting)
    const live = liveOf(await streams(), now())
    const ready: Ready[] = []
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
    const gone = order.operation === 'update_progress' ? [] : ready.filter(({ entry }) => isApplied(endings.get(entry)))
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

  function whyMissing({ operation }: Order, task: Task, { failure: why }: ProfileRows): Ending {
    if (operation === 'remove_progress' && removals.get(rowKey(task)) === true) return ALREADY.remove_progress
    if (why !== undefined)
      return refused(why.code, why.message, why.code === 'provider_timeout' ? 504 : 502, {
        retryable: why.retryable,
        remote_status: why.remoteStatus,
      })
    return refused('invalid_item', 'The account does not have this position, or no longer has it.', 404, {
      status: 'unresolved',
    })
  }

  function whyNot(order: Order, profile: Profile, entry: Entry, isPlaying: boolean): Ending | undefined {
    const { operation, percent } = order
    const blocker = blockerOf(profile, entry, operation)
    if (blocker !== undefined) return refused(blocker.code, blocker.message, 400)
    if (isPlaying)
      return refused(ERROR_CODES[operation], 'This is being played right now.', 409, {
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
    if (entry.percent !== null && Math.abs(entry.percent - percent) < SAME_PERCENT) return ALREADY.update_progress
    return undefined
  }

  async function write(
    order: Order,
    profile: Profile,
    writes: AccountWrites,
    ready: readonly Ready[],
  ): Promise<ReadonlyMap<Entry, Ending>> {
    const entries = ready.map(({ entry }) => entry)
    const { operation } = order
    if (operation === 'mark_watched') return marking.write(order, profile, writes, ready)
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

  return async (order, targets) => {
    const via = writer()
    if (via === undefined)
      throw new PlayheadError('PLH_CAPABILITY_GONE', 'The sync engine is not running, so nothing was changed.')
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
        const work = turns.getOrInsertComputed(profile.key, createTurns)(() => runAccount(order, profile, own, via))
        const done = await orAfter(work, ACCOUNT_LIMIT_MS, undefined)
        if (done === undefined) {
          log.info({ profile: profile.key, count: own.length }, 'changes to positions take long; they continue')
          work.catch((late: unknown) => log.warn({ err: late, profile: profile.key }, 'changing positions failed'))
        }
        for (const task of own) {
          const one = done?.get(task) ?? { ending: QUEUED }
          results.set(task.index, toResult(order, targets[task.index] as TargetName, one, profile))
        }
      }),
    )
    return targets.map((_, index) => results.get(index) as Result)
  }
}

const DUPLICATE = skipped('duplicate', 'The same position was named twice.')

/** A time within the title: neither its start nor its end. */
function positionAt({ durationMs }: Pick<Entry, 'durationMs'>, percent: number): Position {
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
    ? refused('profile_not_found', 'This account does not exist.', 404)
    : refused('unknown_provider', 'This service does not exist, or it has no positions.', 404)
}

function whyRefused(profile: Profile, { remoteId }: TargetName): Ending | undefined {
  if (remoteId === '') return refused('missing_remote_id', 'The ID of the position is missing.', 400)
  if (profile.configured && profile.included) return undefined
  const { message } = failure('not_configured', profile.label)
  return profile.configured
    ? refused('unsupported', 'The account is excluded in the settings.', 400)
    : refused('not_configured', message, 400)
}

function isApplied(ending: Ending | undefined): boolean {
  return ending?.ok === true && ending.status !== 'queued'
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
