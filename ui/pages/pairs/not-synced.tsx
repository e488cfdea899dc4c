// Items that the last run of a pair did not sync, collapsed.
import { NotSyncedItems } from '../../parts/runs/not-synced.tsx'
import { openOfPair, type PairStatus } from '../../parts/runs/pair-status.ts'
import { pairs } from '../../texts/en/pairs.ts'
import { say } from '../../texts/say.ts'
import { Folded } from './folded.tsx'

/** Renders nothing for a pair that is synced. */
export function NotSynced({ pair }: { readonly pair: PairStatus }) {
  const open = openOfPair(pair)
  return open === 0 ? null : (
    <Folded title={say(pairs.openItems.count, { n: open })}>
      <NotSyncedItems of={{ pair_id: pair.id }} pairIds={[pair.id]} />
    </Folded>
  )
}
