// Runs of mappings: one at a time, each stored before its first write, and settled after an interruption.
import { randomUUID } from 'node:crypto'
import { createTurns, defined, isFault, type MappingOutcome, pause, type ReadList } from '@playhead/sdk'
import { conflict, unknown } from '../config/refusals.ts'
import { resolveMapping } from '../config/mappings.ts'
import type { Parts } from '../parts.ts'
import type { Mapping } from '../settings.ts'
import type { ActivityRow, Journal } from '../store/rows.ts'
import { applyList, outcomeOf } from './apply.ts'
import { createFromPlan } from './create.ts'
import { announce, messageOf, recordSent } from './events.ts'
import { codeOf } from './failures.ts'
import { managedIn, pendingLists, type Planned, planMapping, type PlanOptions, planRead, scopeOf } from './planner.ts'
import { readSide } from './read.ts'
import { planView } from './plan-view.ts'
import type { PlanView, Result } from '../contract.ts'
import { type Failure, type Progress, resultOf } from './result.ts'
import { type Cause, createSettling } from './settle.ts'

interface RunOptions {
  readonly dryRun: boolean
  readonly approved: boolean
  readonly confirmed: boolean
  /** The run of a pair that it is part of. */
  readonly runId?: string
  readonly signal?: AbortSignal
}

interface StartedRun {
  readonly jobId: string
  /** Rejects only with an abort; other failures are a result. */
  readonly result: Promise<Result>
  /** The failure as an error of the request. */
  failure(): unknown
}

export interface Runs {
  preview(mappingId: string, options: Omit<PlanOptions, 'signal'> & { signal?: AbortSignal }): Promise<PlanView>
  /** Throws `PLH_NOT_FOUND` (`mapping_not_found`), `PLH_CONFLICT` (`busy`). */
  start(mappingId: string, options: RunOptions): Promise<StartedRun>
  isRunning(mappingId: string): boolean
  running(): readonly string[]
  /** Settles interrupted runs. */
  recover(): Promise<void>
  /** Resolves when no run is active here. */
  close(): Promise<void>
}

/** A run of the replaced version of the plugin ends within this time, or is aborted. */
const LONGEST_HANDOVER_MS = 20_000

