// The meanings of Trakt's statuses. Texts of the service are never passed on.
import { PlayheadError } from '@playhead/sdk'
import type { StatusMeaning } from '@playhead/sdk/provider'

/** `PLH_FORBIDDEN` (`forbidden`, `account_locked`, `account_deactivated`), `PLH_CONFLICT` (`provider_limit`, with the limit), `PLH_UNSUPPORTED` (`vip_only`). */
export const MEANINGS: Readonly<Record<number, StatusMeaning>> = {
  403: () =>
    new PlayheadError('PLH_FORBIDDEN', 'Trakt rejected the application. Check its client ID.', {
      details: { status: 403, reason: 'forbidden' },
    }),
  420: ({ headers }) =>
    new PlayheadError('PLH_CONFLICT', 'The account at Trakt is full.', {
      wire: 'provider_limit',
      details: { status: 420, reason: 'provider_limit', limit: numberOf(headers['x-account-limit']) ?? null },
    }),
  423: ({ headers }) => {
    const reason = headers['x-account-deactivated'] === undefined ? 'account_locked' : 'account_deactivated'
    return new PlayheadError(
      'PLH_FORBIDDEN',
      'The account at Trakt is locked or deactivated. Its owner has to contact Trakt.',
      { wire: reason, details: { status: 423, reason } },
    )
  },
  426: () =>
    new PlayheadError('PLH_UNSUPPORTED', 'Trakt only offers this to VIP accounts.', {
      wire: 'vip_only',
      details: { status: 426, reason: 'vip_only' },
    }),
}

/** A number in a header. */
export function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined
}
