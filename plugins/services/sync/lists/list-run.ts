// The context for planning, judging and applying changes to one list: a run with one account as its target.
import {
  defined,
  type FeatureSupport,
  type ListKindSupport,
  type Provider,
  type Remote,
  type WriteRequest,
} from '@playhead/sdk'
import type { EngineParts, FeatureRun, SideContext } from '../feature-run.ts'
import { askTaps } from '../run/ask-taps.ts'
import { partsOfOne, type RunOfOne } from '../plan/one-account.ts'
import type { PlanHeader, PlannedList } from '../store/plans.ts'
import type { ListAccount } from './contract.ts'

export interface ListRunInput extends Omit<RunOfOne, 'runId'> {
  readonly engine: EngineParts
  readonly header: Pick<PlanHeader, 'run_id' | 'dry_run'> & { readonly list: Pick<PlannedList, 'list' | 'confirm'> }
  /** Id of the run that applies the plan, for reports and hooks. Default: the id of the plan. */
  readonly runId?: string
}

/** The engine with the currently active plugins. */
export async function withTaps(engine: EngineParts): Promise<EngineParts> {
  return { ...engine, taps: await askTaps(engine.hooks) }
}

/** @param engine with its taps */
export function listRun(
  { engine, header, runId = header.run_id, ...order }: ListRunInput,
  { provider, instance, uid, description, api }: ListAccount,
  afters: ReadonlyMap<string, string | null> = new Map(),
): FeatureRun {
  const { list, confirm } = header.list
  const write = (name: string, { op, items }: WriteRequest, end?: AbortSignal) =>
    api.writeList(
      name,
      op === 'update'
        ? { list, op: 'move', items: items.map((item) => ({ ...item, after: afters.get(item.key) ?? null })), confirm }
        : { list, op, items, confirm },
      end,
    )
  const side: Omit<SideContext, 'side'> = {
    provider,
    instance,
    uid,
    account: undefined as never,
    health: { status: 'unknown' },
    description,
    support: supportOf(description.lists![list.kind]!, list.kinds),
    api: { write } as unknown as Remote<Provider>,
  }
  const about = { name: list.title, features: {} }
  return {
    ...partsOfOne(engine, { provider, instance }, about, { ...order, runId }),
    feature: 'playlists',
    sides: { a: { ...side, side: 'a' }, b: { ...side, side: 'b' } },
    ...{ plays: false, dryRun: header.dry_run, approved: true },
  } as unknown as FeatureRun
}

function supportOf(can: ListKindSupport, kinds: FeatureSupport['kinds']): FeatureSupport {
  return {
    read: true,
    add: can.can.includes('add'),
    remove: can.can.includes('remove'),
    update: can.can.includes('move'),
    kinds,
    ...defined({ maxBatch: can.maxBatch }),
  }
}
