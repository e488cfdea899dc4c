// Applied operations of a run, from its journal.
import type { AppliedOperation, Tables } from '@playhead/sdk'
import { other } from '../feature-run.ts'
import { accountOf } from '../pairs/pair.ts'
import { journalRows, plansOfRun } from '../store/plans.ts'

const PAGE = 250

export async function* appliedOf(db: Tables, runId: string): AsyncGenerator<readonly AppliedOperation[]> {
  for (const header of await plansOfRun(db, runId)) {
    for (let after = -1; ; ) {
      const rows = await journalRows(db, header.id, { after, limit: PAGE })
      const applied = rows.flatMap((row): AppliedOperation[] => {
        if (row.state !== 'applied') return []
        const { native: _native, ...item } = row.item
        return [
          {
            run_id: runId,
            pair_id: header.pair_id,
            feature: header.feature,
            op: row.op,
            key: row.key,
            item,
            source: accountOf(header.sides[other(row.side)]),
            target: accountOf(header.sides[row.side]),
            atMs: row.done_at_ms ?? row.sent_at_ms ?? header.created_at_ms,
          },
        ]
      })
      if (applied.length > 0) yield applied
      const last = rows.at(-1)
      if (rows.length < PAGE || last === undefined) break
      after = last.n
    }
  }
}
