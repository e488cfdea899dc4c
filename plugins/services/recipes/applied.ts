// Applies plans and undoes them. A record is stored before the first change and names all of them, so that after an
// interruption the rest follows: a plan is applied, or undone, as a whole.
import { randomUUID } from 'node:crypto'
import {
  type AccountName,
  createTurns,
  inverseSetup,
  type KeyValueStore,
  type Logger,
  PlayheadError,
  type RunSummary,
  type SetupEntry,
} from '@playhead/sdk'
import type { PartChange, Plan, SetupParts } from './plan.ts'

const PLAN_MS = 3_600_000
const PLANS = 'plan:'
const RECORDS = 'applied:'
const MAX_RECORDS = 50
/** A run that left items open has not copied everything: its pair continues, and lists them. */
const WHOLE: readonly string[] = ['ok', 'nothing_to_do']

type Status = 'applying' | 'applied' | 'undoing' | 'undone'

export interface Applied extends Plan {
  /** Also the id of its plan. */
  readonly id: string
  readonly status: Status
  readonly atMs: number
  /** Changes that are being sent; after an interruption they are sent again. */
  readonly pending: readonly PartChange[]
  /** Changes that a person made different since; an undo leaves them. */
  readonly left: readonly SetupEntry[]
}

interface AppliedDeps {
  readonly store: KeyValueStore
  readonly log: Logger
  parts(): SetupParts
  now(): number
  /** Tries `recover` again soon, also after a restart. */
  retryLater(): void
}

export type AppliedPlans = ReturnType<typeof createAppliedPlans>

