// Runs the mappings of a pair within its run. Implements the capability `pair-lists`.
import { defined, type PairLists, type PairListsReport } from '@playhead/sdk'
import { pairIdOf } from './pairs.ts'
import type { Parts } from './parts.ts'
import { codeOf } from './run/failures.ts'
import type { Result } from './contract.ts'
import type { Runs } from './run/runs.ts'
import type { Mapping } from './settings.ts'

type Counts = Omit<PairListsReport, 'status' | 'reason'>

const NONE: Counts = {
  mappings: 0,
  planned: 0,
  added: 0,
  removed: 0,
  updated: 0,
  already: 0,
  held: 0,
  unresolved: 0,
  errors: 0,
}

export function createPairLists(parts: Parts, runs: Runs): PairLists {
  async function mappingsOf(pairId: string): Promise<readonly Mapping[]> {
    const pair = (await parts.sync()?.pairs())?.find(({ id }) => id === pairId)
    const named = pair?.mappings ?? []
    return parts
      .config()
      .mappings.filter(({ id, enabled }) => enabled && (pairIdOf(id) === pairId || named.includes(id)))
  }

  return {
    async run({ pairId, runId, dryRun, approved }, signal) {
      const mappings = await mappingsOf(pairId)
      if (mappings.length === 0) return { status: 'skipped', reason: 'no_mappings', ...NONE }
      let counts = { ...NONE, mappings: mappings.length }
      let reason: string | undefined
      const warnings = new Set<string>()
      for (const { id } of mappings) {
        if (signal?.aborted === true) break
        try {
          // An approval for the pair of a mapping refers to its own preview. An approval for another pair covers its other features
          // too: for the mapping it approves the removals that its last run held.
          const isShown = pairIdOf(id) === pairId || ((await parts.store.result(id))?.blocked_removals ?? 0) > 0
          const options = { dryRun, approved: approved && isShown, confirmed: false, runId, signal }
          const result = await (await runs.start(id, options)).result
          counts = added(counts, result)
          for (const warning of result.warnings ?? []) warnings.add(warning)
          if (result.error !== undefined) reason ??= result.error
        } catch (error) {
          reason ??= codeOf(error)
          counts = { ...counts, errors: counts.errors + 1 }
        }
      }
      parts.ctx.events.emit('playlist.pair', {
        ...{ pair_id: pairId, run_id: runId, dry_run: dryRun, mappings: counts.mappings },
        ...{ added: counts.added, removed: counts.removed, reordered: counts.updated },
        ...{ unresolved: counts.unresolved, errors: counts.errors, warnings: [...warnings] },
      })
      if (signal?.aborted === true) return { status: 'cancelled', reason: 'cancelled', ...counts }
      return { status: statusOf(counts), ...defined({ reason }), ...counts }
    },
  }
}

function added(counts: Counts, result: Result): Counts {
  const { planned_additions: adds = 0, planned_removals: removes = 0, reorder_count: moves = 0 } = result
  return {
    mappings: counts.mappings,
    planned: counts.planned + adds + removes + moves,
    added: counts.added + result.added,
    removed: counts.removed + result.removed,
    updated: counts.updated + result.reordered,
    already: counts.already + result.already,
    held: counts.held + (result.blocked_removals ?? 0),
    unresolved: counts.unresolved + (result.unresolved_count ?? 0),
    errors: counts.errors + (result.error === undefined ? 0 : 1),
  }
}

function statusOf({ errors, mappings, unresolved, held, planned }: Counts): PairListsReport['status'] {
  if (errors === mappings) return 'failed'
  if (errors + unresolved + held > 0) return 'partial'
  return planned === 0 ? 'nothing_to_do' : 'ok'
}
