// Current sessions of the user. Administrators and API keys see all sessions, so they are filtered.
import { isPlayheadError, type PlaySession } from '@playhead/sdk'
import { withQuery } from '../dialect.ts'
import { describedItem, durationMsOf, seriesOf } from '../items.ts'
import { plain, type Session } from '../session.ts'
import { AllPlaying, type Playing, type Row, TICKS_PER_MS } from '../wire.ts'

/** The servers end sessions without a report after this time. */
const ACTIVE_SECONDS = 300

type Played = Playing & { readonly NowPlayingItem: Row }

export async function readPlaying(session: Session, signal: AbortSignal): Promise<readonly PlaySession[]> {
  const { dialect, upstream } = session
  const { account, userId, userName } = await session.identity()
  const ask = withQuery(dialect, { path: 'Sessions' }, { activeWithinSeconds: ACTIVE_SECONDS })
  const all = await upstream.json({ ...ask, signal }, AllPlaying)
  const own = all.filter(
    (row): row is Played => row.NowPlayingItem != null && plain(row.UserId ?? '') === plain(userId),
  )
  const facts = await factsOf(session, own, signal)
  return own.flatMap((row): PlaySession[] => {
    const { Id: key, NowPlayingItem: shown, PlayState: state, DeviceName, Client } = row
    const known = facts.get(shown.Id)
    const series = facts.get(shown.SeriesId ?? '')
    const item = describedItem(
      hasIds(shown) || known === undefined ? shown : { ...shown, ProviderIds: known.ProviderIds },
      series === undefined ? undefined : seriesOf(series),
    )
    if (item === undefined) return []
    const durationMs = durationMsOf(shown)
    const ticks = state?.PositionTicks
    const device = DeviceName?.trim() || Client?.trim()
    return [
      {
        key,
        item,
        state: state?.IsPaused === true ? 'paused' : 'playing',
        ...(ticks == null ? {} : { positionMs: Math.round(ticks / TICKS_PER_MS) }),
        ...(durationMs === undefined ? {} : { durationMs }),
        account: { id: userId, name: userName, relation: 'own' },
        ...(device ? { device } : {}),
        server: account.slice(0, account.indexOf('/')),
      },
    ]
  })
}

/**
 * Ids that sessions lack: those of shows, and on some servers those of items. Sessions are returned without them on
 * failure.
 */
async function factsOf(
  { facts, log }: Session,
  rows: readonly Played[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Row>> {
  const needed = rows.flatMap(({ NowPlayingItem: item }) => [
    ...(hasIds(item) ? [] : [item.Id]),
    ...(item.SeriesId == null ? [] : [item.SeriesId]),
  ])
  try {
    return await facts.get(needed, signal)
  } catch (error) {
    if (signal.aborted || !isPlayheadError(error)) throw error
    log.debug({ code: error.code }, 'the ids of the playing items could not be read')
    return new Map()
  }
}

function hasIds({ ProviderIds: ids }: Row): boolean {
  return ids != null && Object.values(ids).some((id) => id !== '' && id != null)
}
