// Detects plays that the server counts as watched: from changed user data, and from the user data of an item whose play ended near
// its end. Sessions do not report this.
import { isPlayheadError, type PlaySession } from '@playhead/sdk'
import { positionMsOf } from '../items.ts'
import { fileKeyOf } from './playing.ts'
import { readStates } from '../read/states.ts'
import { plain, type Session } from '../session.ts'
import type { ChangedUserData } from '../wire.ts'

export interface Completions {
  /** Processes the current sessions. Returns ended plays that count as watched. */
  seen(sessions: readonly PlaySession[], signal: AbortSignal): Promise<readonly PlaySession[]>
  /** Processes changed user data. Returns plays that now count as watched; those that ended shortly before are `stopped`. */
  changed(data: ChangedUserData): readonly PlaySession[]
}

interface Play {
  readonly session: PlaySession
  readonly endedAtMs?: number
}

/** Minimum percentage at which an ended play may count: players report rarely, and a person may have skipped to the end since. */
const NEAR_END = 50
/** Maximum delay between the end of a play and the change of user data. */
const LATE_MS = 60_000
const MAX_MARKS = 1_000

/** Each play is returned at most once. */
export function createCompletions(session: Session, now: () => number): Completions {
  let plays = new Map<string, Play>()
  const reported = new Set<string>()
  /** The last played flag by user and item. */
  const marks = new Map<string, boolean>()

  function report(name: string, { session: play, endedAtMs }: Play): PlaySession {
    reported.add(name)
    return { ...play, ...(endedAtMs === undefined ? {} : { state: 'stopped' }), completed: true }
  }

  return {
    async seen(sessions, signal) {
      const current = new Map(sessions.map((one): [string, Play] => [nameOf(one), { session: one }]))
      // The item was played again.
      for (const name of current.keys()) if (plays.get(name)?.endedAtMs !== undefined) reported.delete(name)
      const ended = [...plays].filter(([name]) => !current.has(name))
      for (const [name, play] of ended) {
        const endedAtMs = play.endedAtMs ?? now()
        if (now() - endedAtMs < LATE_MS) current.set(name, { ...play, endedAtMs })
      }
      plays = current
      for (const name of reported) if (!current.has(name)) reported.delete(name)
      const asked = ended.filter(
        ([name, { session: play, endedAtMs }]) => endedAtMs === undefined && !reported.has(name) && isNearEnd(play),
      )
      const played = await readPlayed(
        session,
        asked.map(([, play]) => play.session),
        signal,
      )
      return asked.flatMap(([name, play]) =>
        played.has(play.session) && !reported.has(name) ? [report(name, { ...play, endedAtMs: now() })] : [],
      )
    },

    changed({ UserId, UserDataList }) {
      const found: PlaySession[] = []
      for (const { ItemId, Played, PlaybackPositionTicks: ticks } of UserDataList) {
        if (ItemId == null || Played == null) continue
        const mark = `${plain(UserId)} ${plain(ItemId)}`
        const before = marks.get(mark)
        marks.delete(mark)
        marks.set(mark, Played)
        if (marks.size > MAX_MARKS) marks.delete(marks.keys().next().value as string)
        if (!Played) continue
        const [name, play] = latestOf([...plays].filter(([, { session: one }]) => markOf(one) === mark)) ?? []
        if (name === undefined || play === undefined || reported.has(name)) continue
        // A previously watched item may keep its flag while it is played again.
        if (before === false || (isNearEnd(play.session) && (ticks ?? 0) === 0)) {
          // Includes the other episodes of its file.
          const file = fileKeyOf(play.session)
          for (const [other, one] of plays)
            if (fileKeyOf(one.session) === file && markOf(one.session) === mark && !reported.has(other))
              found.push(report(other, one))
        }
      }
      return found
    },
  }
}

/** Among a user's plays of an item: the most advanced one, or else the one that ended last. */
function latestOf(plays: readonly (readonly [string, Play])[]): readonly [string, Play] | undefined {
  return plays.toSorted(
    ([, a], [, b]) =>
      (b.endedAtMs ?? Number.MAX_VALUE) - (a.endedAtMs ?? Number.MAX_VALUE) ||
      (b.session.positionMs ?? 0) - (a.session.positionMs ?? 0),
  )[0]
}

/** The plays whose items the server counts as watched, without a position to resume at. */
async function readPlayed(
  session: Session,
  plays: readonly PlaySession[],
  signal: AbortSignal,
): Promise<ReadonlySet<PlaySession>> {
  const byUser = Map.groupBy(plays, ({ account }) => account.id)
  const played = new Set<PlaySession>()
  for (const [userId, some] of byUser) {
    if (userId === undefined) continue
    try {
      const states = await readStates(session, some.map(itemIdOf), signal, userId)
      for (const play of some) {
        const data = states.get(itemIdOf(play))?.UserData
        if (data?.Played === true && positionMsOf(data) === 0) played.add(play)
      }
    } catch (error) {
      if (signal.aborted || !isPlayheadError(error)) throw error
      session.log.debug({ code: error.code }, 'could not read whether an item counts as watched')
    }
  }
  return played
}

function isNearEnd({ positionMs, durationMs }: PlaySession): boolean {
  return positionMs === undefined || durationMs === undefined || (100 * positionMs) / durationMs >= NEAR_END
}

function nameOf(play: PlaySession): string {
  return `${play.key} ${itemIdOf(play)}`
}

function markOf(play: PlaySession): string {
  return `${plain(play.account.id ?? '')} ${plain(itemIdOf(play))}`
}

function itemIdOf({ item }: PlaySession): string {
  return item.native?.item_id ?? ''
}
