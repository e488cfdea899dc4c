// Decides observations for all lanes of their source, and stores viewings and deliveries in one transaction.
import { randomUUID } from 'node:crypto'
import {
  type AccountName,
  type DecisionTarget,
  defined,
  type Item,
  type PlaybackDecision,
  type ScrobbleSupport,
} from '@playhead/sdk'
import type { FilterReason, Lane, Observation } from '../contract.ts'
import type { Delivery } from '../store/delivery.ts'
import type { Change, Store, StoredViewing } from '../store/store.ts'
import { abandon, observe, settle } from './observe.ts'
import { shapeForSink } from './shape.ts'
import { destinationOf, type Emission, playOf, type Verdict, type Viewing } from './viewing.ts'
import { isWorthStoring, sinkOf, type Viewings } from './viewings.ts'

/** The decision for one lane. */
export interface LaneDecision {
  readonly lane: Lane
  readonly observation: Observation
  /** Why a filter rejected it; the other members are absent then. */
  readonly refused?: string
  readonly verdict?: Verdict
  readonly deliveries: readonly Delivery[]
}

export interface DecisionOptions {
  readonly viewings: Viewings
  readonly store: Pick<Store, 'commit'>
  readonly filter: (observation: Observation, lane: Lane) => FilterReason
  /** The abilities of a tracker; undefined while its provider is unavailable. */
  readonly support: (provider: string) => ScrobbleSupport | undefined
  /** The account at the service that a tracker's profile is signed in to, if known. */
  readonly sinkAccount: (sink: AccountName) => string | undefined
  /** Called with committed deliveries. */
  readonly deliver: (deliveries: readonly Delivery[]) => void
  readonly decided: (decision: LaneDecision) => void
  readonly now: () => number
}

/** A session without a report for this long has ended. */
const SILENT_MS = 6 * 3_600_000

interface Decisions {
  /** Resolves when all resulting changes are stored. */
  take(observation: Observation, lanes: readonly Lane[]): Promise<readonly LaneDecision[]>
  /** Sends due pauses, and counts plays whose end was never reported. */
  settle(lanes: readonly Lane[]): Promise<void>
}

export function createDecisions({
  viewings,
  store,
  filter,
  support,
  sinkAccount,
  deliver,
  decided,
  now,
}: DecisionOptions): Decisions {
  function decideLane(observation: Observation, lane: Lane, change: Changing): LaneDecision {
    const refused = filter(observation, lane)
    if (refused !== undefined) return { lane, observation, refused, deliveries: [] }
    const destination = destinationOf(lane)
    const { key, viewing: was } = viewings.find(destination, observation)
    const plays = viewings.playsOf(sinkOf(destination), observation.item)
    const verdict = observe(was, observation, lane.thresholds, plays)
    return settled({ lane, observation, destination, key, verdict, change })
  }

  function settled({ lane, observation, destination, key, verdict, change }: Settling): LaneDecision {
    const was = viewings.get(destination, key)
    let { viewing } = verdict
    const deliveries: Delivery[] = []
    for (const emission of [verdict.closing, verdict.emission]) {
      if (emission === undefined) continue
      const closes = emission === verdict.closing
      const item = closes && was !== undefined ? was.item : observation.item
      const shaped = shapeForSink(
        emission,
        closes ? null : viewing.sent,
        lane.thresholds,
        support(lane.sink.provider) ?? {},
      )
      if (emission.completed) {
        const play = playOf(emission)
        viewings.notePlay(sinkOf(destination), item, play)
        // The end of an earlier viewing may come late.
        if (play.endedAtMs >= (viewing.lastPlay?.endedAtMs ?? 0)) viewing = { ...viewing, lastPlay: play }
      }
      if (shaped === null) continue
      const account = sinkAccount(lane.sink)
      deliveries.push({
        ...deliveryOf({ ...emission, ...shaped }, { lane, observation, destination, key, item, nowMs: now() }),
        ...defined({ sinkAccount: account }),
      })
      viewing = { ...viewing, sent: shaped }
    }
    viewings.set(destination, key, viewing)
    if (deliveries.length > 0 || isWorthStoring(was, viewing)) change.viewings.push({ destination, key, viewing })
    change.deliveries.push(...deliveries)
    return { lane, observation, verdict, deliveries }
  }

  async function commit(change: Changing, decisions: readonly LaneDecision[]): Promise<void> {
    if (change.viewings.length > 0 || change.deliveries.length > 0) await store.commit(change satisfies Change)
    deliver(change.deliveries)
    for (const decision of decisions) decided(decision)
  }

  return {
    async take(observation, lanes) {
      const change: Changing = { viewings: [], deliveries: [] }
      const decisions = lanes.map((lane) => decideLane(observation, lane, change))
      await commit(change, decisions)
      return decisions
    },
    async settle(lanes) {
      const nowMs = now()
      const change: Changing = { viewings: [], deliveries: [] }
      const decisions: LaneDecision[] = []
      for (const { destination, key, viewing } of viewings.overdue(nowMs, SILENT_MS)) {
        const lane = lanes.find((one) => destinationOf(one) === destination)
        if (lane === undefined) continue
        const verdict =
          settle(viewing, nowMs) ??
          abandon(viewing, lane.thresholds, viewings.playsOf(sinkOf(destination), viewing.item))
        if (verdict === undefined) {
          viewings.set(destination, key, { ...viewing, pauseDueAtMs: null })
          continue
        }
        const observation = lastObservation(lane, viewing, nowMs)
        decisions.push(settled({ lane, observation, destination, key, verdict, change }))
      }
      await commit(change, decisions)
    },
  }
}

