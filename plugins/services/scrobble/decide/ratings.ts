// Handles ratings from webhooks for the trackers of their address.
import { randomUUID } from 'node:crypto'
import {
  type DecisionTarget,
  defined,
  type PlaybackDecision,
  type ProviderDescription,
  type WebhookInput,
} from '@playhead/sdk'
import { kindOf } from '@playhead/sdk/items'
import { ratingScopeOf } from '../config/access.ts'
import { personReason } from '../filter/filter.ts'
import type { Delivery } from '../store/delivery.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world.ts'
import type { DecisionOptions } from './decisions.ts'
import { itemName, personOf } from './viewing.ts'

interface RatingOptions {
  readonly store: Pick<Store, 'commit'>
  readonly deliver: (deliveries: readonly Delivery[]) => void
  readonly describe: (provider: string) => ProviderDescription | undefined
  /** The filters of the lane, as for plays. */
  readonly sinkAccount: DecisionOptions['sinkAccount']
  readonly now: () => number
}

interface Ratings {
  take(input: WebhookInput<'rating'>, world: World): Promise<PlaybackDecision>
}

const SAME_MS = 10_000
const MAX_REMEMBERED = 5_000

export function createRatings({ store, deliver, describe, sinkAccount, now }: RatingOptions): Ratings {
  const recent = new Map<string, number>()

  function isRepeated(name: string, atMs: number): boolean {
    const before = recent.get(name)
    recent.delete(name)
    recent.set(name, atMs)
    for (const oldest of recent.keys()) {
      if (recent.size <= MAX_REMEMBERED) break
      recent.delete(oldest)
    }
    return before !== undefined && Math.abs(atMs - before) < SAME_MS
  }

  return {
    async take({ scope, report, receivedAtMs }, world) {
      const { item, rating, account } = report
      const found = ratingScopeOf(scope, world)
      if (found === undefined || found.targets.length === 0)
        return { action: 'rating', ignored: true, reason: 'rating_disabled', targets: [] }
      const refused = personReason(report, found)
      if (refused !== undefined) return { action: 'rating', ignored: true, reason: refused, targets: [] }
      const kind = kindOf(item)
      if (kind === 'season') return { action: 'rating', ignored: true, reason: 'unsupported_media_type', targets: [] }
      const name = JSON.stringify([scope, personOf(report), itemName(item), kind, rating])
      if (isRepeated(name, receivedAtMs))
        return { action: 'rating', dedup: true, reason: 'rating_duplicate', targets: [] }
      const deliveries: Delivery[] = []
      const targets = found.targets.map((sink): DecisionTarget => {
        const base = { target: sink.provider, target_instance: sink.instance }
        const support = describe(sink.provider)?.features.ratings
        if (support?.kinds.includes(kind) !== true)
          return { ...base, ok: true, skipped: true, ignored: true, reason: 'unsupported_media_type' }
        const signedIn = sinkAccount(sink)
        deliveries.push({
          id: `${now().toString(36).padStart(9, '0')}-${randomUUID()}`,
          destination: `${found.source.provider}:${found.source.instance}>${sink.provider}:${sink.instance}`,
          viewing: `rating ${itemName(item)}`,
          lane: scope,
          method: 'webhook',
          source: found.source,
          sink,
          ...defined({ sinkAccount: signedIn }),
          session: '',
          action: 'rating',
          completed: false,
          percent: 0,
          durationMs: null,
          rating,
          autoRemove: false,
          atMs: receivedAtMs,
          startedAtMs: receivedAtMs,
          item,
          account,
          state: 'queued',
          dueAtMs: now(),
          attempts: 0,
          reason: null,
          planId: null,
          doneAtMs: null,
          watchedAtMs: null,
        })
        return { ...base, ok: true, queued: true }
      })
      if (deliveries.length > 0) await store.commit({ deliveries })
      deliver(deliveries)
      return {
        action: 'rating',
        ...(deliveries.length === 0 ? { ignored: true as const, reason: 'unsupported_media_type' } : {}),
        targets,
      }
    },
  }
}
