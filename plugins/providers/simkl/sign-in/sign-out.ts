// Signing out. SIMKL has no way to end a token, so that it is only forgotten here.
import type { Session } from '../session.ts'

/** The application that only the PIN brought along leaves with its token; one that the person entered stays. */
export async function signOut({ account }: Session): Promise<void> {
  const { auth_method: method, client_id: id, pin_client_id: ours } = account.current()
  if (method === 'pin' && id !== '' && id === ours) await account.save({ client_id: undefined })
}
