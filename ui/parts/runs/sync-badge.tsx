// The status of the whole, a pair, a feature or a run: one word, one number and one colour on all pages.
import type { Answer } from '../../api/client.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'
import { type Names, useNames } from '../values/names.ts'
import { StatusBadge, type Tone } from '../values/status-badge.tsx'

type SyncStatus = Answer<'GET /api/overview'>['status']
export type SyncState = SyncStatus['state']

const TONES: Readonly<Record<SyncState, Tone>> = {
  in_sync: 'good',
  need_you: 'warn',
  working: 'busy',
  paused: 'idle',
  cannot_reach: 'bad',
  failed: 'bad',
}

/** @param of the subject of the status, where the badge stands alone */
export function SyncBadge({ status, of }: { readonly status: SyncStatus; readonly of?: string }) {
  const names = useNames()
  const state = statusLabel(status, names)
  return (
    <StatusBadge
      tone={TONES[status.state]}
      label={of === undefined ? state : say(runs.statusOf, { feature: of, state })}
    />
  )
}

/** "In sync", "3 need you", "Cannot reach Plex" */
export function statusLabel({ state, count, account }: SyncStatus, names: Names): string {
  if (state === 'cannot_reach' && account === null) return runs.stateNames.cannot_reach
  return say(runs.status[state], {
    n: count,
    service: account === null ? '' : names.account(account.provider, account.instance),
  })
}