function lastObservation({ source }: Lane, { item, last, level }: Viewing, atMs: number): Observation {
  return { ...last, kind: 'level', source, item, state: level, atMs }
}

interface Changing {
  readonly viewings: StoredViewing[]
  readonly deliveries: Delivery[]
}

interface Settling {
  readonly lane: Lane
  readonly observation: Observation
  readonly destination: string
  readonly key: string
  readonly verdict: Verdict
  readonly change: Changing
}

/** The fields of a webhook's answer. */
export function toDecision(decisions: readonly LaneDecision[]): PlaybackDecision {
  const targets = decisions.map(({ lane, refused, verdict, deliveries }): DecisionTarget => {
    const { provider: target, instance: target_instance } = lane.sink
    const base = { target, target_instance, ok: true }
    if (refused !== undefined) return { ...base, skipped: true, ignored: true, reason: refused }
    if (deliveries.length > 0) return { ...base, queued: true }
    const reason = verdict?.reason ?? 'unchanged'
    return { ...base, skipped: true, reason }
  })
  // The lane with the most advanced result represents the event.
  const [best] = [...decisions].sort((one, other) => rankOf(other) - rankOf(one))
  if (best?.verdict === undefined) return { ignored: true, ...defined({ reason: best?.refused }), targets }
  const { outcome, reason, emission, percent } = best.verdict
  return {
    ...defined({ action: emission?.action }),
    ...(outcome === 'emit' ? {} : { [outcome]: true }),
    ...defined({ reason }),
    progress: percent,
    ...(emission?.completed === true ? { completed: true } : {}),
    targets,
  }
}

const RANK: Readonly<Record<Verdict['outcome'], number>> = {
  emit: 5,
  suppressed: 4,
  debounced: 3,
  dedup: 2,
  ignored: 1,
}

function rankOf({ verdict }: LaneDecision): number {
  return verdict === undefined ? 0 : RANK[verdict.outcome]
}

function deliveryOf(
  { action, percent, completed, durationMs, atMs, startedAtMs }: Emission,
  {
    lane,
    observation,
    destination,
    key,
    item,
    nowMs,
  }: {
    readonly lane: Lane
    readonly observation: Observation
    readonly destination: string
    readonly key: string
    readonly item: Item
    readonly nowMs: number
  },
): Delivery {
  const { id, name, uuid, relation } = observation.account
  return {
    id: `${nowMs.toString(36).padStart(9, '0')}-${randomUUID()}`,
    destination,
    viewing: key,
    lane: lane.id,
    method: lane.method,
    source: lane.source,
    sink: lane.sink,
    session: observation.session,
    action,
    completed,
    percent,
    durationMs,
    rating: null,
    autoRemove: lane.autoRemove,
    atMs,
    startedAtMs,
    item,
    account: { ...defined({ id, name, uuid }), relation },
    state: 'queued',
    dueAtMs: nowMs,
    attempts: 0,
    reason: null,
    planId: null,
    doneAtMs: null,
    watchedAtMs: null,
  }
}
