// Revokes the tokens on disconnect.
import type { AccountContext } from '@playhead/sdk'
import { openUpstream } from '../as-person.ts'
import type { Profile } from '../settings.ts'

/** Ends the sign-in at the service. */
export async function logOut(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  if (account.current().access_token === '') return
  const answer = await openUpstream(account).request({
    // Without a scope every device of the person would be signed out.
    method: 'POST',
    path: 'auth/v1/logout',
    query: { scope: 'local' },
    json: {},
    accept: [403, 404],
    idempotent: true,
    signal,
  })
  await answer.text()
}