export function createRuns(parts: Parts): Runs {
  const { store, ctx, log, now } = parts
  const turn = createTurns()
  const active = new Map<string, Promise<unknown>>()
  const settling = createSettling(parts)

  function find(id: string): Mapping {
    const mapping = parts.config().mappings.find((one) => one.id === id)
    if (mapping === undefined) throw unknown('mapping', id)
    return mapping
  }

  async function work(mapping: Mapping, jobId: string, options: RunOptions, signal: AbortSignal, progress: Progress) {
    const { dryRun } = options
    const scope = scopeOf(mapping, resolveMapping(mapping, parts.config()), parts.ctx.host.dataEpoch)
    const journal: Journal = { jobId, scope, startedAtMs: now(), plans: [] }
    if (!dryRun) await store.keepScope(mapping.id, scope)
    progress.planned = await planMapping(parts, mapping, { ...options, signal })
    if (!dryRun) await createLists(progress.planned, journal, { ...options, signal }, progress)
    await send(progress.planned, journal, { ...options, signal }, progress)
  }

  /** Lists without a first item are created, and the rest is planned for them. */
  async function createLists(
    first: Planned,
    journal: Journal,
    { runId, signal }: RunOptions & { readonly signal: AbortSignal },
    progress: Progress,
  ) {
    const waiting = first.targets.filter(
      ({ list }, n) => list === null && (first.plan.targets[n]?.adds.length ?? 0) > 0,
    )
    if (waiting.length === 0 || first.plan.refused !== null) return
    const { mapping, ruleset, scope } = first
    const all: MappingOutcome[] = []
    let targets = first.targets
    const descriptions = await parts.accounts.providers()
    for (const side of waiting) {
      const { endpoint, outcome } = await createFromPlan(parts, first, side, signal)
      all.push(outcome)
      progress.created += outcome.done.adds.length
      if (endpoint === null) continue
      const outcomes = outcome.done.adds.map((key) => ({ op: 'add', key, outcome: 'applied' }) as const)
      const plan = first.plan.targets.find(({ list }) => list === endpoint.id)!
      await recordSent(parts, first, { list: endpoint.id, plan, outcomes }, runId)
      const read = await readSide(parts, endpoint, 'target', descriptions, signal)
      targets = targets.map((one) => (one === side ? read : one))
    }
    const after = targets.filter((side) => !first.targets.includes(side)).map(({ entries }) => entries)
    const state = await parts.policy.next(first.input, first.plan, all, after)
    await store.settle(mapping.id, scope, state, journal)
    progress.planned = await planRead(parts, mapping, ruleset, scope, { source: first.source, targets }, state, first)
    if (all.length > after.length) progress.warnings.push('list_not_created')
  }

  async function send(
    planned: Planned,
    empty: Journal,
    { dryRun, runId, signal }: RunOptions & { readonly signal: AbortSignal },
    progress: Progress,
  ): Promise<void> {
    const { sent, warnings } = progress
    const { mapping, scope, input, plan } = planned
    const pending = pendingLists(planned).filter(({ side }) => side.read !== null)
    // Preview and dry run of a person store nothing; those of a pair are shown with its run.
    if (dryRun && runId === undefined) return
    let journal = empty
    if (!dryRun && pending.length > 0)
      journal = await store.journal(mapping.id, journal, { input, plan } satisfies Cause)
    const after: ReadList[] = []
    const descriptions = await parts.accounts.providers()
    const settle = async () => {
      const state = await parts.policy.next(input, plan, sent.map(outcomeOf), after)
      progress.managed = managedIn(state, planned)
      journal = { ...journal, plans: journal.plans.map((one) => ({ ...one, settled: true })) }
      await store.settle(mapping.id, scope, state, journal)
    }
    for (const { side, list } of pending) {
      const begin = async (planId: string) => {
        journal = { ...journal, plans: [...journal.plans, { list: list.list, planId, settled: false }] }
        await store.note(mapping.id, journal)
      }
      const one = await applyList(parts, { ...{ side, list, planned, dryRun, signal, begin }, ...defined({ runId }) })
      sent.push(one)
      if (dryRun) continue
      if (one.outcomes.some(({ outcome }) => outcome === 'applied' || outcome === 'unknown')) {
        try {
          const read = await readSide(parts, side.endpoint, side.role, descriptions, signal)
          after.push(read.entries)
        } catch (error) {
          // The next run reads the list.
          if (!signal.aborted) warnings.push('not_read_again')
          log.debug({ err: error, list: side.endpoint.id }, 'a list could not be read after it was written')
        }
      }
      await settle()
      await recordSent(parts, planned, one, runId)
      signal.throwIfAborted()
    }
    if (!dryRun && pending.length === 0 && plan.refused === null) await settle()
  }

  async function run(mapping: Mapping, jobId: string, options: RunOptions, failed: (error: unknown) => void) {
    const signal = options.signal === undefined ? ctx.signal : AbortSignal.any([options.signal, ctx.signal])
    const progress: Progress = { planned: undefined, sent: [], created: 0, managed: undefined, warnings: [] }
    let failure: Failure | undefined
    let isSettled = true
    try {
      await work(mapping, jobId, options, signal, progress)
    } catch (error) {
      failed(error)
      failure = signal.aborted
        ? { error: 'cancelled', message: 'The run was cancelled.' }
        : { error: codeOf(error), message: messageOf(error) }
      if (!signal.aborted && isFault(error)) log.error({ err: error, mapping: mapping.id }, 'a mapping failed')
      isSettled = await settling.own(mapping.id)
    }
    const { dryRun, runId } = options
    const facts = { jobId, dryRun, finishedAtMs: now(), ...defined({ runId }) }
    const result = resultOf(mapping, progress, facts, failure)
    // The row of an unsettled run stays and is settled later.
    if (isSettled)
      await store.end(mapping.id, options.dryRun ? {} : { result, activity: activityOf(mapping, result, now()) })
    announce(parts, mapping.name, result)
    return result
  }

  return {
    async preview(mappingId, options) {
      const signal = options.signal === undefined ? ctx.signal : AbortSignal.any([options.signal, ctx.signal])
      return planView(await planMapping(parts, find(mappingId), { ...options, signal }))
    },
    async start(mappingId, options) {
      const mapping = find(mappingId)
      const jobId = `playlist-${randomUUID()}`
      const empty: Journal = { jobId, scope: '', startedAtMs: now(), plans: [] }
      const begin = () => store.begin(mapping.id, empty)
      if (!(await begin()) && !((await settling.cut(mapping.id)) && (await begin())))
        throw conflict('busy', 'The mapping is being run.', { holder: 'sync', mapping_id: mapping.id })
      let failure: unknown
      const result = turn(() => run(mapping, jobId, options, (error) => (failure = error)))
      const ended = result.finally(() => active.delete(mapping.id))
      active.set(
        mapping.id,
        ended.catch(() => {}),
      )
      return { jobId, result: ended, failure: () => failure }
    },
    isRunning: (mappingId) => active.has(mappingId),
    running: () => [...active.keys()],
    async recover() {
      for (const row of await store.running()) {
        if (active.has(row.mappingId)) continue
        if (row.isOfThisProcess && !row.isOwn) await untilOver(row.mappingId)
        const left = (await store.running()).find(({ mappingId }) => mappingId === row.mappingId)
        if (left !== undefined && !active.has(left.mappingId)) await settling.left(left)
      }
    },
    async close() {
      await Promise.all(active.values())
    },
  }

  async function untilOver(mappingId: string): Promise<void> {
    for (let leftMs = LONGEST_HANDOVER_MS; leftMs > 0 && !ctx.signal.aborted; leftMs -= 100) {
      if (!(await store.running()).some((one) => one.mappingId === mappingId)) return
      await pause(100, ctx.signal)
    }
  }
}

function activityOf({ id, name }: Mapping, result: Result, nowMs: number): ActivityRow {
  const { added, removed, error, partial } = result
  const moved = result.reordered > 0 ? `, ${result.reordered} moved` : ''
  return {
    ts: Math.floor(nowMs / 1_000),
    type: 'Run',
    status: error === undefined ? (partial ? 'partial' : 'completed') : 'error',
    label: name,
    details: error ?? `${added} added, ${removed} removed${moved}`,
    mapping_id: id,
    added,
    removed,
    moved: result.reordered,
    unresolved: result.unresolved_count ?? 0,
    ...defined({ run_id: result.run_id }),
  }
}
