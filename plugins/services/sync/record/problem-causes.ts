// Causes of unresolved items, coarser than their reasons: each stands for one action of a person.
import { type ProblemCause, reasonLabel } from '@playhead/sdk'
import type { ReasonCount } from '../store/problem-rows.ts'

type Cause = Omit<ProblemCause, 'rows' | 'need_you'>

/** In the order in which a person should look at them. */
export const CAUSES = {
  approval: {
    severity: 'warning',
    title: 'Changes to approve',
    text: 'A run would remove or change many items at once. Nothing happens until you approve it.',
    action: 'approve',
    ...can({}),
  },
  sign_in: {
    severity: 'error',
    title: 'Sign in again',
    text: 'An account is signed out, or another account is signed in. It is not synced until you sign in.',
    action: 'sign_in',
    ...can({}),
  },
  unreachable: {
    severity: 'error',
    title: 'Cannot be reached',
    text: 'A service does not answer. It is synced again when it does.',
    action: 'open',
    ...can({}),
  },
  failed: {
    severity: 'error',
    title: 'Not synced',
    text: 'The last run of a pair failed or ended early. Try again; if it fails again, the run says why.',
    action: 'try_again',
    ...can({}),
  },
  setting: {
    severity: 'warning',
    title: 'Not supported',
    text: 'A pair syncs what one of its two services does not support. Switch that off in the pair.',
    action: 'open',
    ...can({}),
  },
  no_match: {
    severity: 'warning',
    title: 'Could not be matched',
    text: 'The service has no title with these ids, or several. Choose the right one.',
    action: 'match',
    ...can({ ignore: true, retry: true }),
  },
  refused: {
    severity: 'warning',
    title: 'Refused by the service',
    text: 'The service does not accept the change. Ignore what it will never take.',
    action: 'try_again',
    ...can({ ignore: true, retry: true }),
  },
  different: {
    severity: 'warning',
    title: 'Different on both sides',
    text: 'Both accounts have the item with different values, and Playhead cannot tell which one is right.',
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
    title: 'Left alone after several failures',
    text: 'It failed several times in a row, so that runs skip it for some days.',
    action: 'try_again',
    ...can({ ignore: true, retry: true }),
  },
  service_failed: {
    severity: 'info',
    title: 'The service failed',
    text: 'The service had a failure of its own, or did not answer. The next run tries again.',
    action: 'try_again',
    ...can({ ignore: true, retry: true }),
  },
  other: {
    severity: 'info',
    title: 'Could not be synced',
    text: 'Each item says why. The next run tries again.',
    action: 'try_again',
    ...can({ ignore: true, retry: true }),
  },
  playlists: {
    severity: 'info',
    title: 'Entries of playlists',
    text: 'Entries of a playlist that could not be synced. The next run of the pair tries again.',
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
    'Another kind of title',
    'Kind of title not known',
    'Only the title is known',
    'Another episode',
    'The row is not known there',
    'The entry is not known there',
    'The anime mapping does not know it',
    'The anime mapping cannot tell',
    'Anime episode mapping missing',
    'No anime mapping data yet',
    'Not mapped for this kind',
    'Specials are not mapped',
    'Episodes are split or joined differently',
    'Contradicting mappings',
    'Two titles mean the same there',
  ],
  refused: [
    'Refused by the service',
    'Limit of the account reached',
    'Unsupported',
    'Not allowed',
    'Only for the owner of the server',
    'Only for paying members',
    'The service takes no changes',
    'It would count as watched there',
    'It would remove history',
    'It would remove a rating',
    'It would remove more than this',
    'The service keeps one position for each show',
  ],
  different: [
    'Different on both sides',
    'Another date at the target',
    'One file with other episodes, and not all of them are watched',
    'The positions cannot be compared',
    'It may have another number or time at the other side now',
  ],
  unconfirmed: [
    'unconfirmed',
    'Written, but it never appeared',
    'not removed',
    'Contradicting answers',
    'Ambiguous response',
  ],
  service_failed: [
    'request failed',
    'provider unavailable',
    'error',
    'Errors',
    'The service asked to wait',
    'Not reachable',
    'Could not be reached in time',
    'Not answered in time',
    'The connection broke off',
    'The secure connection failed',
    'The service had a failure of its own',
    'The service is blocking Playhead',
    'The service ended during it',
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
