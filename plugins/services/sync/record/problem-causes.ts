// Causes of unresolved items, coarser than their reasons: each stands for one action of a person.
import { type ProblemCause, reasonLabel } from '@playhead/sdk'
import type { ReasonCount } from '../store/problem-rows.ts'

type Cause = Omit<ProblemCause, 'rows' | 'need_you'>

/** In the order in which a person should look at them. */
export const CAUSES = {
  approval: {
    severity: 'warning',
    title: 'Changes to approve',
    text: 'A run would remove or change many items at once. Nothing is changed until you approve.',
    action: 'approve',
    ...can({}),
  },
  sign_in: {
    severity: 'error',
    title: 'Sign in again',
    text: 'An account is signed out, or another account is signed in. It is not synced until you sign in again.',
    action: 'sign_in',
    ...can({}),
  },
  unreachable: {
    severity: 'error',
    title: 'Cannot be reached',
    text: 'A service does not respond. It is synced again as soon as it does.',
    action: 'open',
    ...can({}),
  },
  failed: {
    severity: 'error',
    title: 'Not synced',
    text: 'The last run of a pair failed or was interrupted. Try again. If it fails again, the run shows the reason.',
    action: 'try_again',
    ...can({}),
  },
  setting: {
    severity: 'warning',
    title: 'Not supported',
    text: 'A pair syncs something that one of its services does not support. Turn it off in the pair.',
    action: 'open',
    ...can({}),
  },
  no_match: {
    severity: 'warning',
    title: 'Could not be matched',
    text: 'The service has no title with these IDs, or more than one. Choose the right one.',
    action: 'match',
    ...can({ ignore: true, retry: true }),
  },
  refused: {
    severity: 'warning',
    title: 'Refused by the service',
    text: 'The service rejected the change. Ignore items that it never accepts.',
    action: 'try_again',
    ...can({ ignore: true, retry: true }),
  },
  different: {
    severity: 'warning',
    title: 'Different on both services',
    text: 'The two accounts have different values for the item, and it is not known which one is right.',
    action: 'open',
    ...can({ ignore: true, retry: true }),
  },
  unconfirmed: {
    severity: 'warning',
    title: 'Written, but not confirmed',
    text: 'The service accepted the change, but does not show it.',
    action: 'try_again',
    ...can({ ignore: true, retry: true }),
  },
  given_up: {
    severity: 'warning',
    title: 'On hold after several failures',
    text: 'It failed several times in a row. Runs skip it for some days.',
    action: 'try_again',
    ...can({ ignore: true, retry: true }),
  },
  service_failed: {
    severity: 'info',
    title: 'The service failed',
    text: 'The service had an error, or did not respond. The next run tries again.',
    action: 'try_again',
    ...can({ ignore: true, retry: true }),
  },
  other: {
    severity: 'info',
    title: 'Could not be synced',
    text: 'Each item shows the reason. The next run tries again.',
    action: 'try_again',
    ...can({ ignore: true, retry: true }),
  },
  playlists: {
    severity: 'info',
    title: 'Playlist items',
    text: 'Items of a playlist could not be synced. The next run of the pair tries again.',
    action: 'open',
    ...can({}),
  },
} as const satisfies Readonly<Record<string, Omit<Cause, 'code'>>>
export type CauseCode = keyof typeof CAUSES
export const CAUSE_CODES = Object.keys(CAUSES) as readonly CauseCode[]

/** By label, so that codes of all plugins with one meaning have one cause. */
const BY_LABEL: Readonly<Partial<Record<CauseCode, readonly string[]>>> = {
  no_match: [
    'ID mismatch',
    'Ambiguous match',
    'No match',
    'Another type of title',
    'Type of title not known',
    'Only the title is known',
    'Another episode',
    'The item is not on the service',
    'The item is not on the service',
    'Not in the anime mapping',
    'The anime mapping is ambiguous',
    'Anime episode mapping missing',
    'No anime mapping data yet',
    'Not mapped for this kind',
    'Specials are not mapped',
    'Episodes are split or joined differently',
    'Conflicting mappings',
    'The service treats two titles as one',
  ],
  refused: [
    'Refused by the service',
    'The account is full',
    'Unsupported',
    'Not allowed',
    'Only for the server owner',
    'Only for paying members',
    'The service is read only',
    'It would count as watched on the service',
    'It would also remove history',
    'It would also remove a rating',
    'It would also remove other data',
    'The service stores one position for each show',
  ],
  different: [
    'Different on both services',
    'Different date on the target',
    'In one file with other episodes that are not all watched',
    'The positions cannot be compared',
    'It may have another number or time on the other service now',
  ],
  unconfirmed: [
    'unconfirmed',
    'Written, but did not appear',
    'not removed',
    'Conflicting responses',
    'Ambiguous response',
  ],
  service_failed: [
    'request failed',
    'provider unavailable',
    'error',
    'Errors',
    'The service limits requests',
    'Not reachable',
    'Could not be reached in time',
    'Did not respond in time',
    'The connection was lost',
    'The secure connection failed',
    'The service had an error',
    'The service is blocking Playhead',
    'Playhead was stopped during the run',
    'Malformed response',
    'Sign-in failed',
  ],
}
const CODES = new Map(
  Object.entries(BY_LABEL).flatMap(([code, labels]) => labels.map((label) => [label, code as CauseCode] as const)),
)

/** A title that cannot be matched needs a match, however often it failed. */
export function causeOf({ reason, quarantined }: Omit<ReasonCount, 'count'>): CauseCode {
  const code = CODES.get(reasonLabel(reason)) ?? 'other'
  return quarantined && code !== 'no_match' ? 'given_up' : code
}

function can({ ignore = false, retry = false }: { readonly ignore?: boolean; readonly retry?: boolean }) {
  return { can_ignore: ignore, can_retry: retry }
}