export function createAppliedPlans({ store, log, parts, now, retryLater }: AppliedDeps) {
  const inTurn = createTurns()

  const save = async (record: Applied) => {
    await store.set(RECORDS + record.id, record)
    return record
  }
  const find = (id: string) => store.get<Applied>(RECORDS + id)

  /** All records, newest first. */
  async function list(): Promise<readonly Applied[]> {
    const found: Applied[] = []
    for await (const [key, value] of store.entries<Applied>()) if (key.startsWith(RECORDS)) found.push(value)
    return found.toSorted((a, b) => b.atMs - a.atMs)
  }

  /** Applies the changes part by part; an undo begins with the last part, because parts refer to earlier ones. */
  async function send(changes: readonly PartChange[], isUndo: boolean): Promise<void> {
    const names = [...new Set([...parts().keys(), ...changes.map(({ part }) => part)])]
    for (const name of isUndo ? names.toReversed() : names) {
      const own = changes.filter(({ part }) => part === name)
      if (own.length > 0) await setup(name).apply(own)
    }
  }

  /** Changes whose setting is neither as before nor as after. */
  async function others(changes: readonly PartChange[]): Promise<readonly PartChange[]> {
    const found: PartChange[] = []
    for (const [part, own] of Map.groupBy(changes, (change) => change.part)) {
      const states = await setup(part).states(own)
      found.push(...own.filter((_change, n) => states[n] === 'other'))
    }
    return found
  }

  function setup(part: string) {
    const found = parts().get(part)
    if (found !== undefined) return found
    throw new PlayheadError('PLH_NOT_READY', `The plugin that provides ${part} is off.`, { wire: 'part_missing' })
  }

  async function apply(id: string, approve: (plan: Plan) => Promise<void>): Promise<Applied> {
    await recover()
    const known = await find(id)
    if (known?.status === 'applied') return known
    if (known !== undefined) throw conflict('plan_undone', 'The plan was undone. Make another one.')
    const plan = await store.get<Plan>(PLANS + id)
    if (plan === undefined)
      throw new PlayheadError('PLH_NOT_FOUND', 'This plan does not exist. Old plans are deleted.', {
        wire: 'plan_not_found',
      })
    await approve(plan)
    await assertCurrent(plan)
    const record: Applied = { ...plan, id, status: 'applying', atMs: now(), left: [], pending: plan.changes }
    retryLater()
    await save(record)
    try {
      await send(record.changes, false)
      // A change of a person between the check and the write.
      await assertCurrent(plan)
    } catch (error) {
      await withdraw({ ...record, status: 'undoing', pending: inverseSetup(record.changes) })
      throw error
    }
    await prune()
    return save({ ...record, status: 'applied', pending: [] })
  }

  async function assertCurrent({ changes }: Plan): Promise<void> {
    const changed = await others(changes)
    if (changed.length === 0) return
    throw conflict('plan_outdated', 'Something that the plan changes was changed since. Make another plan.', {
      changed: changed.map(entryOf),
    })
  }

  async function undo(id: string): Promise<Applied> {
    await recover()
    const record = await find(id)
    if (record === undefined)
      throw new PlayheadError('PLH_NOT_FOUND', 'This plan does not exist. Old plans are deleted.', {
        wire: 'plan_not_found',
      })
    if (record.status === 'undone') return record
    const inverse = inverseSetup(record.changes)
    const left = (await others(inverse)).map(entryOf)
    retryLater()
    const undoing = await save({ ...record, status: 'undoing', left, pending: inverse })
    try {
      await send(inverse, true)
    } catch (error) {
      await withdraw({ ...record, status: 'applying', pending: record.changes })
      throw error
    }
    return save({ ...undoing, status: 'undone', pending: [] })
  }

  /** Takes back what was sent of a failed attempt. If that fails too, it is tried again later. */
  async function withdraw(record: Applied): Promise<void> {
    await save(record)
    await complete(record).catch((error: unknown) =>
      log.error({ err: error, plan: record.id }, 'a plan is applied in part; it is taken back later'),
    )
  }

  async function complete(record: Applied): Promise<void> {
    const isUndo = record.status === 'undoing'
    await send(record.pending, isUndo)
    const status = isUndo ? 'undone' : 'applied'
    await save({ ...record, status, pending: [] })
  }

  /** Completes what an interruption left. */
  async function recover(): Promise<void> {
    for (const record of await list()) {
      if (record.pending.length === 0) continue
      retryLater()
      await complete(record)
      log.info({ plan: record.id }, 'an interrupted plan is complete')
    }
  }

  async function prune(): Promise<void> {
    const old = (await list()).filter(({ status }) => status === 'undone' || status === 'applied').slice(MAX_RECORDS)
    for (const { id } of old) await store.delete(RECORDS + id)
  }

  return {
    list,
    /** Stores a plan for an hour. */
    async propose(plan: Plan): Promise<string> {
      const id = randomUUID()
      await store.set(PLANS + id, plan, PLAN_MS)
      return id
    },
    /**
     * @param approve throws if the plan must not be applied; not called for an applied one
     * @throws `PLH_NOT_FOUND` (`plan_not_found`), `PLH_CONFLICT`: `plan_outdated`, `plan_undone`, and those of the parts
     */
    apply: (id: string, approve: (plan: Plan) => Promise<void> = async () => {}) => inTurn(() => apply(id, approve)),
    /** @throws `PLH_NOT_FOUND` (`plan_not_found`), `PLH_CONFLICT`: those of the parts, such as `pair_running` */
    undo: (id: string) => inTurn(() => undo(id)),
    recover: () => inTurn(recover),
    /** Whether a first copy is not whole yet. */
    isCopying: async () => (await list()).some(({ status, later }) => status === 'applied' && later.length > 0),
    /** Stops the first copies whose pair has copied everything. */
    follow: ({ pairs = [] }: Pick<RunSummary, 'pairs'>) =>
      inTurn(async () => {
        const ended = new Set(pairs.filter(({ status }) => WHOLE.includes(status)).map(({ pair_id: id }) => id))
        for (const record of await list()) {
          const due = record.later.filter(({ pair }) => pair !== undefined && ended.has(pair.id))
          if (record.status !== 'applied' || due.length === 0) continue
          const later = record.later.filter((one) => !due.includes(one))
          retryLater()
          await complete(await save({ ...record, later, changes: [...record.changes, ...due], pending: due }))
        }
      }),
  }
}

function conflict(wire: string, message: string, details?: Readonly<Record<string, unknown>>): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', message, details === undefined ? { wire } : { wire, details })
}

function entryOf({ kind, id, label, source, target }: PartChange): SetupEntry {
  const nameOf = (end: AccountName | null) => end && { provider: end.provider, instance: end.instance }
  return { kind, id, label, source: nameOf(source), target: nameOf(target) }
}
