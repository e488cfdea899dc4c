// Builds the playback operations of a provider's capability from its declaration, with checks.
import { meaningOf } from '../writes/outcomes.ts'
import type { Logger } from '../../logger.ts'
import { PlayheadError } from '../../errors.ts'
import type { IdScheme } from '../../items/id-schemes.ts'
import type { Item } from '../../items/item.ts'
import { kindOf } from '../../items/kind.ts'
import { ownIds, partOf } from '../../items/key-of.ts'
import type { Support } from '../contract.ts'
import type { ReadPart, ReadRequest } from '../reads/contract.ts'
import { partsUntilCancelled, untilCancelled } from '../until-cancelled.ts'
import type {
  PlaybackDefinition,
  PlaybackProvider,
  PlaybackSupport,
  PlaySession,
  ScrobbleRequest,
  ScrobbleResult,
  ScrobbleSupport,
  WatchPart,
} from './playback.ts'
import { certainPlays, mayBeWithin } from './plays.ts'
import { pollSessions } from './poll-sessions.ts'
import { scrobbleFailure } from './scrobbling.ts'
import { checkedSession, checkedSessions } from './session-checks.ts'
import { defined } from '../../defined.ts'

interface PlaybackOperationsInput<Session> {
  readonly providerId: string
  readonly log: Logger
  /** Channels of playback. */
  readonly logs: { readonly watch: Logger; readonly scrobble: Logger }
  readonly definition: PlaybackDefinition<Session> | undefined
  readonly features: Support
  /** The session for reads, and for writes. Throws for an unconfigured profile, and for one that is held back. */
  readonly readable: (instance: string, signal: AbortSignal) => Promise<Session>
  readonly writable: (instance: string, signal: AbortSignal) => Promise<Session>
  readonly read: (instance: string, request: ReadRequest, signal: AbortSignal) => AsyncIterable<ReadPart>
  readonly until: (signal: AbortSignal | undefined, limitMs?: number) => AbortSignal
}

const SCROBBLE_LIMIT_MS = 30_000

export function playbackSupport<Session>({
  playing,
  watch,
  webhook,
  scrobble,
}: PlaybackDefinition<Session>): PlaybackSupport {
  return {
    ...(watch !== undefined ? { watch: 'push' as const } : playing !== undefined ? { watch: 'poll' as const } : {}),
    ...(webhook === undefined
      ? {}
      : { webhook: { fields: webhook.fields, ratings: webhook.ratings, setup: webhook.setup } }),
    ...(scrobble === undefined
      ? {}
      : {
          scrobble: {
            kinds: scrobble.kinds,
            needsAnyId: scrobble.needsAnyId,
            ...defined({ playAtPercent: scrobble.playAtPercent, smooth: scrobble.smooth }),
          },
        }),
  }
}

export function createPlaybackProvider<Session>({
  providerId,
  log,
  logs,
  definition,
  features,
  readable,
  writable,
  read,
  until,
}: PlaybackOperationsInput<Session>): Partial<PlaybackProvider> {
  if (definition === undefined) return {}
  const { playing, watch, webhook, scrobble, plays } = definition

  async function follow(instance: string, options: Parameters<PlaybackProvider['watch']>[1], end: AbortSignal) {
    const session = await readable(instance, end)
    if (watch !== undefined) return watch(session, options ?? {}, end)
    return pollSessions({
      read: async (signal) => checkedSessions((await playing?.(session, options ?? {}, signal)) ?? [], log),
      others: true,
      signal: end,
    })
  }

  return {
    ...(playing === undefined
      ? {}
      : {
          async playing(instance, options, signal) {
            const end = until(signal)
            return checkedSessions(
              await untilCancelled(playing(await readable(instance, end), options ?? {}, end), end),
              log,
            )
          },
        }),
    ...(playing === undefined && watch === undefined
      ? {}
      : {
          async *watch(instance, options, signal): AsyncGenerator<WatchPart> {
            const end = until(signal)
            for await (const part of partsUntilCancelled(await follow(instance, options, end), end)) {
              // Plays must not be scrobbled for another user.
              if (part.type !== 'connected') await readable(instance, end)
              if (part.type === 'sessions') yield { ...part, sessions: checkedSessions(part.sessions, log) }
              else if (part.type === 'session') {
                const session = checkedSession(part.session, log)
                if (session !== undefined) yield { ...part, session }
              } else {
                const { by, others, reason } = part
                logs.watch.info({ instance, by, others, ...defined({ reason }) }, 'playback is followed')
                yield part
              }
            }
          },
        }),
    ...(webhook === undefined
      ? {}
      : {
          async parseWebhook(instance, request, signal) {
            const end = until(signal)
            const report = await untilCancelled(webhook.parse(await readable(instance, end), request, end), end)
            if (report.type !== 'playback') return report
            const session = checkedSession(report.session, log)
            return session === undefined
              ? { type: 'ignored', event: report.event, reason: 'unsupported_media_type' }
              : { ...report, session, ...alsoOf(report.also, log) }
          },
        }),
    ...(scrobble === undefined
      ? {}
      : {
          async scrobble(instance, request, signal) {
            const reason = refusal(scrobble, request.item)
            if (reason !== undefined) return { outcome: 'unsupported', reason }
            const end = until(signal, SCROBBLE_LIMIT_MS)
            try {
              return logged(
                instance,
                request,
                await untilCancelled(scrobble.send(await writable(instance, end), request, end), end),
              )
            } catch (error) {
              const failure = scrobbleFailure(error, request)
              if (failure === undefined) throw error
              return logged(instance, request, failure)
            }
          },
        }),
    ...(plays === undefined && features.history === undefined
      ? {}
      : {
          async plays(instance, request, signal) {
            const end = until(signal)
            if (plays !== undefined) return untilCancelled(plays(await readable(instance, end), request, end), end)
            const byPlay = features.history?.plays?.read === true
            const found: Item[] = []
            let isComplete = false
            for await (const part of read(instance, { feature: 'history', ...(byPlay ? { plays: true } : {}) }, end)) {
              if (part.type === 'rows')
                found.push(...part.rows.filter(({ watched_at: at }) => mayBeWithin(at, request)))
              else isComplete = part.end.complete
            }
            if (!isComplete)
              throw new PlayheadError('PLH_UPSTREAM_INVALID', `${providerId}: the history was not read completely.`)
            return certainPlays(found, request)
          },
        }),
  }

  function logged(instance: string, { action, percent, completed }: ScrobbleRequest, result: ScrobbleResult) {
    const { outcome, reason } = result
    const isFine = meaningOf(outcome) === 'done'
    logs.scrobble[isFine ? 'info' : 'warn'](
      { instance, action, percent, completed, outcome, ...defined({ reason }) },
      isFine ? 'a scrobble was sent' : 'a scrobble could not be delivered',
    )
    return result
  }
}

function refusal({ kinds, needsAnyId }: ScrobbleSupport, item: Item): string | undefined {
  const kind = kindOf(item)
  if (!kinds.includes(kind)) return 'unsupported_kind'
  const has = (ids: { readonly [scheme in IdScheme]?: string } | undefined) =>
    needsAnyId.some((scheme) => ids?.[scheme] !== undefined)
  return has(ownIds(item)) || (partOf(item) !== undefined && has(item.show_ids)) ? undefined : 'missing_ids'
}

function alsoOf(sessions: readonly PlaySession[] | undefined, log: Logger) {
  const also = (sessions ?? []).flatMap((session) => checkedSession(session, log) ?? [])
  return also.length === 0 ? {} : { also }
}
